import json
import signal
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from service.cli.main import VERBS, main
from service.graphql.schema import sdl
from tests.processes import ROOT, Process, command


def run(*words: str, given: str | None = None) -> Result:
    return CliRunner().invoke(main, words, input=given)


@pytest.fixture
def ask(running: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKFLOW_URL", running.url)


def told(result: Result) -> list[dict[str, Any]]:
    """Return what a command with --json printed."""
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def enqueued(name: str, params: str, *options: str) -> str:
    (instance,) = told(run("enqueue", name, params, "--json", *options))
    return instance["id"]


def waited(name: str, params: str) -> str:
    result = run("enqueue", name, params, "--wait", "--json")
    return json.loads(result.stdout.splitlines()[0])["id"]


def test_every_verb_says_what_it_does() -> None:
    listed = run("--help")
    assert listed.exit_code == 0
    for verb in VERBS:
        assert verb in listed.stdout
        helped = run(verb, "--help")
        assert helped.exit_code == 0
        assert "--help" in helped.stdout


@pytest.mark.usefixtures("ask")
def test_enqueue_and_wait() -> None:
    result = run("enqueue", "echo", '"hello"', "--wait")
    assert result.exit_code == 0
    first, *events, output = result.stdout.splitlines()
    assert "PENDING" in first
    assert [line.split()[2] for line in events] == ["STARTED", "COMPLETED"]
    assert output == '"hello"'


@pytest.mark.usefixtures("ask")
def test_enqueue_and_wait_for_a_failure() -> None:
    result = run("enqueue", "fail", '"no luck"', "--wait")
    assert result.exit_code == 1
    assert "failed: ValueError: no luck. `retry`" in result.stderr


@pytest.mark.usefixtures("ask")
@pytest.mark.parametrize(("name", "status"), [("echo", "COMPLETED"), ("fail", "FAILED")])
def test_waiting_tells_programs_everything_in_json(name: str, status: str) -> None:
    result = run("enqueue", name, '"hello"', "--wait", "--json")
    assert result.exit_code == (0 if status == "COMPLETED" else 1)
    first, *events, last = [json.loads(line) for line in result.stdout.splitlines()]
    assert first["created"] is True
    assert [event["type"] for event in events] == ["STARTED", status]
    assert (last["id"], last["status"]) == (first["id"], status)
    assert last["output"] == ("hello" if status == "COMPLETED" else None)


@pytest.mark.usefixtures("ask")
def test_waiting_may_have_an_end() -> None:
    params = json.dumps({"file": "/dev/null", "seconds": 60})
    result = run("enqueue", "slow", params, "--wait", "--timeout", "0.3")
    assert result.exit_code == 1
    assert "has not ended in 0.3 s, and goes on" in result.stderr
    assert run("cancel", result.stdout.split()[0]).exit_code == 0


@pytest.mark.usefixtures("ask")
def test_params_come_from_a_file_or_from_stdin(tmp_path: Path) -> None:
    file = tmp_path / "params.json"
    file.write_text('"from a file"')
    assert '"from a file"' in run("enqueue", "echo", f"@{file}", "--wait").stdout
    assert '"from stdin"' in run("enqueue", "echo", "-", "--wait", given='"from stdin"').stdout


@pytest.mark.parametrize("params", ["{", "NaN", "@/nowhere/params.json", "hello"])
def test_params_that_are_none_are_wrong_usage(params: str) -> None:
    result = run("enqueue", "echo", params)
    assert result.exit_code == 2
    assert "Invalid value for" in result.stderr


@pytest.mark.usefixtures("ask")
def test_a_key_gives_the_same_instance_back() -> None:
    first = enqueued("echo", '"a"', "--idempotency-key", "one")
    again = run("enqueue", "echo", '"a"', "--idempotency-key", "one")
    assert first in again.stdout
    assert "it was there before" in again.stdout
    refused = run("enqueue", "echo", '"b"', "--idempotency-key", "one")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("error: IDEMPOTENCY_CONFLICT: ")


@pytest.mark.usefixtures("ask")
def test_a_request_that_is_repeated_does_nothing_twice() -> None:
    first = enqueued("echo", '"a"', "--request-id", "r1")
    assert enqueued("echo", '"a"', "--request-id", "r1") == first


@pytest.mark.usefixtures("ask")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("enqueue", "nothing"), "UNKNOWN_WORKFLOW"),
        (("enqueue", "echo", "1"), "INVALID_PARAMS"),
        (("show", "nobody"), "NOT_FOUND"),
        (("cancel", "nobody"), "NOT_FOUND"),
        (("retry", "nobody"), "NOT_FOUND"),
        (("watch", "nobody"), "NOT_FOUND"),
        (("watch", "--after", "nowhere"), "INVALID_CURSOR"),
    ],
)
def test_what_is_refused_says_so(words: tuple[str, ...], code: str) -> None:
    result = run(*words)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {code}: ")


