"""Workflows for servers under test. What counts is written to a file, never asked of the server."""

import asyncio
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from service import Context, End, Next, Workflows

FLOWS = __name__
"""What to serve."""

workflows = Workflows()
workflows.queue("one-lane", concurrency=1)


@dataclass
class Job:
    """What to note, and how long it takes."""

    file: str
    seconds: float = 0


def note(job: Job, words: str) -> None:
    with Path(job.file).open("a") as file:
        file.write(words + "\n")


@workflows.workflow
async def echo(ctx: Context[None], words: str) -> str:
    ctx.log.info("heard %s", words)
    return words


@workflows.workflow
async def fail(ctx: Context[None], why: str) -> None:
    raise ValueError(why)


@workflows.workflow
async def slow(ctx: Context[None], job: Job) -> str:
    note(job, "began")
    await asyncio.sleep(job.seconds)
    note(job, "ended")
    return "done"


@workflows.workflow
async def block(ctx: Context[None], job: Job) -> str:
    note(job, "began")
    time.sleep(job.seconds)
    return "done"


@workflows.workflow
async def block_a_thread(ctx: Context[None], job: Job) -> str:
    note(job, "began")
    await asyncio.to_thread(time.sleep, job.seconds)
    return "done"


@workflows.workflow
async def quit_the_process(ctx: Context[None], words: str) -> str:
    raise SystemExit(words)


@workflows.workflow
async def lane(ctx: Context[None], job: Job) -> str:
    note(job, "began")
    await asyncio.sleep(job.seconds)
    return "done"


stages = workflows.machine("stages", input=Job, output=str)


@stages.action
async def first(ctx: Context[None], job: Job) -> Next:
    note(job, "first")
    return second.next(job)


@stages.action
async def second(ctx: Context[None], job: Job) -> Next:
    note(job, "second")
    await asyncio.sleep(job.seconds)
    return third.next(job, after=timedelta(milliseconds=100))


@stages.action
async def third(ctx: Context[None], job: Job) -> End[str]:
    note(job, "third")
    return End("done")
