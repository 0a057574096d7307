"""What is said here of SQLite holds for no other database."""

import pytest


@pytest.fixture(scope="module")
def dialect() -> str:
    return "sqlite"
