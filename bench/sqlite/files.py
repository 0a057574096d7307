"""Databases as files of one folder, and the URLs that name them."""

from pathlib import Path

_SQLITE = "sqlite:///"


def url_of(path: Path) -> str:
    """Return what the service calls the file."""
    return f"{_SQLITE}{path}"


def path_of(url: str) -> Path:
    """Return the file that a URL names."""
    return Path(url.removeprefix(_SQLITE))


def remove(path: Path) -> None:
    """Delete a database with the files that lie beside it."""
    for one in path.parent.glob(f"{path.name}*"):
        one.unlink()
