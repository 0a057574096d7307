from dataclasses import dataclass
from typing import Any

import pytest

from service.domain.beginning import beginning
from service.domain.errors import DefinitionError
from service.domain.payload import Codec


@dataclass
class Cart:
    total: int = 0


@dataclass
class Bill:
    total: int


@pytest.mark.parametrize(
    ("annotation", "state"), [(None, None), (Cart, Cart()), (dict[str, int], {}), (int, 0)]
)
def test_a_state_begins_as_its_type_called(annotation: object, state: object) -> None:
    assert beginning(Codec[Any](annotation), None, "workflow 'x'")("input") == state


def test_every_instance_has_a_state_of_its_own() -> None:
    begin = beginning(Codec[list[int]](list[int]), None, "workflow 'x'")
    assert begin(1) is not begin(1)


def test_a_state_may_be_made_from_the_input() -> None:
    assert beginning(Codec[Bill](Bill), Bill, "workflow 'x'")(5) == Bill(5)


@pytest.mark.parametrize("annotation", [Bill, Any, int | None])
def test_a_state_that_has_no_beginning_is_refused(annotation: object) -> None:
    with pytest.raises(DefinitionError, match=r"can't begin as .*pass `initial=`"):
        beginning(Codec[Any](annotation), None, "workflow 'x'")


async def later(_: object) -> Cart: ...


@pytest.mark.parametrize("initial", [later, 5])
def test_a_beginning_that_is_no_plain_function_is_refused(initial: Any) -> None:
    with pytest.raises(DefinitionError, match="give a plain function"):
        beginning(Codec[Cart](Cart), initial, "workflow 'x'")
