"""How to reach a database, and how a connection to it is set up."""

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service.store.postgres.wire import Wire

_IDLE_IN_TRANSACTION = 2.0
"""Seconds after which the server ends a transaction whose process has stopped in its midst."""
_DEFAULTS: dict[str, Any] = {
    "application_name": "workflow-service",
    "client_encoding": "UTF8",
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}


@dataclass(frozen=True, slots=True)
class Link:
    """A database's URL, and how long to wait for it. `pooled`: a pooler lends its connections."""

    url: str
    busy_timeout: float
    pooled: bool = False

    def connect(self) -> psycopg.Connection[Any]:
        """Return a new connection; raises `psycopg.OperationalError`."""
        given = conninfo_to_dict(self.url)
        wanted = {"connect_timeout": max(2, round(self.busy_timeout)), **_DEFAULTS}
        info = make_conninfo(self.url, **{k: v for k, v in wanted.items() if k not in given})
        return psycopg.connect(info, autocommit=True, prepare_threshold=None)

    def wire(self) -> Wire:
        """Return a new connection, set up for statements of ours."""
        wire = Wire(self.connect(), patience=self.busy_timeout + 1, named=not self.pooled)
        if not self.pooled:
            wire.send(_settings(self.busy_timeout, local=False))
            wire.receive()
        return wire

    def begin(self, *, snapshot: bool) -> tuple[str, ...]:
        """Return the statements that begin a transaction, one that only reads if `snapshot`.

        What a pooler lends is set up each time.
        """
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" if snapshot else "BEGIN"
        return (begin, _settings(self.busy_timeout, local=True)) if self.pooled else (begin,)


def _settings(busy_timeout: float, *, local: bool) -> str:
    """Return the statement that sets a session up, or one transaction.

    Commits wait for the disk even where the server's default is not to. Every statement finds its
    rows one by one in an index, and none scans a table or an index from end to end: such a plan,
    made while a table was small, would be kept when it has grown. As the log's one row is scanned
    all the same, at a forbidding cost, nothing is compiled for it.
    """
    millis = round(busy_timeout * 1000)
    scope = "true" if local else "false"
    values = {
        "lock_timeout": f"'{millis}'",
        "statement_timeout": f"'{millis}'",
        "idle_in_transaction_session_timeout": f"'{round(_IDLE_IN_TRANSACTION * 1000)}'",
        "enable_seqscan": "'off'",
        "enable_mergejoin": "'off'",
        "enable_hashjoin": "'off'",
        "jit": "'off'",
        "synchronous_commit": "CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') "
        "THEN 'on' ELSE current_setting('synchronous_commit') END",
    }
    calls = (f"set_config('{name}', {value}, {scope})" for name, value in values.items())
    return f"SELECT {', '.join(calls)}"
