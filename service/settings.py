"""Every setting, read once: from what the program is given, else the environment, else a default.

A field's text below it is its description in `docs/settings.md`; its variable is its name in
capitals after `WORKFLOW_`.
"""

import os
from collections.abc import Iterator
from datetime import timedelta
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AnyHttpUrl,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from service.domain.units import parse_size, parse_span
from service.store.urls import SQLITE, check_postgres_url, check_url, described

PREFIX = "WORKFLOW_"
TEST_PREFIX = "WORKFLOW_TEST_"
"""Variables of the test suite; they are no settings, and nothing here reads them."""

LOCAL = "http://127.0.0.1:8000/graphql"
LONGEST = timedelta(days=36_500)


class SettingsError(ValueError):
    """A setting makes no sense; the message names it, its variable, and what to write."""


def _span(value: object) -> object:
    iso = isinstance(value, str) and value.strip().upper().startswith("P")
    return parse_span(value) if isinstance(value, str) and not iso else value


def _size(value: object) -> object:
    return parse_size(value) if isinstance(value, str) else value


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


Span = Annotated[timedelta, BeforeValidator(_span), Field(gt=timedelta(0), le=LONGEST)]
Size = Annotated[int, BeforeValidator(_size), Field(gt=0)]
Count = Annotated[int, Field(gt=0)]


class _Environment(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )

    @classmethod
    def read(cls, **given: object) -> Self:
        """Return each setting as given (None is not), else of the environment, else its default.

        Raises SettingsError, with a line for each fault.
        """
        values: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        try:
            return cls(**values)
        except ValidationError as error:
            raise SettingsError("\n".join(map(_explain, error.errors()))) from None


class ClientSettings(_Environment):
    """What a client of a running service needs, whatever else is set."""

    url: str = LOCAL
    """Address of the service that the commands for clients ask."""
    token: SecretStr | None = None
    """What those commands show to say who asks, where the service wants to know."""

    @field_validator("url")
    @classmethod
    def _check_url(cls, url: str) -> str:
        try:
            AnyHttpUrl(url)
        except ValidationError:
            raise ValueError(f"write an address such as {LOCAL}.") from None
        return url


class Settings(_Environment):
    """Every setting of one process. Each is checked when it is read, and never changes after.

    Spans of time are `30s`, `5m`, `30d`, or seconds; sizes are `1MiB`, or bytes.
    """

    database: str = Field(default="sqlite:///workflows.db", repr=False)
    """URL of the database: `sqlite:///` and a path, or `postgresql://user@host:port/name`."""
    listen_database: str | None = Field(default=None, repr=False)
    """URL of the same PostgreSQL past its pooler, to hear at once of what others wrote."""
    busy_timeout: Span = timedelta(seconds=5)
    """How long a write waits for its turn before it is `UNAVAILABLE`; behind others up to twice."""
    poll: Span = timedelta(milliseconds=80)
    """How often to look for what others wrote where nobody tells: on SQLite, behind a pooler."""

    host: str = "127.0.0.1"
    """Address to listen on."""
    port: int = Field(default=8000, ge=0, le=65_535)
    """Port to listen on; 0 takes any that is free."""
    insecure_bind: bool = False
    """Allow an address that other machines reach, though callers are not authenticated."""
    ide: bool = True
    """Serve a page to try GraphQL on, to browsers that open `/graphql`."""
    introspection: bool = True
    """Let callers ask for the schema."""

    lease: Span = timedelta(seconds=30)
    """How long a worker holds an instance without renewing; a dead worker's is taken after it."""
    heartbeat: Span = timedelta(seconds=10)
    """How often a worker renews its leases; less than half of `lease`."""
    tick: Span = timedelta(seconds=1)
    """The longest that a worker goes without looking for work; news wakes it earlier."""
    slots: Count = 100
    """Instances that one worker runs at a time."""
    grace: Annotated[timedelta, BeforeValidator(_span), Field(ge=timedelta(0), le=LONGEST)] = (
        timedelta(seconds=10)
    )
    """How long running actions may go on after SIGTERM, before they are given back."""
    blocked_after: Span = timedelta(seconds=5)
    """How long an action may block the event loop before that is reported."""
    blocked_limit: Span = timedelta(minutes=5)
    """How long a blocked event loop keeps its leases, before others may take its instances."""

    payload_limit: Size = 1 << 20
    """Largest input, state or output, in bytes of JSON."""

    ring_events: Count = 8_192
    """Latest events that a process keeps in memory for its subscribers."""
    ring_bytes: Size = 32 << 20
    """Memory that those events may take; whichever limit is reached first holds."""

    retention: Span = timedelta(days=30)
    """How long ended instances, and events, are kept."""
    prune_batch: Count = 500
    """Rows that one transaction of pruning deletes at most."""

    body_limit: Size = 4 << 20
    """Largest HTTP request or WebSocket message, in bytes; above `payload_limit`."""
    token_limit: Count = 2_000
    """Tokens that a GraphQL document may have; values in `variables` count nothing."""
    depth_limit: Count = 20
    """Levels that the fields of a GraphQL document may be nested."""
    enqueue_many_limit: Count = 1_000
    """Instances that one `enqueueMany` may start."""
    socket_limit: Count = 10_000
    """WebSockets that may be open at a time."""
    operation_limit: Count = 100
    """Operations that one WebSocket may have running at a time."""

    log_format: Annotated[Literal["auto", "json", "text"], BeforeValidator(_lower)] = "auto"
    """`json`, one object a line; `text`, for people; `auto` is text on a terminal, else JSON."""
    log_level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)] = (
        "info"
    )
    """Least severe entry that is logged: `debug`, `info`, `warning` or `error`."""

    @property
    def database_path(self) -> Path | None:
        """The file of an SQLite database; relative to the working directory unless absolute."""
        if not self.database.startswith(SQLITE):
            return None
        return Path(self.database.removeprefix(SQLITE))

    @property
    def database_name(self) -> str:
        """What the database is called where people read of it."""
        return described(self.database)

    def warnings(self) -> list[str]:
        """Return what is allowed but that whoever runs this should hear of, for the log."""
        found = list(_strangers())
        if not _is_loopback(self.host):
            found.append(
                f"Listening on {self.host} without authentication: whoever reaches this address "
                "can start, read and cancel every workflow."
            )
        return found

    @field_validator("database")
    @classmethod
    def _check_database(cls, url: str) -> str:
        check_url(url)
        return url

    @field_validator("listen_database")
    @classmethod
    def _check_listen_database(cls, url: str | None) -> str | None:
        if url is not None:
            check_postgres_url(url)
        return url

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        faults = list(_disagreements(self))
        if faults:
            raise ValueError("\n".join(faults))
        return self


