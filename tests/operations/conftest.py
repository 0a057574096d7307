"""A fresh database for each test of the operations that need one."""

from tests.services import clock, other, place, process

__all__ = ["clock", "other", "place", "process"]
