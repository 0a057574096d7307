from pathlib import Path

import pytest

from service.store.urls import check_postgres_url, check_url, described

POSTGRES = [
    "postgresql://localhost/wf",
    "postgres://localhost/wf",
    "postgresql://me@localhost:5432/wf",
    "postgresql://me:p%23ss@db.example.com:5432/wf?sslmode=require",
    "postgresql://me:pass@[::1]:5432/wf",
    "postgresql://one:5432,two:5433/wf?target_session_attrs=read-write",
    "postgresql:///wf?host=/var/run/postgresql",
]
SQLITE = ["sqlite:///wf.db", "sqlite:////var/lib/wf.db", "sqlite:///my flows.db"]


@pytest.mark.parametrize("url", [*POSTGRES, *SQLITE])
def test_takes_the_url_of_a_database(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "must be the URL of an SQLite file or of a PostgreSQL database"),
        ("wf.db", "must be the URL"),
        ("mysql://localhost/wf", "must be the URL"),
        ("postgresql:/localhost/wf", "must be the URL"),
        ("sqlite://", "memory"),
        ("sqlite:///:memory:", "memory"),
        ("sqlite:///file:x?mode=memory", "memory"),
        ("sqlite://wf.db", "three slashes"),
        ("sqlite:///", "three slashes"),
        ("sqlite:////", "three slashes"),
        ("sqlite:///wf.db?mode=ro", "may not contain"),
        ("sqlite:///wf\0.db", "may not contain"),
        ("postgresql://me:p#ss@localhost/wf", "percent-encoding"),
        ("postgresql://me:p%ss@localhost/wf", "percent-encoding"),
        ("postgresql://me:p@ss@localhost/wf", "percent-encoding"),
        ("postgresql://me:p/ss@localhost/wf", "percent-encoding"),
        ("postgresql://me:p?ss@localhost/wf", "percent-encoding"),
        ("postgresql://me:pass@[::1/wf", "no URL"),
        ("postgresql://localhost/w%00f", "no URL"),
        ("postgresql://localhost/w\0f", "no URL"),
    ],
)
def test_refuses_others_with_what_to_write_instead(url: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as caught:
        check_url(url)
    kind = "postgresql://user" if url.startswith("postgresql://") else "sqlite:///workflows.db"
    assert kind in str(caught.value)


@pytest.mark.parametrize("url", POSTGRES)
def test_takes_the_url_of_a_postgresql(url: str) -> None:
    check_postgres_url(url)


@pytest.mark.parametrize("url", [*SQLITE, "", "localhost", "mysql://localhost/wf"])
def test_refuses_what_is_no_postgresql(url: str) -> None:
    with pytest.raises(ValueError, match="postgresql://user:password@host:5432/name"):
        check_postgres_url(url)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:hush@db.example.com:5432/wf", "wf on db.example.com:5432"),
        ("postgres://me:h%40sh@db/my%20flows?sslmode=require", "my flows on db"),
        ("postgresql://me:h@sh@db/wf", "wf on db"),
        ("postgresql://me:h/sh@db/wf", "wf on db"),
        ("postgresql://db/wf?user=me@home&password=h@sh", "wf on db"),
        ("postgresql://one:5432,two:5433/wf", "wf on one:5432,two:5433"),
        ("postgresql://db", "the user's own database on db"),
        ("postgresql:///wf", "wf on the local socket"),
        ("postgresql:///wf?user=me&password=hush", "wf on the local socket"),
    ],
)
def test_a_postgresql_is_called_by_its_name_and_place(url: str, shown: str) -> None:
    assert described(url) == shown


def test_a_file_is_called_by_its_whole_path() -> None:
    assert described("sqlite:///data/wf.db") == str(Path.cwd() / "data" / "wf.db")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:hush@[::1/wf",
        "postgresql://me:hush#@db/wf",
        "postgresql://me:hush/@db/wf",
        "postgresql://me:hush?@db/wf",
        "postgresql://me:hush%@db/wf",
        "postgresql://me:hush@db:port/wf",
        "mysql://me:hush@db/wf",
    ],
)
def test_no_message_shows_a_password(url: str) -> None:
    for tell in (check_url, check_postgres_url, described):
        try:
            told = str(tell(url))
        except ValueError as refused:
            told = str(refused)
        assert "hush" not in told, tell.__name__
