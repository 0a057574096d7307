"""A PostgreSQL cluster of a test's own, to be stopped, frozen and brought back as the test likes.

    async def test_an_outage(cluster: Cluster) -> None:
        url = cluster.url()
        cluster.stop("immediate")      # as a crash; "fast" as an operator does
        cluster.start()                # on the same port
        cluster.freeze()               # links stay open, and nothing answers
        cluster.thaw()
        cluster.read_only(True)        # as after a failover

Every call blocks until it is done; from a test whose event loop must go on meanwhile, call it by
`asyncio.to_thread`.
"""

import asyncio
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import asyncpg

from tests.postgres.addresses import LOCALHOST, lasting_port
from tests.postgres.aside import Aside
from tests.postgres.binaries import Binaries
from tests.postgres.postmaster import Postmaster

Mode = Literal["fast", "immediate"]

_READ_ONLY = "default_transaction_read_only"
_SIGNALS = {"fast": signal.SIGINT, "immediate": signal.SIGQUIT}


class Cluster:
    """The cluster in a folder that its account can write to."""

    def __init__(self, binaries: Binaries, folder: Path) -> None:
        self.binaries = binaries
        self.folder = folder
        self._data = folder / "data"
        self._log = folder / "log"
        self._port = folder / "port"
        self._postmaster = Postmaster(self._data)

    @property
    def log(self) -> str:
        """Return what it logged so far."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    @property
    def running(self) -> bool:
        """Tell whether it was started and has not ended; a frozen one runs."""
        return self._postmaster.pid is not None

    @property
    def port(self) -> int:
        """Return the port that it listens on whenever it runs."""
        return int(self._port.read_text())

    def url(self, database: str = "postgres") -> str:
        """Return the URL of one of its databases."""
        return f"postgresql://postgres@{LOCALHOST}:{self.port}/{database}"

    def make(self, template: Path | None = None, settings: Mapping[str, str] | None = None) -> None:
        """Make its files: anew, or as a copy of those of a cluster that was never started."""
        if template is None:
            self.binaries.initdb(self._data)
        else:
            self.binaries.account.run("cp", "-Rp", template, self._data)
        self._port.write_text(f"{lasting_port()}")
        chosen = {
            "listen_addresses": LOCALHOST,
            "port": f"{self.port}",
            "unix_socket_directories": "",
            **(settings or {}),
        }
        with (self._data / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in chosen.items())

    def follow(self, primary: "Cluster") -> None:
        """Make its files: a copy of a primary's, which it follows until `promote`."""
        self.binaries.run(
            "pg_basebackup", "-d", primary.url(), "-D", self._data, "-R", "-c", "fast", "--no-sync"
        )
        self._port.write_text(f"{lasting_port()}")
        with (self._data / "postgresql.conf").open("a") as file:
            file.write(f"port = '{self.port}'\n")

    def promote(self) -> None:
        """Follow nobody any more, and take writes."""
        self.binaries.run("pg_ctl", "promote", "-w", "-D", self._data)

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        try:
            self.binaries.run(
                "pg_ctl", "start", "-w", "-t", "60", "-D", self._data, "-l", self._log
            )
        except RuntimeError as failed:
            raise RuntimeError(f"{failed}\n{self.log}") from None

    def stop(self, mode: Mode = "fast") -> None:
        """Stop it, and wait for its end: "fast" as an operator does, "immediate" as a crash."""
        self._postmaster.stop(_SIGNALS[mode])

    def restart(self, mode: Mode = "fast") -> None:
        """Stop it, and start it again on the same port."""
        self.stop(mode)
        self.start()

    def read_only(self, on: bool) -> None:
        """Refuse every write from now on, or take them again."""
        with Aside("cluster") as aside:
            aside.run(self._refuse_writes("on" if on else "off"))

    def freeze(self) -> None:
        """Let none of its processes go on; its links stay open."""
        self._postmaster.freeze()

    def thaw(self) -> None:
        """Let all its processes go on."""
        self._postmaster.thaw()

    def end(self) -> None:
        """Stop it in whatever state it is, and remove its files."""
        end_in(self.folder)

    async def _refuse_writes(self, value: str) -> None:
        await self._ask(f"ALTER SYSTEM SET {_READ_ONLY} = '{value}'")
        await self._ask("SELECT pg_reload_conf()")
        while await self._ask(f"SHOW {_READ_ONLY}") != value:
            await asyncio.sleep(0.005)

    async def _ask(self, query: str) -> object:
        connection = await asyncpg.connect(self.url())
        try:
            return await connection.fetchval(query)
        finally:
            await connection.close()


def end_in(folder: Path) -> None:
    """Stop the cluster that may be in a folder, and remove the folder."""
    Postmaster(folder / "data").stop(signal.SIGQUIT)
    shutil.rmtree(folder)
