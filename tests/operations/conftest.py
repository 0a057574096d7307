"""A process that knows an author's workflows, on a fresh database for each test."""

from collections.abc import AsyncGenerator

import pytest

from tests.operations.authors import registry
from tests.services import Place, Process, clock, place

__all__ = ["clock", "place"]


@pytest.fixture
async def process(place: Place) -> AsyncGenerator[Process]:
    async with place.process(registry()) as opened:
        yield opened
