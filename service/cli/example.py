"""An input to try a workflow with, made from its JSON Schema."""

from collections.abc import Mapping
from typing import Any

DEEPEST = 5
PLAIN: Mapping[str, object] = {"integer": 1, "number": 1.5, "boolean": True, "array": []}


def example_of(schema: Mapping[str, Any]) -> Any:
    """Return a value that fits the schema, or nearly so; what has a default is left out."""
    return _example(schema, schema.get("$defs", {}), "text", DEEPEST)


def _example(schema: Mapping[str, Any], named: Mapping[str, Any], hint: str, depth: int) -> object:
    for key in ("default", "const"):
        if key in schema:
            return schema[key]
    if options := schema.get("enum"):
        return options[0]
    if reference := schema.get("$ref"):
        target = named.get(str(reference).rpartition("/")[2], {})
        return _example(target, named, hint, depth - 1) if depth else None
    if options := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return _example(options[0], named, hint, depth)
    if schema.get("type") == "object":
        fields: Mapping[str, Any] = schema.get("properties", {})
        needed = schema.get("required", [])
        return {name: _example(fields.get(name, {}), named, name, depth) for name in needed}
    if schema.get("type") == "string":
        return _text(schema.get("format"), hint)
    return PLAIN.get(str(schema.get("type")))


def _text(form: object, hint: str) -> str:
    return {
        "date": "2030-01-31",
        "date-time": "2030-01-31T12:00:00Z",
        "time": "12:00:00Z",
        "duration": "PT1M",
        "email": "someone@example.com",
        "uri": "https://example.com",
        "uuid": "01890a5d-ac96-774b-bcce-b302099a8057",
    }.get(str(form), hint)
