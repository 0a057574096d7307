"""Whose page opens a WebSocket: browsers let any page do so, and send their cookies along."""

from urllib.parse import urlsplit

from starlette.types import Scope

PORTS = {"http": 80, "https": 443}


def is_foreign(scope: Scope) -> bool:
    """Return whether a browser says that a page of another host asks.

    What is no browser sends no Origin, and has no user's rights to abuse.
    """
    headers: dict[bytes, bytes] = dict(scope["headers"])
    origin = headers.get(b"origin")
    if origin is None:
        return False
    try:
        page = urlsplit(origin.decode("ascii"))
        here = urlsplit("//" + headers.get(b"host", b"").decode("ascii"))
        port = PORTS.get(page.scheme)
        same = (page.hostname, page.port or port) == (here.hostname, here.port or port)
    except ValueError:
        return True
    return not same or page.hostname is None
