from datetime import timedelta

import pytest

from service.domain.outcome import End, Next


def test_outcomes_are_values() -> None:
    assert Next("ship", 1, timedelta(hours=1)) == Next("ship", 1, timedelta(hours=1))
    assert End(5).result == 5
    assert Next("ship", 1).after is None


@pytest.mark.parametrize("after", [timedelta(microseconds=-1), timedelta.max])
def test_a_delay_that_makes_no_sense_is_refused(after: timedelta) -> None:
    with pytest.raises(ValueError, match="give a timedelta from zero"):
        Next("ship", 1, after)
