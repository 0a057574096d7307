"""Takes the address that a server listens on, before anything else is started."""

import socket

BACKLOG = 2048


class CannotListen(Exception):
    """The address can't be had; the message says why, and what to do."""


def bind(host: str, port: int) -> socket.socket:
    """Return a socket bound to the address; port 0 takes any that is free. Raises CannotListen."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise CannotListen(f"{host!r} is no address to listen on: {error}.") from error
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise CannotListen(
            f"Can't listen on {host}:{port}: {error.strerror}. Stop what listens there, or choose "
            "another port with --port (WORKFLOW_PORT)."
        ) from error
    bound.settimeout(0)
    return bound
