"""One SQLite file, many callers: nothing is half done, nothing leaks, and nobody hears of locks."""

import asyncio
import json
import logging
import random
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from service import Context, Workflows
from service.client import Client, Handle
from tests.processes import Crew, until
from tests.scale import scaled
from tests.scenarios.harsh import HARSH
from tests.scenarios.inside import Site, ended, enqueue, site
from tests.scenarios.notes import BEGAN, ENDED, Notes
from tests.scenarios.raw import file_of, rows
from tests.web.running import Talk

MANY = "mutation M($i: EnqueueManyInput!) { enqueueMany(input: $i) { results { created } } }"
MEBIBYTE = 1 << 20


def registry() -> Workflows:
    workflows = Workflows()

    @workflows.workflow
    async def idle(ctx: Context[None], params: str) -> None: ...

    return workflows


async def hang_up(page: Site, body: bytes, after: float) -> None:
    """Send a request, and close the connection before an answer, or after it."""
    _, writer = await asyncio.open_connection("127.0.0.1", page.port)
    head = "POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    sent = f"{head}content-length: {len(body)}\r\n\r\n".encode() + body
    cut = random.choice([len(sent), random.randrange(len(sent))])
    writer.write(sent[:cut])
    await asyncio.sleep(after)
    writer.transport.abort()


async def test_bug_139_callers_that_hang_up_leave_all_or_nothing(
    sqlite_database: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with site(sqlite_database, registry()) as page:
        calls: list[asyncio.Task[None]] = []
        for number in range(scaled(60, 200)):
            items = [{"name": "idle", "params": f"call {number}"}] * 5
            body = json.dumps({"query": MANY, "variables": {"i": {"items": items}}}).encode()
            calls.append(asyncio.create_task(hang_up(page, body, random.uniform(0, 0.02))))
        await asyncio.gather(*calls)
        async with asyncio.timeout(30):
            last = await enqueue(page.service, "idle", "last")
            await ended(page.service, last)
            while rows(sqlite_database, "SELECT 1 FROM instances WHERE finished_at IS NULL"):
                await asyncio.sleep(0.01)
        counts = rows(sqlite_database, "SELECT input, count(*) FROM instances GROUP BY input")
        assert {count for text, count in counts if "call" in text} <= {5}
        assert (await page.ask("{ __typename }"))["data"] == {"__typename": "Query"}
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


async def test_bug_141_a_server_and_two_workers_never_meet_a_lock(
    sqlite_crew: Crew, notes: Notes
) -> None:
    # The schedule of the row is left for when there are any. What is logged is read at the end.
    server = sqlite_crew.serve(authors=HARSH)
    sqlite_crew.worker(authors=HARSH)
    sqlite_crew.worker(authors=HARSH)
    sqlite_crew.ready()
    count = scaled(40, 12_000)
    async with Client(server.url) as client:
        handles: list[Handle] = []
        for number in range(count):
            job = {"file": notes.file, "tag": str(number)}
            handles.append(await client.enqueue("caught", job))
            await asyncio.sleep(scaled(0.01, 0.05))
        await until(lambda: notes.count(ENDED) == count, 60)
        for handle in handles[:: scaled(10, 100)]:
            await handle.result(timeout=60)
    assert list(notes.runs().values()) == [1] * count
    assert notes.count(BEGAN) == notes.count(ENDED) == count
    logged = [line for each in sqlite_crew.processes for line in each.told.splitlines()]
    assert not [line for line in logged if "keep the database busy" in line]


async def test_bug_143_readers_do_not_keep_the_wal_from_being_reset(sqlite_database: str) -> None:
    file = file_of(sqlite_database)
    wal = file.with_name(f"{file.name}-wal")
    async with site(sqlite_database, registry(), worker=False) as page, page.talk() as talk:
        await talk.subscribe("1", "subscription { workflowEvents { type } }")
        reading = [asyncio.create_task(each) for each in (poll(page), listen(talk))]
        largest = 0
        for _ in range(scaled(35, 20_000)):
            await enqueue(page.service, "idle", "x" * scaled(MEBIBYTE - 100, 2_000))
            largest = max(largest, wal.stat().st_size)
            await asyncio.sleep(scaled(0, 0.01))
        for task in reading:
            task.cancel()
        await asyncio.wait(reading)
        assert largest < scaled(24, 64) * MEBIBYTE

        swell(file)
        assert wal.stat().st_size > 40 * MEBIBYTE
        async with asyncio.timeout(60):
            while wal.stat().st_size > 32 * MEBIBYTE:
                await enqueue(page.service, "idle", "small")


def swell(database: Path) -> None:
    """Make the WAL grow, as a backup does that reads while much is written."""
    with (
        closing(sqlite3.connect(database, isolation_level=None)) as backup,
        closing(sqlite3.connect(database, isolation_level=None)) as writer,
    ):
        backup.execute("BEGIN")
        backup.execute("SELECT count(*) FROM instances").fetchone()
        writer.execute("PRAGMA synchronous = OFF")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("CREATE TABLE ballast (filling BLOB)")
        for _ in range(45):
            writer.execute("INSERT INTO ballast VALUES (zeroblob(?))", (MEBIBYTE,))


async def poll(page: Site) -> None:
    """Ask for the list again and again, until cancelled."""
    while True:
        await page.data("{ workflowInstances(first: 5) { edges { node { id status } } } }")


async def listen(talk: Talk) -> None:
    """Read what comes, until cancelled."""
    while True:
        await talk.connection.recv()


async def test_bug_145_cancelled_requests_leave_no_file_and_no_thread(sqlite_database: str) -> None:
    process = psutil.Process()
    async with site(sqlite_database, registry(), worker=False) as page:
        await enqueue(page.service, "idle", "one")
        assert (await page.ask("{ __typename }"))["data"]
        await page.http.aclose()
        await asyncio.sleep(0.1)

        def held() -> tuple[int, int, int]:
            return process.num_fds(), threading.active_count(), len(asyncio.all_tasks())

        before = held()
        body = json.dumps({"query": "{ workflowInstances { edges { node { id } } } }"}).encode()
        for _ in range(scaled(10, 100)):
            await asyncio.gather(*(hang_up(page, body, random.uniform(0, 0.01)) for _ in range(10)))
        async with asyncio.timeout(60):
            while any(now > then for now, then in zip(held(), before, strict=True)):
                await asyncio.sleep(0.01)