def _disagreements(settings: Settings) -> Iterator[str]:
    if settings.heartbeat * 2 >= settings.lease:
        yield (
            "heartbeat must be less than half of lease, so that one lost renewal loses no work: "
            f"lower {PREFIX}HEARTBEAT ({_seconds(settings.heartbeat)}) "
            f"or raise {PREFIX}LEASE ({_seconds(settings.lease)})."
        )
    if settings.listen_database is not None and settings.database.startswith(SQLITE):
        yield (
            "listen_database is for PostgreSQL behind a pooler, and the database is an SQLite "
            f"file: remove {PREFIX}LISTEN_DATABASE."
        )
    if settings.blocked_after >= settings.blocked_limit:
        yield (
            "blocked_after must be less than blocked_limit, so that a blocked loop is reported "
            f"before its leases are given up: lower {PREFIX}BLOCKED_AFTER "
            f"({_seconds(settings.blocked_after)}) or raise {PREFIX}BLOCKED_LIMIT "
            f"({_seconds(settings.blocked_limit)})."
        )
    if settings.body_limit <= settings.payload_limit:
        yield (
            "body_limit must be more than payload_limit, since a request carries a payload: "
            f"raise {PREFIX}BODY_LIMIT ({settings.body_limit} bytes) "
            f"or lower {PREFIX}PAYLOAD_LIMIT ({settings.payload_limit} bytes)."
        )
    if not settings.insecure_bind and not _is_loopback(settings.host):
        yield (
            f"host {settings.host!r} is one that other machines may reach, and callers are not "
            "authenticated: whoever reaches it could start, read and cancel every workflow. "
            "Listen on 127.0.0.1 behind a proxy that authenticates, or, in a network that you "
            f"trust, set {PREFIX}INSECURE_BIND=true."
        )


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _seconds(span: timedelta) -> str:
    return f"{span.total_seconds():g}s"


def _explain(error: ErrorDetails) -> str:
    reason = str(error.get("ctx", {}).get("error", error["msg"]))
    if not error["loc"]:
        return reason
    name = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        return f"{name} is no setting.{_closest(name)}"
    return f"{name} ({PREFIX}{name.upper()}): {reason}"


def _names() -> list[str]:
    return [*Settings.model_fields, *ClientSettings.model_fields]


def _strangers() -> Iterator[str]:
    known = {PREFIX + name.upper() for name in _names()}
    for variable in sorted(os.environ):
        name = variable.upper()
        if name.startswith(PREFIX) and name not in known and not name.startswith(TEST_PREFIX):
            yield (
                f"The variable {variable} is no setting and was ignored."
                f"{_closest(name.removeprefix(PREFIX), PREFIX)}"
            )


def _closest(name: str, prefix: str = "") -> str:
    matches = get_close_matches(name.lower(), _names(), n=1)
    if not matches:
        return " See docs/settings.md for all of them."
    return f" Did you mean {prefix + matches[0].upper() if prefix else matches[0]}?"
