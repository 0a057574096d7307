"""What kills its worker each time comes to an end, and takes nobody along."""

from service.domain.instance import Status
from tests.scenarios.harsh import SURVIVED
from tests.scenarios.notes import BEGAN, ENDED
from tests.scenarios.supervised import NORMAL, Survived


def test_bug_106_what_kills_its_worker_each_time_fails_as_a_lost_worker(survived: Survived) -> None:
    # `max_lost` bounds the claims here, not the attempts: so many losses are survived, and no more.
    assert survived.notes.words("deadly") == [BEGAN] * (SURVIVED + 1)
    assert survived.deadly.status is Status.FAILED
    assert survived.deadly.attempts == 0
    assert survived.deadly.last_error is not None
    assert survived.deadly.last_error.startswith("worker lost")


def test_bug_108_those_beside_it_complete(survived: Survived) -> None:
    assert [each.status for each in survived.normal] == [Status.COMPLETED] * NORMAL
    assert len({each.id for each in survived.normal}) == NORMAL
    assert survived.notes.count(ENDED, "normal") >= NORMAL
