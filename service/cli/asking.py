"""What the verbs that ask a running service have in common."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from typing import Any

import click

from service.cli.status import REFUSED, UNREACHABLE, fail, reported
from service.client import Client, ClientError, ConnectionFailed, UnexpectedAnswer
from service.settings import ClientSettings

Talk = Callable[[Client], Awaitable[None]]

FIRST_TRY = timedelta(seconds=2)
"""How long a service that was never reached is tried for: whoever types wants to know."""
FOLLOWING = timedelta(minutes=10)
"""How long a service that was reached may be away while it is followed."""


@dataclass(frozen=True, slots=True)
class Service:
    """The service that a command asks, and whether its answers are printed as JSON."""

    settings: ClientSettings
    json: bool

    def ask(self, talk: Talk, *, follow: bool = False) -> None:
        """Run the talk with a client, and end with the exit status that it comes to.

        To `follow` is to wait for a service that was there and went away.
        """
        asyncio.run(self._ask(talk, follow=follow))

    async def _ask(self, talk: Talk, *, follow: bool) -> None:
        async with self._client(FIRST_TRY) as client:
            if not follow:
                return await talk(client)
            await client.ping()
        async with self._client(FOLLOWING) as client:
            return await talk(client)

    def _client(self, patience: timedelta) -> Client:
        token = self.settings.token
        return Client(
            self.settings.url, token.get_secret_value() if token else None, patience=patience
        )


def service_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add --url, --token and --json, and hand them to the command as its `service`."""

    @click.option("--url", help="The service's GraphQL address.  [env: WORKFLOW_URL]")
    @click.option("--token", help="Says who asks.  [env: WORKFLOW_TOKEN]")
    @click.option("--json", is_flag=True, help="Print JSON, one object a line.")
    @wraps(command)
    def with_service(url: str | None, token: str | None, *, json: bool, **rest: Any) -> None:
        with reported(), _client_reported():
            settings = ClientSettings.read(url=url, token=token)
            command(Service(settings, json), **rest)

    return with_service


@contextmanager
def _client_reported() -> Generator[None]:
    try:
        yield
    except (ConnectionFailed, UnexpectedAnswer) as error:
        fail(str(error), UNREACHABLE)
    except ClientError as error:
        fail(str(error), REFUSED)
