import json
import logging
import sys
from collections.abc import Iterator

import pytest

from service.cli import logs


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(capture=False)


def test_a_record_is_an_object_with_what_it_carries(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("json", "info")
    where = {"instance": "i1", "workflow": "order", "action": "pay"}
    logging.getLogger("shop").info("paid %d", 5, extra=where)
    entry = json.loads(capsys.readouterr().err)
    assert entry.pop("time").endswith("+00:00")
    assert entry == {"level": "info", "logger": "shop", "message": "paid 5", **where}


def test_an_exception_stays_on_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("json", "info")
    try:
        int(1 / 0)
    except ZeroDivisionError:
        logging.getLogger("shop").exception("oh\nno", extra={"order": object})
    (line,) = capsys.readouterr().err.splitlines()
    entry = json.loads(line)
    assert "ZeroDivisionError" in entry["exception"]
    assert entry["message"] == "oh\nno"


def test_a_person_reads_lines(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("text", "info")
    logging.getLogger("shop").warning("careful", extra={"instance": "i1"})
    assert capsys.readouterr().err.endswith(" WARNING careful  [instance=i1]\n")


def test_text_is_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    assert not sys.stderr.isatty()
    logs.configure("auto", "info")
    logging.getLogger("shop").warning("careful")
    assert json.loads(capsys.readouterr().err)["message"] == "careful"


@pytest.mark.parametrize("library", logs.LIBRARIES)
def test_libraries_are_heard_but_not_their_chatter(
    capsys: pytest.CaptureFixture[str], library: str
) -> None:
    logs.configure("json", "info")
    logging.getLogger(f"{library}.inner").info("chatter")
    logging.getLogger(f"{library}.inner").error("trouble")
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["message"] == "trouble"
    logs.configure("json", "debug")
    logging.getLogger(f"{library}.inner").debug("chatter")
    assert "chatter" in capsys.readouterr().err


def test_less_severe_entries_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("json", "error")
    logging.getLogger("shop").warning("careful")
    assert capsys.readouterr().err == ""
