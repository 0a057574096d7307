"""Hears at once what any process has committed, over a connection of its own."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import psycopg

from service.domain.clock import Clock
from service.domain.errors import Unavailable
from service.store import records
from service.store.database import Heard, Row
from service.store.postgres.ear import Ear
from service.store.postgres.link import Link
from service.store.postgres.transaction import CHANNEL

_FIRST_BACKOFF = 0.1
_MAX_BACKOFF = 5.0

_log = logging.getLogger(__name__)


class Listener(Ear):
    """Listens until it is closed; a lost connection is made again, and the log's end asked for.

    `head` returns the log's end. What is committed while nobody listens is told then.
    """

    def __init__(
        self, link: Link, clock: Clock, heard: Heard, head: Callable[[], Awaitable[int]]
    ) -> None:
        self._link = link
        self._clock = clock
        self._heard = heard
        self._head = head
        self._lost = asyncio.Event()
        self._backoff = _FIRST_BACKOFF
        self._failing = False
        super().__init__(self._run(), "listener")

    async def _run(self) -> None:
        while True:
            try:
                connection = await self._connect()
            except (psycopg.Error, Unavailable) as error:
                self._failed(error)
            else:
                await self._listen(connection)
            await self._clock.sleep(self._backoff)
            self._backoff = min(_MAX_BACKOFF, 2 * self._backoff)

    async def _connect(self) -> psycopg.Connection[Any]:
        connecting = asyncio.ensure_future(asyncio.to_thread(self._open))
        try:
            return await asyncio.shield(connecting)
        except asyncio.CancelledError:
            with suppress(psycopg.Error):
                (await connecting).close()
            raise

    def _open(self) -> psycopg.Connection[Any]:
        connection = self._link.connect()
        connection.execute(f"LISTEN {CHANNEL}")
        return connection

    async def _listen(self, connection: psycopg.Connection[Any]) -> None:
        loop = asyncio.get_running_loop()
        socket = connection.pgconn.socket
        self._lost.clear()
        loop.add_reader(socket, self._receive, connection)
        try:
            self._receive(connection)
            self._heard(await self._head(), ())
            self._succeeded()
            await self._lost.wait()
        except Unavailable as error:
            self._failed(error)
        finally:
            loop.remove_reader(socket)
            connection.close()

    def _receive(self, connection: psycopg.Connection[Any]) -> None:
        try:
            connection.pgconn.consume_input()
            while (notice := connection.pgconn.notifies()) is not None:
                self._tell(notice.extra)
        except psycopg.Error as error:
            self._failed(error)
            self._lost.set()

    def _tell(self, notice: bytes) -> None:
        before, position, rows = notice.split(b" ", 2)
        told: list[Row] = json.loads(rows) if rows else []
        events = [records.event((*row, number)) for number, row in enumerate(told, int(before) + 1)]
        self._heard(int(position), events)

    def _failed(self, error: Exception) -> None:
        if not self._failing:
            self._failing = True
            _log.warning("Notifications are lost; listening again as soon as it can be: %s", error)

    def _succeeded(self) -> None:
        self._backoff = _FIRST_BACKOFF
        if self._failing:
            self._failing = False
            _log.info("Notifications are heard again.")
