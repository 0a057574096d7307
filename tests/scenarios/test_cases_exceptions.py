"""Whatever an author's code raises, and wherever: the instance FAILED, and the worker lives on."""

import asyncio
from datetime import timedelta

import pytest

from service import Context, Retry, Workflows
from service.domain.instance import Status
from service.operations.page import Window
from tests.scenarios.inside import ended, enqueue, services, site

RAISED = [BaseException("all"), SystemExit(3), KeyboardInterrupt("stop"), GeneratorExit("gone")]


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
async def test_bug_119_what_is_no_exception_fails_the_instance_alone(
    sqlite_database: str, error: BaseException
) -> None:
    # Plain functions in threads stand for the sync steps of the row.
    workflows = Workflows()

    def plainly() -> None:
        raise error

    async def in_a_task() -> None:
        raise error

    @workflows.workflow
    async def raises(ctx: Context[None], where: str) -> None:
        match where:
            case "here":
                raise error
            case "thread":
                await asyncio.to_thread(plainly)
            case _:
                await asyncio.create_task(in_a_task())

    @workflows.workflow
    async def after(ctx: Context[None], params: None) -> str:
        return "alive"

    async with services(sqlite_database, workflows) as (service,):
        ids = [await enqueue(service, "raises", where) for where in ("here", "thread", "task")]
        failed = await ended(service, *ids)
        assert [each.status for each in failed] == [Status.FAILED] * 3
        for each in failed:
            assert each.last_error is not None
            assert type(error).__name__ in each.last_error
        (completed,) = await ended(service, await enqueue(service, "after"))
        assert completed.output == '"alive"'


async def test_bug_121_a_group_tells_of_every_member(sqlite_database: str) -> None:
    workflows = Workflows()

    async def leave() -> None:
        raise SystemExit(3)

    async def complain() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            raise ValueError("interrupted")

    @workflows.workflow
    async def grouped(ctx: Context[None], params: None) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(complain())
            await asyncio.sleep(0)
            group.create_task(leave())

    async with site(sqlite_database, workflows) as page:
        instance_id = await enqueue(page.service, "grouped")
        (instance,) = await ended(page.service, instance_id)
        assert instance.status is Status.FAILED
        page_of_failures = await page.service.workflows.failures(instance_id, Window())
        (failure,) = page_of_failures.nodes
        assert failure.error_type == "BaseExceptionGroup"
        assert "SystemExit: 3" in failure.message
        assert "ValueError: interrupted" in failure.message
        assert await page.data("{ __typename }") == "Query"


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize("kind", ["empty", "assert", "mute"])
async def test_bug_123_an_error_without_words_is_recorded_by_its_type(
    sqlite_database: str, kind: str
) -> None:
    workflows = Workflows()

    @workflows.workflow(retry=Retry(max_attempts=2, base=timedelta(milliseconds=1)))
    async def wordless(ctx: Context[None], params: None) -> None:
        if kind == "empty":
            raise Exception  # noqa: TRY002 - as authors do
        if kind == "mute":
            raise Mute
        assert kind == "nothing"

    async with services(sqlite_database, workflows) as (service,):
        instance_id = await enqueue(service, "wordless")
        (instance,) = await ended(service, instance_id)
        assert instance.status is Status.FAILED
        failures = (await service.workflows.failures(instance_id, Window())).nodes
        expected = {"empty": "Exception", "assert": "AssertionError", "mute": "Mute"}[kind]
        assert [(each.attempt, each.error_type) for each in failures] == [
            (1, expected),
            (2, expected),
        ]
        assert all(isinstance(each.message, str) for each in failures)
        assert instance.last_error is not None
        assert instance.last_error.startswith(expected)
