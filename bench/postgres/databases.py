"""Databases made on a server, each with a name of this run's, and dropped again."""

import os
from typing import LiteralString
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql


class Databases:
    """The databases of this run on the server that a URL names."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._made: set[str] = set()

    def new(self, name: str) -> str:
        """Make a database and return its URL."""
        unique = f"bench_{os.getpid()}_{name.replace('-', '_')}"
        self._run("CREATE DATABASE {}", unique)
        self._made.add(unique)
        return urlunsplit(urlsplit(self._server)._replace(path=f"/{unique}"))

    def drop(self, url: str) -> None:
        """Drop a database, though somebody may still be connected."""
        name = urlsplit(url).path.removeprefix("/")
        self._run("DROP DATABASE {} WITH (FORCE)", name)
        self._made.remove(name)

    def close(self) -> None:
        """Drop all that are left."""
        for name in self._made:
            self._run("DROP DATABASE {} WITH (FORCE)", name)
        self._made.clear()

    def _run(self, text: LiteralString, name: str) -> None:
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(sql.SQL(text).format(sql.Identifier(name)))
