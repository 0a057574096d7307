"""Numbered migrations, applied in order and once, inside the caller's transaction."""

import re
from importlib import resources

from service.domain.errors import Unavailable
from service.store.database import Transaction

_NAME = re.compile(r"^(\d{4})_\w+\.sql$")


def migrations(package: str) -> list[tuple[int, str]]:
    """Return the number and text of every migration of a dialect, in order."""
    folder = resources.files(package) / "migrations"
    found = ((_NAME.match(file.name), file) for file in folder.iterdir())
    return sorted(
        (int(match[1]), file.read_text(encoding="utf-8")) for match, file in found if match
    )


def migrate(tx: Transaction, package: str) -> list[int]:
    """Apply what is missing and return its numbers; refuse a database of a newer release."""
    known = migrations(package)
    tx.all("create_migrations")
    applied = {row[0] for row in tx.all("list_migrations")}
    newest = known[-1][0]
    if applied and max(applied) > newest:
        raise Unavailable(
            f"The database is at migration {max(applied)} and this release knows {newest}: "
            "run a release at least as new as the one that migrated it.",
            maybe_applied=False,
        )
    missing = [(number, text) for number, text in known if number not in applied]
    for number, text in missing:
        tx.script(text)
        tx.run("insert_migration", [(number, tx.now)])
    return [number for number, _ in missing]
