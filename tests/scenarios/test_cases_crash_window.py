"""A worker that is killed loses nothing: another one goes on where it stood, after the lease."""

import pytest

from service.domain.clock import SECOND
from service.domain.events import EventType
from service.domain.instance import Status
from tests.scenarios.aftermath import HELD, LEASE, ORPHAN, TREK, Aftermath
from tests.scenarios.notes import BEGAN, ENDED


def test_bug_003_only_the_action_that_was_caught_runs_again(aftermath: Aftermath) -> None:
    # Actions stand for the steps of the row.
    assert aftermath.words(TREK) == ["left", "crossed", "crossed", "arrived"]
    assert aftermath.fates[TREK].instance.status is Status.COMPLETED


@pytest.mark.parametrize("tag", HELD)
def test_bug_007_a_new_worker_renews_nothing_of_the_old_ones(
    aftermath: Aftermath, tag: str
) -> None:
    # Workers have no names to fix: each start has an id of its own.
    fate = aftermath.fates[tag]
    (lease,) = fate.leases
    (reclaimed,) = [event for event in fate.events if event.type is EventType.RECLAIMED]
    assert reclaimed.at >= lease


@pytest.mark.parametrize("tag", HELD)
def test_bug_009_one_start_is_enough_for_the_sweep_to_come_by(
    aftermath: Aftermath, tag: str
) -> None:
    fate = aftermath.fates[tag]
    (reclaimed,) = [event for event in fate.events if event.type is EventType.RECLAIMED]
    (lease,) = fate.leases
    assert reclaimed.at < lease + 10 * LEASE * SECOND
    assert fate.instance.status is Status.COMPLETED
    assert fate.events[-1].type is EventType.COMPLETED
    assert len({each.process for each in aftermath.notes if each.tag == tag}) == 2
    assert aftermath.words(ORPHAN) == [BEGAN, BEGAN, ENDED]
