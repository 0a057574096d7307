"""Takes turns: in each round every case is measured once, so that all see the same machine."""

from collections.abc import Awaitable, Callable, Mapping

from bench.figure import Figure

Measure = Callable[[], Awaitable[float]]


async def take_turns(cases: Mapping[str, Measure], *, rounds: int, unit: str) -> dict[str, Figure]:
    """Return a figure by the name of each case; every other round goes backwards."""
    runs: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds):
        names = list(cases) if number % 2 == 0 else list(cases)[::-1]
        for name in names:
            runs[name].append(await cases[name]())
    return {name: Figure(name, unit, tuple(values)) for name, values in runs.items()}
