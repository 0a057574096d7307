"""Responses as JSON text, which is valid UTF-8 whatever is in them."""

import json

from pydantic_core import PydanticSerializationError, to_json


def encode(response: object) -> bytes:
    """Return the response as JSON; a lone surrogate is escaped, a number that isn't finite null."""
    try:
        return to_json(response, inf_nan_mode="null")
    except PydanticSerializationError:
        return json.dumps(response, allow_nan=False).encode()
