"""The probes."""

from typing import Any

import pytest

from service.domain.errors import Unavailable
from service.runtime.health import Report
from tests.scenarios.raw import busy
from tests.web.conftest import Serve


def test_an_open_service_is_live_and_ready(serve: Serve) -> None:
    server = serve()
    live, ready = server.http.get("/health"), server.http.get("/ready")
    assert (live.status_code, live.json()) == (200, {"ok": True})
    assert (ready.status_code, ready.json()) == (200, {"ok": True, "database": "ok"})
    assert live.headers["cache-control"] == "no-store"


def test_one_that_stops_is_live_and_not_ready(serve: Serve) -> None:
    server = serve()
    server.service.health.stopping = True
    assert server.http.get("/health").status_code == 200
    ready = server.http.get("/ready")
    assert (ready.status_code, ready.json()) == (503, {"ok": False, "stopping": True})


def test_a_database_that_is_gone_is_told(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve()

    async def gone(*_: Any) -> None:
        raise Unavailable("The database did not answer.", maybe_applied=False)

    monkeypatch.setattr(type(server.service.store), "ready", gone)
    ready = server.http.get("/ready")
    assert ready.status_code == 503
    assert "did not answer" in ready.json()["database"]


def test_a_blocked_loop_is_told_by_name(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve()
    details = {"blocked": [{"by": "order 0190", "seconds": 12.5}]}
    health = type(server.service.health)
    monkeypatch.setattr(health, "live", lambda _: Report(ok=False, details=details))
    live = server.http.get("/health")
    assert (live.status_code, live.json()) == (503, {"ok": False, **details})


def test_a_writer_elsewhere_does_not_make_it_unready(serve: Serve, url: str) -> None:
    server = serve()
    with busy(url):
        assert server.http.get("/ready").status_code == 200
