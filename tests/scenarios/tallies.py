"""What handlers' own notes say of caps and rates, where some of those that wrote were killed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from service.domain.queue import Rate
from tests.scenarios.notes import BEGAN, ENDED, Note


def spans(notes: Iterable[Note], deaths: Mapping[int, float]) -> list[tuple[float, float]]:
    """Return when each run began and was over: by itself, or as its process died."""
    begun: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    found: list[tuple[float, float]] = []
    for each in notes:
        run = each.instance, each.process
        if each.word == BEGAN:
            begun[run].append(each.at)
        elif each.word == ENDED:
            found.append((begun[run].pop(), each.at))
    for (instance, process), left in begun.items():
        for at in left:
            assert process in deaths, f"a run of {instance} was never over"
            found.append((at, deaths[process]))
    return found


def most_at_once(runs: Iterable[tuple[float, float]]) -> int:
    """Return the most that were under way at any moment."""
    moments = sorted((at, step) for run in runs for at, step in zip(run, (1, -1), strict=True))
    now = most = 0
    for _, step in moments:
        now += step
        most = max(most, now)
    return most


def excess(rate: Rate, times: Iterable[float], slack: float = 0.0) -> float:
    """Return by how many a rate was exceeded in the worst of all windows, or 0 or less.

    `slack` is how many seconds each time may be late.
    """
    a_second = rate.count / rate.per.total_seconds()
    ordered: Sequence[float] = sorted(times)
    worst = lead = float("-inf")
    for number, at in enumerate(ordered):
        # last - first + 1 - rate × (t_last - t_first), for the best first one so far.
        lead = max(lead, a_second * at - number)
        worst = max(worst, number + 1 - a_second * at + lead)
    return worst - rate.burst - a_second * slack
