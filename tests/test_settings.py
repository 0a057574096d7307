from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError

from service.settings import ClientSettings, Settings, SettingsError

POSTGRES = "postgresql://me:hush@db.example.com:5432/wf"


def refusal(**given: object) -> str:
    with pytest.raises(SettingsError) as caught:
        Settings.read(**given)
    return str(caught.value)


def test_needs_nothing_to_be_set() -> None:
    settings = Settings.read()
    assert settings.database_path == Path("workflows.db")
    assert settings.warnings() == []


def test_what_is_given_comes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKFLOW_PORT", "9000")
    monkeypatch.setenv("WORKFLOW_HOST", "127.0.0.2")
    settings = Settings.read(port=9001, host=None)
    assert (settings.port, settings.host) == (9001, "127.0.0.2")


def test_an_empty_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKFLOW_PORT", "")
    assert Settings.read().port == 8000


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("45", 45), ("45s", 45), ("2m", 120), ("PT1M", 60), ("1d", 86_400), ("25.5 s", 25.5)],
)
def test_reads_spans_of_time(monkeypatch: pytest.MonkeyPatch, text: str, seconds: float) -> None:
    monkeypatch.setenv("WORKFLOW_LEASE", text)
    assert Settings.read().lease == timedelta(seconds=seconds)


@pytest.mark.parametrize("span", [45, 45.0, timedelta(seconds=45)])
def test_takes_spans_as_values(span: object) -> None:
    assert Settings.read(lease=span).lease == timedelta(seconds=45)


@pytest.mark.parametrize(
    "text", ["soon", "-5s", "0", "30 parsecs", "40000d", "99999999999d", "nan"]
)
def test_refuses_spans_that_are_none(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("WORKFLOW_LEASE", text)
    assert refusal().startswith("lease (WORKFLOW_LEASE): ")


def test_the_grace_may_be_none() -> None:
    assert Settings.read(grace="0s").grace == timedelta(0)


def test_reads_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKFLOW_PAYLOAD_LIMIT", "2MiB")
    assert Settings.read().payload_limit == 2 * 1024 * 1024


def test_names_every_fault_with_its_variable() -> None:
    lines = refusal(port="http", slots=0, log_level="loud").splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "port (WORKFLOW_PORT)",
        "slots (WORKFLOW_SLOTS)",
        "log_level (WORKFLOW_LOG_LEVEL)",
    ]


def test_refuses_a_name_that_is_no_setting() -> None:
    assert refusal(databse="x") == "databse is no setting. Did you mean database?"


def test_warns_of_a_variable_that_is_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKFLOW_HARTBEAT", "1s")
    monkeypatch.setenv("WORKFLOW_XYZZY", "1")
    first, second = Settings.read().warnings()
    assert "WORKFLOW_HARTBEAT" in first
    assert first.endswith("Did you mean WORKFLOW_HEARTBEAT?")
    assert "WORKFLOW_XYZZY" in second
    assert "docs/settings.md" in second


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"lease": "20s"}, {"WORKFLOW_HEARTBEAT", "WORKFLOW_LEASE"}),
        ({"blocked_limit": "5s"}, {"WORKFLOW_BLOCKED_AFTER", "WORKFLOW_BLOCKED_LIMIT"}),
        ({"payload_limit": "4MiB"}, {"WORKFLOW_BODY_LIMIT", "WORKFLOW_PAYLOAD_LIMIT"}),
    ],
)
def test_refuses_settings_that_disagree(given: dict[str, object], names: set[str]) -> None:
    message = refusal(**given)
    assert all(name in message for name in names)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///wf.db", "wf.db"),
        ("sqlite:///data/my flows.db", "data/my flows.db"),
        ("sqlite:////var/lib/wf.db", "/var/lib/wf.db"),
    ],
)
def test_a_database_is_a_file(url: str, path: str) -> None:
    assert Settings.read(database=url).database_path == Path(path)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("sqlite://", "memory"),
        ("sqlite://wf.db", "three slashes"),
        ("sqlite:///wf.db?mode=ro", "may not contain"),
        ("mysql://localhost/wf", "an SQLite file or of a PostgreSQL database"),
        ("wf.db", "an SQLite file or of a PostgreSQL database"),
    ],
)
def test_refuses_other_databases(url: str, reason: str) -> None:
    message = refusal(database=url)
    assert message.startswith("database (WORKFLOW_DATABASE): ")
    assert reason in message
    assert "sqlite:///workflows.db" in message


def test_a_database_may_be_on_a_server() -> None:
    settings = Settings.read(database=POSTGRES)
    assert (settings.database, settings.database_path) == (POSTGRES, None)
    assert settings.database_name == "wf on db.example.com:5432"
    assert "hush" not in f"{settings} {settings!r}"


def test_a_server_behind_a_pooler_may_be_listened_to_past_it() -> None:
    pooler = "postgresql://me:hush@pooler:6432/wf"
    settings = Settings.read(database=pooler, listen_database=POSTGRES)
    assert (settings.database, settings.listen_database) == (pooler, POSTGRES)
    assert "hush" not in f"{settings} {settings!r}"


@pytest.mark.parametrize(
    ("database", "listened", "reason"),
    [
        (POSTGRES, "sqlite:///wf.db", "URL of a PostgreSQL database"),
        (POSTGRES, "db.example.com", "URL of a PostgreSQL database"),
        (POSTGRES, "postgresql://me:hush#@db/wf", "percent-encoding"),
        ("sqlite:///wf.db", POSTGRES, "remove WORKFLOW_LISTEN_DATABASE"),
    ],
)
def test_refuses_to_listen_elsewhere(database: str, listened: str, reason: str) -> None:
    message = refusal(database=database, listen_database=listened)
    assert reason in message
    assert "hush" not in message


@pytest.mark.parametrize("variable", ["WORKFLOW_DATABASE", "WORKFLOW_LISTEN_DATABASE"])
def test_a_refused_database_shows_no_password(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "postgresql://me:hush/@db/wf")
    message = refusal()
    assert variable in message
    assert "hush" not in message


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_listens_to_this_machine(host: str) -> None:
    assert Settings.read(host=host).warnings() == []


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.com"])
def test_listens_to_others_only_when_told_to(host: str) -> None:
    assert "WORKFLOW_INSECURE_BIND=true" in refusal(host=host)
    (warning,) = Settings.read(host=host, insecure_bind=True).warnings()
    assert host in warning


def test_never_changes() -> None:
    settings = Settings.read()
    with pytest.raises(ValidationError):
        settings.port = 1


def test_a_client_needs_nothing_that_a_server_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKFLOW_LEASE", "never")
    monkeypatch.setenv("WORKFLOW_URL", "https://workflows.example.com/graphql")
    monkeypatch.setenv("WORKFLOW_TOKEN", "hush")
    client = ClientSettings.read()
    assert client.url == "https://workflows.example.com/graphql"
    assert client.token is not None
    assert client.token.get_secret_value() == "hush"
    assert "hush" not in f"{client} {client!r} {client.model_dump_json()}"


def test_a_server_takes_no_offence_at_what_is_for_a_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKFLOW_URL", "gopher:")
    assert Settings.read().warnings() == []
    with pytest.raises(SettingsError, match="WORKFLOW_URL"):
        ClientSettings.read()


@pytest.mark.parametrize("url", ["nonsense", "ws://host/graphql", "http://", "http://[::1"])
def test_refuses_an_address_that_is_none(url: str) -> None:
    with pytest.raises(SettingsError, match=r"write an address such as http://127\.0\.0\.1:8000"):
        ClientSettings.read(url=url)
