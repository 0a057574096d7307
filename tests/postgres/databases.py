"""A database of its own for every test, on the server that all tests share.

A test gets one as `prepare` made it, which was called once, by a name that was never used. When it
is given back, everybody is put out of it, and it is made pristine for a later test under another
name; if it can't be, it is dropped, and one more copied from the prepared one. All that happens
while tests run, so that none waits for more than what is left of it.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

from tests.postgres.addresses import database_of, with_database
from tests.postgres.aside import Aside
from tests.postgres.maker import Maker
from tests.postgres.pristine import Pristine

EMPTY = "template0"
"""The database of every server that has nothing in it."""


class Databases:
    """Hands out databases of the server at a URL, and takes them back."""

    def __init__(self, url: str, prepare: Callable[[str], None] | None = None) -> None:
        self.url = url
        self._prepare = prepare
        self._template: str | None = None
        self._pristine: Pristine | None = None
        self._lent: set[str] = set()
        self._blank: set[str] = set()
        self._coming: list[Future[str]] = []
        self._drops: list[Future[None]] = []
        self._aside = Aside("databases")
        try:
            self._maker = self._aside.run(Maker.connect(url))
        except BaseException:
            self._aside.end()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def fresh(self) -> str:
        """Return the URL of a database as `prepare` made it, which nobody else has."""
        template = self._template or self._prepared()
        while len(self._coming) < 2:  # this one, and the next one ahead
            self._coming.append(self._aside.start(self._maker.create(template)))
        ready = next((coming for coming in self._coming if coming.done()), self._coming[0])
        self._coming.remove(ready)
        return self._lend(ready.result())

    def blank(self) -> str:
        """Return the URL of a database with nothing in it, which nobody else has."""
        name = self._aside.run(self._maker.create(EMPTY))
        self._blank.add(name)
        return self._lend(name)

    def release(self, url: str) -> None:
        """Give a database back, whoever is still in it."""
        name = database_of(url)
        self._lent.remove(name)
        if name in self._blank or self._template is None:
            self._drops.append(self._aside.start(self._maker.drop(name)))
        else:
            self._coming.append(self._aside.start(self._renewed(name, self._template)))

    def end(self) -> None:
        """Drop every database that was made, and let go of the server."""
        try:
            names = self._lent | {coming.result() for coming in self._coming}
            if self._template is not None:
                names.add(self._template)
            for name in names:
                self._aside.run(self._maker.drop(name))
            for drop in self._drops:
                drop.result()
        finally:
            self._aside.run(self._maker.close())
            self._aside.end()

    def _lend(self, name: str) -> str:
        self._lent.add(name)
        return with_database(self.url, name)

    def _prepared(self) -> str:
        """Return the name of a new database that `prepare` was called with, in a thread apart."""
        url = self.blank()
        if self._prepare is not None:
            with ThreadPoolExecutor(1) as apart:
                apart.submit(self._prepare, url).result()
        if self._maker.may_all:
            self._pristine = self._aside.run(Pristine.of(url))
        self._template = database_of(url)
        self._lent.remove(self._template)
        return self._template

    async def _renewed(self, name: str, template: str) -> str:
        """Return the name of a pristine database: of this one, or of another if it can't be."""
        if self._pristine is not None:
            name = await self._maker.rename(name)
            if await self._pristine.restore(with_database(self.url, name)):
                return name
        await self._maker.drop(name)
        return await self._maker.create(template)
