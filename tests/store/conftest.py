"""A fresh database for each test of the store."""

from tests.services import blank, clock, elsewhere, other, place, process, url

__all__ = ["blank", "clock", "elsewhere", "other", "place", "process", "url"]
