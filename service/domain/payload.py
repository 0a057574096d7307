"""Typed values as JSON text and back: what an annotation gives a workflow.

A value is encoded only if its text decodes to an equal value, so nothing is lost between one
action and the next, whatever pydantic would coerce.
"""

from typing import Any, Generic, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json
from typing_extensions import TypeVar

from service.domain.errors import DefinitionError, Fault, InvalidParams, PayloadTooLarge
from service.domain.plain import faults_in_text, first_faults, suspicious
from service.domain.roundtrip import difference, same
from service.domain.validation import faults_of, readable

T = TypeVar("T")

_PLAIN: tuple[type[object], ...] = (dict, list, str, int, float)


class Codec(Generic[T]):
    """Reads and writes the values of one annotation.

    Raises DefinitionError when the annotation has no JSON form; `what` begins the message.
    """

    def __init__(self, annotation: object, what: str = "The annotation") -> None:
        self.annotation: object = type(None) if annotation is None else annotation
        try:
            adapter: TypeAdapter[T] = TypeAdapter(cast("Any", self.annotation))
            self._schema = adapter.json_schema()
        except Exception as error:
            raise DefinitionError(
                f"{what} is {repr(annotation)[:200]}, which has no JSON form: "
                f"{_first_line(error)} Use a dataclass, a TypedDict, a pydantic model or plain "
                "types such as dict[str, int], and define them before they are used."
            ) from error
        self._check = adapter.validator.validate_python
        self._read = adapter.validator.validate_json
        self._write = adapter.serializer.to_json

    def validate(self, value: object) -> T:
        """Return the T that a plain JSON-like value stands for, or the T itself.

        Raises InvalidParams. What lies inside a T is checked when it is encoded.
        """
        if isinstance(value, _PLAIN):
            _refuse(_faults_of_plain(value))
        try:
            return self._check(value)
        except ValidationError as error:
            raise InvalidParams(faults_of(error, value)) from error

    def decode(self, text: str) -> T:
        """Return the value of a JSON text; raises InvalidParams."""
        try:
            data = text.encode()
        except UnicodeEncodeError:
            raise InvalidParams(first_faults(text)) from None
        if suspicious(text, data):
            _refuse(faults_in_text(text))
        try:
            return self._read(data)
        except ValidationError as error:
            raise InvalidParams(faults_of(error, readable(data))) from error

    def encode(self, value: T) -> str:
        """Return the value as compact JSON; raises InvalidParams if it would come back changed."""
        try:
            data = self._write(value, by_alias=True, warnings=False)
        except Exception as error:
            raise InvalidParams(_faults_of_unwritable(value, error)) from error
        text = data.decode()
        if suspicious(text, data):
            _refuse(faults_in_text(text))
        try:
            back = self._read(data)
        except ValidationError as error:
            faults = first_faults(value, strict=True) or faults_of(error, readable(data))
            raise InvalidParams(faults) from error
        except Exception as error:
            raise InvalidParams([Fault((), f"can't be read back: {_first_line(error)}")]) from error
        if not same(value, back):
            _refuse(_faults_of_changed(value, back))
        return text

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of what `validate` takes."""
        return self._schema


def check_size(text: str, what: str, limit: int) -> None:
    """Refuse a text of more than `limit` bytes in UTF-8; raises PayloadTooLarge."""
    if len(text) * 4 <= limit:
        return
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > limit:
        raise PayloadTooLarge(what, size, limit)


def _faults_of_plain(value: object) -> list[Fault]:
    try:
        data = to_json(value, inf_nan_mode="constants")
    except ValueError:  # a value that only its own type can write, or text that UTF-8 can't
        return first_faults(value)
    return first_faults(value) if suspicious(data.decode(), data) else []


def _faults_of_changed(value: object, back: object) -> list[Fault]:
    changed = difference(value, back)
    if changed is None:
        return []
    return first_faults(value, strict=True) or [changed]


def _faults_of_unwritable(value: object, error: Exception) -> list[Fault]:
    faults = first_faults(value, strict=True)
    return faults or [Fault((), f"can't be written as JSON: {_first_line(error)}")]


def _refuse(faults: list[Fault]) -> None:
    if faults:
        raise InvalidParams(faults)


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:300]}".rstrip(".: ") + "."
