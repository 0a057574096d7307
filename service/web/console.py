"""A page for people who open `/graphql` in a browser: it needs nothing from elsewhere."""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

CONSOLE = files("service.web").joinpath("console.html").read_bytes()


def _hash(tag: bytes) -> str:
    """Return what allows exactly the page's own script, or style."""
    inside = CONSOLE.partition(b"<%b>" % tag)[2].partition(b"</%b>" % tag)[0]
    return "'sha256-" + b64encode(sha256(inside).digest()).decode() + "'"


HEADERS = (
    (
        b"content-security-policy",
        (
            f"default-src 'none'; script-src {_hash(b'script')}; style-src {_hash(b'style')}; "
            "connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        ).encode(),
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
