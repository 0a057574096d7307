"""Where log records go: one JSON object a line, or a line that a person reads."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Literal

LIBRARIES = ("httpcore", "httpx", "uvicorn", "websockets")
"""Loggers that tell of their own workings at `info`; here that is `debug`."""

_STANDARD = {
    *vars(logging.LogRecord("", 0, "", 0, "", None, None)),
    "asctime",
    "color_message",
    "message",
    "taskName",
    "websocket",
}


def configure(form: Literal["auto", "json", "text"], level: str) -> None:
    """Send every record of this level and above to stderr, those of libraries included."""
    if form == "auto":
        form = "text" if sys.stderr.isatty() else "json"
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in LIBRARIES:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(_quieter(root.level))
    logging.captureWarnings(capture=True)


def extras(record: logging.LogRecord) -> dict[str, Any]:
    """Return what the record carries besides its message, such as the instance's id."""
    return {key: value for key, value in vars(record).items() if key not in _STANDARD}


class JsonLines(logging.Formatter):
    """A record as one JSON object: time, level, logger, message, its extras, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        entry: dict[str, Any] = {
            "time": _moment(record).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **extras(record),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str)


class Lines(logging.Formatter):
    """A record as a line of text, with its exception on further ones."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        facts = " ".join(f"{key}={value}" for key, value in extras(record).items())
        line = f"{_moment(record):%H:%M:%S} {record.levelname:<7} {record.getMessage()}"
        if facts:
            line += f"  [{facts}]"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line


def _moment(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _quieter(level: int) -> int:
    return level if level <= logging.DEBUG else max(level, logging.WARNING)
