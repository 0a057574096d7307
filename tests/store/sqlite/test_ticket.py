import threading

import pytest

from service.domain.errors import Unavailable
from service.store.ticket import Ticket


def test_what_has_begun_is_not_given_up() -> None:
    ticket = Ticket()
    ticket.begin()
    assert not ticket.abandon()


def test_what_was_given_up_does_not_begin() -> None:
    ticket = Ticket()
    assert ticket.abandon()
    with pytest.raises(Unavailable) as caught:
        ticket.begin()
    assert not caught.value.maybe_applied


def test_only_one_of_the_two_decides() -> None:
    for _ in range(200):
        ticket = Ticket()
        began: list[bool] = []

        def begin(ticket: Ticket = ticket, began: list[bool] = began) -> None:
            try:
                ticket.begin()
            except Unavailable:
                began.append(False)
            else:
                began.append(True)

        thread = threading.Thread(target=begin)
        thread.start()
        abandoned = ticket.abandon()
        thread.join()
        assert began == [not abandoned]
