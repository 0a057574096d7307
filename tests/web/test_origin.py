import pytest

from service.web.origin import is_foreign


@pytest.mark.parametrize(
    ("origin", "host", "foreign"),
    [
        (None, "here:8000", False),
        ("http://here:8000", "here:8000", False),
        ("http://HERE:8000", "here:8000", False),
        ("http://here", "here", False),
        ("http://here:80", "here", False),
        ("https://here", "here", False),
        ("https://here", "here:443", False),
        ("http://[::1]:8000", "[::1]:8000", False),
        ("http://here:8001", "here:8000", True),
        ("http://here", "here:8000", True),
        ("http://there:8000", "here:8000", True),
        ("http://here.evil:8000", "here:8000", True),
        ("http://evil/here:8000", "here:8000", True),
        ("http://here:8000@evil", "here:8000", True),
        ("null", "here:8000", True),
        ("", "", True),
        ("file://", "", True),
        ("http://here:x", "here", True),
        ("http://\xff", "here", True),
    ],
)
def test_a_page_is_foreign_unless_it_is_of_this_host(
    origin: str | None, host: str, foreign: bool
) -> None:
    headers = [(b"host", host.encode("latin-1"))]
    if origin is not None:
        headers.append((b"origin", origin.encode("latin-1")))
    assert is_foreign({"type": "websocket", "headers": headers}) is foreign
