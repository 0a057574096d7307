"""Workflows of another program on the same database: it knows none of `authored`."""

import asyncio

from service import Context, Workflows
from tests.scenarios.authored import Job, write
from tests.scenarios.notes import BEGAN, ENDED

workflows = Workflows()
workflows.queue("one", concurrency=1)


@workflows.workflow(queue="one")
async def visitor(ctx: Context[None], job: Job) -> str:
    """Begin, take a while, end, in a queue that others use too."""
    write(ctx, job, BEGAN)
    await asyncio.sleep(job.seconds)
    write(ctx, job, ENDED)
    return job.tag
