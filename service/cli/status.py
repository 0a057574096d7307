"""What the exit status says, and how a command ends that can't go on.

* 0    done; for a server, stopped in order
* 1    refused, failed, or the server could not start or go on
* 2    the command line, or a setting, makes no sense
* 3    the service can't be reached
* 130  ended by Ctrl-C; for a server, by its second SIGINT
* 143  a server was ended by its second SIGTERM
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import NoReturn

import click

from service.cli.loading import LoadError
from service.domain.errors import DefinitionError, WorkflowError
from service.settings import SettingsError

DONE = 0
REFUSED = 1
USAGE = 2
UNREACHABLE = 3
INTERRUPTED = 130

KNOWN = (
    DefinitionError,
    LoadError,
    OSError,
    SettingsError,
    TimeoutError,
    WorkflowError,
)
"""What is raised on purpose, with a message for whoever typed the command."""


def say(message: str) -> None:
    """Say on stderr what went wrong."""
    click.secho(f"error: {message}", fg="red", err=True)


def fail(message: str, status: int) -> NoReturn:
    """Say on stderr what went wrong, and end with the status."""
    say(message)
    raise SystemExit(status)


def explain(error: BaseException) -> str | None:
    """Return what to tell of an error that was raised on purpose; None for any other."""
    return str(error) if isinstance(error, KNOWN) else None


@contextmanager
def reported() -> Generator[None]:
    """Turn what is refused inside into a line on stderr and an exit status."""
    try:
        yield
    except BrokenPipeError:
        raise  # whoever read the output has seen enough: click ends quietly
    except SettingsError as error:
        fail(str(error), USAGE)
    except KNOWN as error:
        fail(str(error), REFUSED)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
