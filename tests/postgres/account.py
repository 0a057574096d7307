"""Whom a cluster of our own belongs to, since PostgreSQL refuses to run as root."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

UNPRIVILEGED = ("postgres", "nobody")
"""Users of the system that a cluster may run as when the tests run as root, best first."""


@dataclass(frozen=True)
class Account:
    """A user of the system; without a uid, the one that we are."""

    uid: int | None = None
    gid: int | None = None

    def run(self, *command: str | Path, within: float = 120) -> str:
        """Run a command as this user, and return what it wrote; fails with that if it failed."""
        done = subprocess.run(
            command,
            cwd="/",
            env=_environment(),
            user=self.uid,
            group=self.gid,
            extra_groups=None if self.uid is None else [],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=within,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))} failed: {done.stdout}")
        return done.stdout

    def reaches(self, path: Path) -> bool:
        """Tell whether this user may go into a folder, or run a file."""
        try:
            self.run("test", "-x", path)
        except RuntimeError:
            return False
        return True

    def take(self, path: Path) -> None:
        """Make a folder this user's own, and nobody else's."""
        path.chmod(0o700)
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)


def find_account() -> Account:
    """Return whom a cluster runs as: ourselves, or an unprivileged user if we are root."""
    if os.geteuid() != 0:
        return Account()
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise LookupError(
        f"PostgreSQL refuses to run as root, and this system has none of the users "
        f"{', '.join(UNPRIVILEGED)} to run it as: add one, or run the tests as another user."
    )


def _environment() -> dict[str, str]:
    """Return our environment without what PostgreSQL's programs would take for their options."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {**kept, "LC_ALL": "C"}
