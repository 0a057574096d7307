import pytest

from service.cli.grace import Grace


@pytest.mark.parametrize("seconds", [1, 2, 10, 600])
def test_everything_fits_into_the_grace(seconds: float) -> None:
    grace = Grace(seconds)
    assert 0 <= grace.to_run < grace.to_end
    assert grace.to_end + grace.last_words <= max(0.9 * seconds, seconds - 0.4)


def test_most_of_it_goes_to_running_work() -> None:
    assert Grace(10).to_run >= 8.8


def test_without_any_there_is_time_to_give_back_what_runs() -> None:
    grace = Grace(0)
    assert (grace.to_run, grace.to_end) == (0, 0.5)
