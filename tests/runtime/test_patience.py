"""Many workers hear of one instance: few reach for it, and one that is alone never waits."""

import random

import pytest

from service.runtime.patience import Patience


def half() -> float:
    return 0.5


def test_a_worker_that_is_alone_never_waits() -> None:
    patience = Patience(half)
    for _ in range(10):
        assert patience.pause() == 0
        patience.won()


def test_who_comes_too_late_waits_longer_within_bounds() -> None:
    patience = Patience(half)
    pauses: list[float] = []
    for _ in range(10):
        patience.lost()
        pauses.append(patience.pause())
    assert pauses[:4] == pytest.approx([0.001, 0.002, 0.004, 0.008])
    assert pauses[-1] == pytest.approx(0.032)


def test_who_comes_in_time_soon_waits_no_more() -> None:
    patience = Patience(half)
    for _ in range(10):
        patience.lost()
    pauses = [patience.pause()]
    while pauses[-1]:
        patience.won()
        pauses.append(patience.pause())
    assert pauses == sorted(pauses, reverse=True)
    assert len(pauses) < 10


def test_few_of_many_reach_for_the_same() -> None:
    seen_after = 0.004
    chance = random.Random(7)
    workers = [Patience(chance.random) for _ in range(50)]
    reached: list[int] = []
    for _ in range(200):
        pauses = [worker.pause() for worker in workers]
        first = min(pauses)
        there = [w for w, pause in zip(workers, pauses, strict=True) if pause <= first + seen_after]
        winner = min(there, key=lambda w: pauses[workers.index(w)])
        for worker in there:
            (worker.won if worker is winner else worker.lost)()
        reached.append(len(there))
    assert sum(reached[100:]) / 100 < 10
