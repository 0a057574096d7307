"""Workflows of the chaos run: retries, hand-overs, a queue with a cap and one with a rate.

Each run writes a line as it begins and one as it is over, however that came, unless it was killed.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta

from service import Context, End, Next, Rate, Retry, Workflows
from tests.scenarios.authored import Job, write
from tests.scenarios.notes import BEGAN, ENDED

STORMY = __name__
CAP = 3
RATE = Rate(20, per=timedelta(seconds=1), burst=10)

workflows = Workflows()
workflows.queue("capped", concurrency=CAP)
workflows.queue("rated", rate=RATE)


@contextmanager
def noted(ctx: Context[None], job: Job) -> Generator[None]:
    """Write down when the block begins and when it is over."""
    write(ctx, job, BEGAN)
    try:
        yield
    finally:
        write(ctx, job, ENDED)


@workflows.workflow
async def plain(ctx: Context[None], job: Job) -> str:
    """Take a while."""
    with noted(ctx, job):
        await asyncio.sleep(job.seconds)
    return job.tag


@workflows.workflow(
    retry=Retry(max_attempts=3, backoff="fixed", base=timedelta(milliseconds=100)),
)
async def flaky(ctx: Context[None], job: Job) -> str:
    """Take a while, and fail twice."""
    with noted(ctx, job):
        await asyncio.sleep(job.seconds)
        if ctx.attempt < 3:
            raise ConnectionError("not this time")
    return job.tag


post = workflows.machine("post", input=Job, output=str)


@post.action
async def send(ctx: Context[None], job: Job) -> Next:
    """Take a while, and hand over for later."""
    with noted(ctx, job):
        await asyncio.sleep(job.seconds)
    return arrive.next(job, after=timedelta(milliseconds=200))


@post.action
async def arrive(ctx: Context[None], job: Job) -> End[str]:
    """Take a while."""
    with noted(ctx, job):
        await asyncio.sleep(job.seconds)
    return End(job.tag)
