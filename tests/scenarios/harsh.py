"""Workflows that kill or block the process that runs them, or are caught in the midst of work."""

import asyncio
import os
import signal
import time
from datetime import timedelta
from pathlib import Path

from service import Context, End, Next, Retry, Workflows
from tests.scale import scaled
from tests.scenarios.authored import Job, write
from tests.scenarios.notes import BEGAN, ENDED, Notes

HARSH = __name__

workflows = Workflows()
workflows.queue("one", concurrency=1)
apart = Workflows()
"""For a worker of its own, which only what it runs itself may kill."""


async def linger(job: Job, word: str) -> None:
    """Take the job's time when the line was written once, and none when it is written again."""
    if Notes(Path(job.file)).count(word, job.tag) == 1:
        await asyncio.sleep(job.seconds)


@workflows.workflow
async def caught(ctx: Context[None], job: Job) -> str:
    """Take a while the first time."""
    write(ctx, job, BEGAN)
    await linger(job, BEGAN)
    write(ctx, job, ENDED)
    return job.tag


trek = workflows.machine("trek", input=Job, output=str)


@trek.action
async def leave(ctx: Context[None], job: Job) -> Next:
    """Write a line."""
    write(ctx, job, "left")
    return cross.next(job)


@trek.action
async def cross(ctx: Context[None], job: Job) -> Next:
    """Take a while the first time."""
    write(ctx, job, "crossed")
    await linger(job, "crossed")
    return arrive.next(job)


@trek.action
async def arrive(ctx: Context[None], job: Job) -> End[str]:
    """Write a line."""
    write(ctx, job, "arrived")
    return End(job.tag)


SURVIVED = scaled(1, 2)


@workflows.workflow(max_lost=SURVIVED)
async def deadly(ctx: Context[None], job: Job) -> None:
    """Kill the process, each time."""
    write(ctx, job, BEGAN)
    os.kill(os.getpid(), signal.SIGKILL)


@apart.workflow(
    retry=Retry(max_attempts=3, backoff="fixed", base=timedelta(milliseconds=10)),
    timeout=timedelta(milliseconds=200),
)
async def mixed(ctx: Context[None], job: Job) -> None:
    """Fail, kill the process, take too long, fail again."""
    write(ctx, job, BEGAN)
    match Notes(Path(job.file)).count(BEGAN, job.tag):
        case 2:
            os.kill(os.getpid(), signal.SIGKILL)
        case 3:
            await asyncio.sleep(60)
        case _:
            raise ConnectionError("not this time")


@workflows.workflow
async def blocks(ctx: Context[None], job: Job) -> str:
    """Keep the event loop to itself."""
    write(ctx, job, BEGAN)
    time.sleep(job.seconds)
    write(ctx, job, ENDED)
    return job.tag


@workflows.workflow
async def stale(ctx: Context[None], job: Job) -> str:
    """Take a while; when it is cancelled say so, and answer all the same."""
    write(ctx, job, BEGAN)
    try:
        await asyncio.sleep(job.seconds)
    except asyncio.CancelledError:
        write(ctx, job, "interrupted")
        return "stale"
    write(ctx, job, ENDED)
    return "fresh"
