"""Addresses of databases: the same one by another name or another way, and ports to stand on."""

import random
import socket
from urllib.parse import unquote, urlsplit

LOCALHOST = "127.0.0.1"

_LASTING = range(20_000, 32_000)


def with_database(url: str, name: str) -> str:
    """Return the URL of another database on the same server."""
    return urlsplit(url)._replace(path=f"/{name}").geturl()


def with_address(url: str, host: str, port: int) -> str:
    """Return the URL of the same database by way of another host and port."""
    user, at, _ = urlsplit(url).netloc.rpartition("@")
    return urlsplit(url)._replace(netloc=f"{user}{at}{host}:{port}").geturl()


def database_of(url: str) -> str:
    """Return the name of the database that a URL leads to."""
    return unquote(urlsplit(url).path.removeprefix("/"))


def lasting_port() -> int:
    """Return a free port that stays free while nothing listens on it.

    It is below the range from which the system takes the ports of outgoing connections, so that a
    server can come back to it after an outage.
    """
    while True:
        port = random.choice(_LASTING)
        with socket.socket() as held:
            try:
                held.bind((LOCALHOST, port))
            except OSError:
                continue
            return port
