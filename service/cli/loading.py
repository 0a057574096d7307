"""Finds the workflows that `module:attribute` names."""

import importlib
import os
import sys
import sysconfig
import traceback
from pathlib import Path
from types import ModuleType

from service.domain.errors import DefinitionError
from service.domain.registry import Workflows

DEFAULT = "workflows"


class LoadError(Exception):
    """The workflows can't be had; the message says why, and what to write."""


def load(target: str) -> Workflows:
    """Return the registry that the target names: `module:attribute`, or `module` for `workflows`.

    Modules of the working directory are found first. Raises LoadError or DefinitionError.
    """
    name, _, attribute = target.partition(":")
    if name.endswith(".py") or "/" in name or not name:
        raise LoadError(
            f"{target!r} names no module. Write it as Python imports it, such as app:workflows for "
            f"`workflows` in app.py, or shop.flows:workflows for shop/flows.py."
        )
    return _registry(_module(name), attribute or DEFAULT)


def _module(name: str) -> ModuleType:
    directory = str(Path.cwd())
    if directory not in sys.path:
        sys.path.insert(0, directory)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name + ".").startswith(error.name + "."):
            raise LoadError(_blame(name, error)) from error
        raise LoadError(
            f"There is no module {error.name!r} in {directory}, nor is one installed. "
            "Run this from the directory that holds it."
        ) from error
    except (Exception, SystemExit) as error:
        raise LoadError(_blame(name, error)) from error


def _registry(module: ModuleType, attribute: str) -> Workflows:
    found = getattr(module, attribute, None)
    if isinstance(found, Workflows):
        _ = found.definitions  # a workflow without an action is refused here, not at its first call
        return found
    there = [key for key, value in vars(module).items() if isinstance(value, Workflows)]
    advice = (
        f"It has {', '.join(there)}: write {module.__name__}:{there[0]}."
        if there
        else f"Write `{attribute} = Workflows()` in it, with `from service import Workflows`."
    )
    what = "is no Workflows()" if found is not None else "is not there"
    raise LoadError(f"{attribute!r} {what} in module {module.__name__!r}. {advice}")


def _blame(name: str, error: BaseException) -> str:
    """Return what was raised while the module was imported, and by which line of its author's."""
    if isinstance(error, SyntaxError):
        place = f"{error.filename}:{error.lineno}"
    else:
        ours = os.path.dirname(os.path.dirname(__file__)) + os.sep
        installed = (sysconfig.get_path("stdlib") + os.sep, sysconfig.get_path("purelib") + os.sep)
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if not frame.filename.startswith((ours, "<", *installed))
        ]
        place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else name
    kind = "" if isinstance(error, DefinitionError) else f"{type(error).__name__}: "
    return f"{place}: {kind}{error}"
