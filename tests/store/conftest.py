"""A fresh database for each test of the store."""

from tests.services import clock, elsewhere, other, place, process, url

__all__ = ["clock", "elsewhere", "other", "place", "process", "url"]
