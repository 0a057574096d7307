import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

Process = subprocess.Popen[str]
Run = Callable[..., Process]


@pytest.fixture
def run() -> Iterator[Run]:
    started: list[Process] = []

    def start(*words: str) -> Process:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.parts", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def line(process: Process) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def ended(process: Process, within: float) -> tuple[int, str, str]:
    began = time.monotonic()
    out, err = process.communicate(timeout=within + 5)
    assert time.monotonic() - began <= within
    return process.returncode, out, err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_every_part(run: Run, number: signal.Signals) -> None:
    process = run("5", "good", "good")
    assert line(process) == "started"
    process.send_signal(number)
    status, out, err = ended(process, 1)
    assert (status, out.splitlines()) == (0, ["good stopped", "good stopped"])
    assert "Traceback" not in err


@pytest.mark.parametrize("stuck", ["blocked", "mute"])
def test_a_blocked_part_is_abandoned_within_the_grace(run: Run, stuck: str) -> None:
    process = run("2", stuck, "good")
    assert line(process) == "started"
    process.send_signal(signal.SIGTERM)
    status, out, err = ended(process, 2)
    assert status == 0
    assert out.splitlines() == ["good stopped"] + ["blocked abandoned"] * (stuck == "blocked")
    assert stuck in err


def test_a_thread_that_nobody_can_stop_holds_nothing_up(run: Run) -> None:
    process = run("1", "threaded")
    assert line(process) == "started"
    process.send_signal(signal.SIGTERM)
    status, out, _ = ended(process, 1)
    assert (status, "threaded stopped" in out) == (0, True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_it_now(run: Run, number: signal.Signals) -> None:
    process = run("60", "blocked")
    assert line(process) == "started"
    process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(number)
    status, _, _ = ended(process, 1)
    assert status == 128 + number


def test_a_part_that_can_not_start_stops_the_others_and_says_why_in_a_line(run: Run) -> None:
    status, out, err = ended(run("5", "good", "busy", "good"), 3)
    assert (status, out.splitlines()) == (1, ["good stopped"])
    assert err == "error: The database is elsewhere. Nothing was changed: try again.\n"


def test_a_part_that_breaks_at_its_start_shows_where(run: Run) -> None:
    status, _, err = ended(run("5", "broken"), 3)
    assert status == 1
    assert "Traceback" in err
    assert "no idea" in err


@pytest.mark.parametrize("part", ["mortal", "quitter"])
def test_a_part_that_ends_by_itself_stops_the_others(run: Run, part: str) -> None:
    status, out, err = ended(run("5", "good", part), 3)
    assert (status, out.splitlines()) == (1, ["started", "good stopped"])
    assert f"The {part} ended by itself." in err
    assert ("it was too much" in err) == (part == "mortal")


def test_a_signal_during_the_start_stops_in_order(run: Run) -> None:
    process = run("5", "good", "endless", "good")
    assert line(process) == "starting"
    process.send_signal(signal.SIGINT)
    status, out, _ = ended(process, 1)
    assert (status, out.splitlines()) == (0, ["good stopped"])


def test_nothing_in_a_task_ends_the_loop(run: Run) -> None:
    process = run("5", "exiting")
    assert line(process) == "started"
    process.send_signal(signal.SIGTERM)
    status, out, err = ended(process, 1)
    assert (status, out.strip()) == (0, "exiting stopped")
    assert err.count("was stopped; it goes on") == 3
