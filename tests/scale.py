"""How long a long test is: short in every run, long in `make soak`."""

import os
from typing import TypeVar

T = TypeVar("T")

SOAK = os.environ.get("WORKFLOW_TEST_SOAK") == "1"


def scaled(short: T, long: T) -> T:
    """Return `short`, or `long` where WORKFLOW_TEST_SOAK=1 asks for the long form."""
    return long if SOAK else short