@pytest.mark.usefixtures("ask")
def test_lists_what_is_asked_for() -> None:
    key = datetime.now(UTC).isoformat()
    ids = [enqueued("echo", '"a"', "--singleton-key", f"{key} {n}") for n in range(3)]
    here = "--name", "echo", "--singleton-key"
    assert [row["id"] for row in told(run("list", *here, f"{key} 1", "--json"))] == [ids[1]]
    assert ids[2] in run("list", *here, f"{key} 2").stdout.splitlines()[1]
    assert told(run("list", "--name", "nothing", "--json")) == []
    soon = (datetime.now(UTC) + timedelta(hours=1)).strftime("%Y-%m-%d %H:%M:%S")
    assert told(run("list", "--created-after", soon, "--json")) == []
    newest = told(run("list", "--limit", "2", "--json"))
    assert len(newest) == 2
    oldest = told(run("list", "--oldest-first", "--limit", "1", "--json"))
    assert oldest[0]["created_at"] <= newest[1]["created_at"] <= newest[0]["created_at"]
    assert all(
        row["status"] == "FAILED" for row in told(run("list", "--status", "failed", "--json"))
    )


@pytest.mark.usefixtures("ask")
def test_shows_one_with_its_life() -> None:
    instance = waited("fail", '"no luck"')
    shown = run("show", instance).stdout
    assert "ValueError: no luck" in shown
    assert [word in shown for word in ("Failed attempts", "ENQUEUED", "STARTED", "FAILED")]
    (facts,) = told(run("show", instance, "--json"))
    assert [failure["message"] for failure in facts["failures"]] == ["no luck"]
    assert [event["type"] for event in facts["events"]] == ["ENQUEUED", "STARTED", "FAILED"]


@pytest.mark.usefixtures("ask")
def test_watches_one_to_its_end() -> None:
    done = waited("echo", '"a"')
    result = run("watch", done, "--until-end", "--json")
    assert [event["type"] for event in told(result)] == ["ENQUEUED", "STARTED", "COMPLETED"]
    failed = waited("fail", '"a"')
    assert run("watch", failed, "--until-end").exit_code == 1
    assert run("retry", failed).exit_code == 0
    types = [
        json.loads(line)["type"]
        for line in run("watch", failed, "--until-end", "--json").stdout.splitlines()
    ]
    assert types == ["ENQUEUED", "STARTED", "FAILED", "REQUEUED", "STARTED", "FAILED"]


def test_ctrl_c_ends_watching(running: Process) -> None:
    words = command("watch", "--after", "", "--url", running.url)
    watching = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert watching.stdout is not None
    run("enqueue", "echo", '"a"', "--url", running.url)
    assert b"ENQUEUED" in watching.stdout.readline()
    watching.send_signal(signal.SIGINT)
    _, told = watching.communicate(timeout=5)
    assert (watching.returncode, told) == (130, b"")


def test_watching_to_the_end_needs_an_instance() -> None:
    assert run("watch", "--until-end").exit_code == 2
    assert run("watch", "some-id", "--queue", "q", "--until-end").exit_code == 2


@pytest.mark.usefixtures("ask")
def test_cancels_and_says_what_that_came_to() -> None:
    params = json.dumps({"file": "/dev/null", "seconds": 60})
    instance = enqueued("slow", params)
    assert run("cancel", instance).exit_code == 0
    assert run("watch", instance, "--until-end").exit_code == 1
    again = run("cancel", instance)
    assert (again.exit_code, "it had ended before" in again.stdout) == (0, True)


@pytest.mark.usefixtures("ask")
def test_retries_what_ended() -> None:
    instance = waited("fail", '"a"')
    result = run("retry", instance, "--wait")
    assert result.exit_code == 1
    assert [line.split()[2] for line in result.stdout.splitlines()][1:] == ["STARTED", "FAILED"]
    done = run("retry", waited("echo", '"a"'))
    assert (done.exit_code, "INVALID_STATE" in done.stderr) == (1, True)


def test_a_service_that_is_not_there() -> None:
    result = run("list", "--url", "http://127.0.0.1:9/graphql")
    assert result.exit_code == 3
    assert "No answer from http://127.0.0.1:9/graphql" in result.stderr


@pytest.mark.usefixtures("running")
def test_an_address_that_is_another_page(running: Process) -> None:
    result = run("list", "--url", f"{running.address}/health")
    assert result.exit_code == 3
    assert "/graphql by default" in result.stderr


@pytest.mark.parametrize("url", ["nonsense", "http://[::1"])
def test_an_address_that_is_none(url: str) -> None:
    result = run("list", "--url", url)
    assert result.exit_code == 2
    assert "http://127.0.0.1:8000/graphql" in result.stderr


def test_the_schema_is_the_one_that_is_served() -> None:
    assert run("schema").stdout == sdl()
