"""The workflows of the scenarios. What counts is written down by the handlers themselves."""

import asyncio
import os
import signal
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from service import Context, End, Ended, Next, Rate, Retry, Workflows
from tests.scenarios.notes import BEGAN, ENDED, note

workflows = Workflows()
workflows.queue("one", concurrency=1)
workflows.queue("three", concurrency=3)
workflows.queue("limited", rate=Rate(2, per=timedelta(seconds=1), burst=10))

AGAIN = Retry(max_attempts=3, backoff="fixed", base=timedelta(milliseconds=50))


@dataclass
class Job:
    """Where to write, under which tag, and how long to take."""

    file: str
    tag: str = ""
    seconds: float = 0


@dataclass
class Count:
    """A state that grows by one with each action."""

    number: int = 0


def write(ctx: Context[None] | Context[Count], job: Job, word: str) -> None:
    """Append a line of this run."""
    note(job.file, word, tag=job.tag, instance=ctx.instance_id, attempt=ctx.attempt)


@workflows.workflow
async def job(ctx: Context[None], job: Job) -> str:
    """Begin, take a while, end."""
    write(ctx, job, BEGAN)
    await asyncio.sleep(job.seconds)
    write(ctx, job, ENDED)
    return job.tag


@workflows.workflow(name="job-once", max_lost=0)
async def job_once(ctx: Context[None], params: Job) -> str:
    """Do the same, and never again after a crash."""
    return await job(ctx, params)


stages = workflows.machine("stages", input=Job, state=Count, output=int)


@stages.action
async def first(ctx: Context[Count], job: Job) -> Next:
    """Count to one."""
    write(ctx, job, f"first:{ctx.state.number}")
    ctx.state.number += 1
    return second.next(job)


@stages.action
async def second(ctx: Context[Count], job: Job) -> Next:
    """Count to two, after a while."""
    write(ctx, job, f"second:{ctx.state.number}")
    await asyncio.sleep(job.seconds)
    ctx.state.number += 1
    return third.next(job)


@stages.action
async def third(ctx: Context[Count], job: Job) -> End[int]:
    """Tell how far it got."""
    write(ctx, job, f"third:{ctx.state.number}")
    return End(ctx.state.number)


falters = workflows.machine("falters", input=Job, state=Count, output=int, retry=AGAIN)


@falters.action
async def lay(ctx: Context[Count], job: Job) -> Next:
    """Count to one."""
    write(ctx, job, f"lay:{ctx.state.number}")
    ctx.state.number += 1
    return build.next(job)


@falters.action
async def build(ctx: Context[Count], job: Job) -> End[int]:
    """Count further, and fail, however often it is tried."""
    write(ctx, job, f"build:{ctx.state.number}")
    ctx.state.number += 1
    raise RuntimeError("it fell down")


@dataclass
class Lap:
    """A job with so many laps left."""

    job: Job
    left: int


laps = workflows.machine("laps", input=Lap, output=str)


@laps.action
async def lap(ctx: Context[None], lap_: Lap) -> Next | End[str]:
    """Take a while, and go on to itself until no lap is left."""
    write(ctx, lap_.job, "lap")
    await asyncio.sleep(lap_.job.seconds)
    if lap_.left == 0:
        return End(lap_.job.tag)
    return lap.next(Lap(lap_.job, lap_.left - 1))


@workflows.workflow(retry=Retry(10, backoff="fixed", base=timedelta(milliseconds=1)))
async def grumbles(ctx: Context[None], length: int) -> None:
    """Fail ten times, at such a length."""
    raise ValueError("—" * length)


@workflows.workflow(retry=AGAIN)
async def yields(ctx: Context[None], job: Job) -> None:
    """Clean up when it is cancelled, and let itself be cancelled."""
    write(ctx, job, BEGAN)
    try:
        await asyncio.sleep(job.seconds)
    except asyncio.CancelledError:
        write(ctx, job, "cleaned")
        raise


@workflows.workflow(retry=AGAIN)
async def stumbles(ctx: Context[None], job: Job) -> None:
    """Fail when it is cancelled."""
    write(ctx, job, BEGAN)
    try:
        await asyncio.sleep(job.seconds)
    except asyncio.CancelledError:
        raise ValueError("it stumbled") from None


@workflows.workflow(retry=AGAIN)
async def unspeakable(ctx: Context[None], job: Job) -> Any:
    """Return what no JSON can hold."""
    write(ctx, job, BEGAN)
    return {"what": object()}


@workflows.workflow(max_lost=1)
async def poison(ctx: Context[None], job: Job) -> None:
    """Kill the process that runs it."""
    write(ctx, job, BEGAN)
    os.kill(os.getpid(), signal.SIGKILL)
    await asyncio.sleep(60)


async def explode(ended: Ended[str]) -> None:
    """Fail, after a line that tells of it; the output is the file."""
    note(str(ended.output), "hook", instance=ended.instance_id)
    await asyncio.sleep(0)
    raise SystemExit("the hook broke")


@workflows.workflow(on_terminal=explode)
async def hooked(ctx: Context[None], job: Job) -> str:
    """End, with a hook that fails."""
    write(ctx, job, BEGAN)
    return job.file
