import logging

import pytest

from service.runtime.context import RunContext
from tests.domain.test_transitions import HELD


def test_it_tells_what_the_action_works_for() -> None:
    context = RunContext(HELD, {"paid": True})
    assert context.state == {"paid": True}
    assert (context.instance_id, context.workflow, context.action) == ("i1", "order", "pay")
    assert context.attempt == 3


def test_its_log_carries_the_instance(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="workflow"):
        RunContext(HELD, None).log.info("paid %s", 5)
    [record] = caplog.records
    assert record.getMessage() == "paid 5"
    told = record.__dict__
    assert (told["instance"], told["workflow"], told["action"]) == ("i1", "order", "pay")
