"""What can't be kept or read fails the instance at once: it never loops."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel, field_serializer, field_validator

from service.domain.context import Context
from service.domain.instance import Status
from service.domain.outcome import End, Next
from service.domain.registry import Workflows
from service.domain.retry import Retry
from tests.runtime.driving import Driven, enqueue, failures, find
from tests.services import PAYLOAD_LIMIT, Process

Drive = Callable[..., Driven]

AGAIN = Retry(max_attempts=5, jitter=0)


class Unreadable(BaseModel):
    """Valid when it is made, and broken when it is read back."""

    at: str = "made"

    @field_validator("at")
    @classmethod
    def _check(cls, value: str) -> str:
        if value == "later":
            raise ZeroDivisionError("a validator broke")
        if value == "deadly":
            raise SystemExit(9)
        return value


class Unwritable(BaseModel):
    at: str = "made"

    @field_serializer("at")
    def _write(self, value: str) -> str:
        if value == "deadly":
            raise SystemExit(9)
        raise ZeroDivisionError("a serializer broke")


class Deaf:
    """Equal to nothing, loudly."""

    def __eq__(self, other: object) -> bool:
        raise SystemExit(9)

    __hash__ = None  # type: ignore[assignment]


@dataclass
class State:
    values: Any = None
    more: list[int] = field(default_factory=list[int])


BAD: dict[str, Any] = {
    "no json": object(),
    "nan": float("nan"),
    "long whole number": 2**60,
    "nul": "a\0b",
    "surrogate": "\ud800",
    "set": {1, 2},
    "tuple": (1, 2),
    "key that is no text": {1: 2},
    "too large": "x" * (PAYLOAD_LIMIT + 1),
    "too deep": [[]],
    "unwritable": Unwritable(),
    "deadly to write": Unwritable(at="deadly"),
    "equal to nothing": Deaf(),
}
for _ in range(70):
    BAD["too deep"] = [BAD["too deep"]]


async def fails_at_once(process: Process, driven: Driven, name: str) -> str:
    instance_id = await enqueue(process, name)
    await driven.round()
    found = await find(process, instance_id)
    assert found.status is Status.FAILED, found
    [kept] = await failures(process, instance_id)
    assert found.last_error
    assert found.output is None
    await driven.round()
    assert len(await failures(process, instance_id)) == 1
    return kept.summary


@pytest.mark.parametrize("case", BAD)
async def test_an_output(process: Process, drive: Drive, case: str) -> None:
    @process.registry.workflow(retry=AGAIN)
    async def job(ctx: Context[None], params: None) -> Any:
        return BAD[case]

    await fails_at_once(process, drive(process), "job")


@pytest.mark.parametrize("case", BAD)
async def test_a_state(process: Process, drive: Drive, case: str) -> None:
    job = process.registry.machine("job", state=State, retry=AGAIN)

    @job.action
    async def first(ctx: Context[State], params: None) -> Next:
        ctx.state.values = BAD[case]
        return second.next(None)

    @job.action
    async def second(ctx: Context[State], params: None) -> End[None]:
        raise AssertionError("never reached")

    await fails_at_once(process, drive(process), "job")


@pytest.mark.parametrize("case", BAD)
async def test_the_params_of_the_next_action(process: Process, drive: Drive, case: str) -> None:
    job = process.registry.machine("job", retry=AGAIN)

    @job.action
    async def first(ctx: Context[None], params: None) -> Next:
        return second.next(BAD[case])

    @job.action
    async def second(ctx: Context[None], params: Any) -> End[None]:
        raise AssertionError("never reached")

    await fails_at_once(process, drive(process), "job")


@pytest.mark.parametrize("value", [None, 5, "text", Next, End])
async def test_an_outcome_that_is_none(process: Process, drive: Drive, value: object) -> None:
    job = process.registry.machine("job", retry=AGAIN)

    @job.action
    async def first(ctx: Context[None], params: None) -> End[None]:
        return value  # type: ignore[return-value]

    assert "return End(output)" in await fails_at_once(process, drive(process), "job")


async def test_an_output_of_another_type(process: Process, drive: Drive) -> None:
    @process.registry.workflow(retry=AGAIN)
    async def job(ctx: Context[None], params: None) -> int:
        return "text"  # type: ignore[return-value]

    await fails_at_once(process, drive(process), "job")


async def test_a_next_action_of_another_workflow(process: Process, drive: Drive) -> None:
    other = process.registry.machine("other")

    @other.action
    async def elsewhere(ctx: Context[None], params: None) -> End[None]:
        return End(None)

    job = process.registry.machine("job", retry=AGAIN)

    @job.action
    async def first(ctx: Context[None], params: None) -> Next:
        return elsewhere.next(None)

    assert "'elsewhere'" in await fails_at_once(process, drive(process), "job")


async def test_a_payload_up_to_its_limit_passes(process: Process, drive: Drive) -> None:
    @process.registry.workflow
    async def job(ctx: Context[None], params: None) -> str:
        return "x" * (PAYLOAD_LIMIT - 2)

    driven = drive(process)
    instance_id = await enqueue(process, "job")
    await driven.round()
    found = await find(process, instance_id)
    assert found.output is not None
    assert len(found.output) == PAYLOAD_LIMIT


def changed(process: Process, registry: Workflows) -> Process:
    """Return the process with other code, as after a deployment."""
    process.registry = process.workflows.registry = registry
    return process


async def test_an_action_that_is_gone_after_a_change_of_code(
    process: Process, drive: Drive
) -> None:
    job = process.registry.machine("job", retry=AGAIN)

    @job.action
    async def old(ctx: Context[None], params: None) -> End[None]:
        return End(None)

    instance_id = await enqueue(process, "job")
    registry = Workflows()
    job = registry.machine("job", retry=AGAIN)

    @job.action
    async def new(ctx: Context[None], params: None) -> End[None]:
        return End(None)

    driven = drive(changed(process, registry))
    await driven.round()
    found = await find(process, instance_id)
    assert found.status is Status.FAILED
    assert found.last_error is not None
    assert "no action 'old' any more" in found.last_error
    await driven.round()
    assert len(await failures(process, instance_id)) == 1


@pytest.mark.parametrize("at", ["later", "deadly", None])
async def test_an_input_that_can_not_be_read_after_a_change_of_code(
    process: Process, drive: Drive, at: str | None
) -> None:
    @process.registry.workflow(name="job", retry=AGAIN)
    async def old(ctx: Context[None], params: dict[str, str | int]) -> None:
        raise AssertionError("never reached")

    instance_id = await enqueue(process, "job", {"at": at or 5})
    registry = Workflows()

    @registry.workflow(name="job", retry=AGAIN)
    async def new(ctx: Context[None], params: Unreadable) -> None:
        raise AssertionError("never reached")

    @registry.workflow
    async def fine(ctx: Context[None], params: None) -> None:
        return None

    driven = drive(changed(process, registry))
    await driven.round()
    assert (await find(process, instance_id)).status is Status.FAILED
    assert len(await failures(process, instance_id)) == 1
    next_id = await enqueue(process, "fine")
    await driven.round()
    assert (await find(process, next_id)).status is Status.COMPLETED


@pytest.mark.parametrize("at", ["later", "deadly"])
async def test_an_output_that_can_not_be_read_back(process: Process, drive: Drive, at: str) -> None:
    @process.registry.workflow(retry=AGAIN)
    async def job(ctx: Context[None], params: None) -> Unreadable:
        return Unreadable.model_construct(at=at)

    await fails_at_once(process, drive(process), "job")


async def test_a_state_that_can_not_begin_is_tried_again(process: Process, drive: Drive) -> None:
    begun: list[int] = []

    def initial(params: None) -> State:
        begun.append(1)
        raise SystemExit(9)

    job = process.registry.machine(
        "job", state=State, initial=initial, retry=Retry(max_attempts=2, jitter=0)
    )

    @job.action
    async def first(ctx: Context[State], params: None) -> End[None]:
        raise AssertionError("never reached")

    driven = drive(process)
    instance_id = await enqueue(process, "job")
    await driven.round()
    await process.clock.advance(1)
    await driven.round()
    assert (await find(process, instance_id)).status is Status.FAILED
    assert len(begun) == 2
