"""Numbered migrations, applied in order and once, inside the caller's transaction."""

import re
from enum import Enum
from importlib import resources

from service.domain.errors import Unavailable
from service.store.database import Transaction

_NAME = re.compile(r"^(\d{4})_\w+\.sql$")


class Purpose(Enum):
    """What a database is opened for."""

    WORK = "to work on it"
    COPY_FROM = "to copy it elsewhere"
    COPY_INTO = "to copy another one into it"


def migrations(package: str) -> list[tuple[int, str]]:
    """Return the number and text of every migration of a dialect, in order."""
    folder = resources.files(package) / "migrations"
    found = ((_NAME.match(file.name), file) for file in folder.iterdir())
    return sorted(
        (int(match[1]), file.read_text(encoding="utf-8")) for match, file in found if match
    )


def migrate(tx: Transaction, package: str, purpose: Purpose = Purpose.WORK) -> list[int]:
    """Apply what is missing and return its numbers; refuse what can't be opened for the purpose.

    That is a database of a newer release, and one that holds half a copy unless the copy goes on.
    """
    known = migrations(package)
    if purpose is Purpose.COPY_INTO and tx.all("copy_strangers")[0][0]:
        raise Unavailable(
            "somebody else's tables are in it.",
            maybe_applied=False,
            advice="Give a database of its own.",
        )
    tx.all("create_migrations")
    applied = {row[0] for row in tx.all("list_migrations")}
    newest = known[-1][0]
    if applied and max(applied) > newest:
        raise Unavailable(
            f"The database is at migration {max(applied)} and this release knows {newest}: "
            "run a release at least as new as the one that migrated it.",
            maybe_applied=False,
        )
    if purpose is not Purpose.COPY_INTO and tx.all("copy_under_way")[0][0]:
        raise Unavailable(
            "a copy into it has not ended.",
            maybe_applied=False,
            advice="Run the same `workflow-service copy` again, until it has.",
        )
    missing = [(number, text) for number, text in known if number not in applied]
    if missing and purpose is Purpose.COPY_FROM:
        raise Unavailable(
            "it is of an older release." if applied else "no service has worked on it.",
            maybe_applied=False,
            advice="Bring it up to date with `workflow-service migrate`, or give another one.",
        )
    for number, text in missing:
        tx.script(text)
        tx.run("insert_migration", [(number, tx.now)])
    return [number for number, _ in missing]
