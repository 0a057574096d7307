"""How long a long test is (short in every run, long in `make soak`), and its seed."""

import os
import random
from typing import TypeVar

T = TypeVar("T")

SOAK = os.environ.get("WORKFLOW_TEST_SOAK") == "1"


def scaled(short: T, long: T) -> T:
    """Return `short`, or `long` where WORKFLOW_TEST_SOAK=1 asks for the long form."""
    return long if SOAK else short


def _seed() -> int:
    if given := os.environ.get("WORKFLOW_TEST_SEED"):
        return int(given)
    # Every process of one run must name its tests alike.
    return random.Random(os.environ.get("PYTEST_XDIST_TESTRUNUID")).randrange(1 << 32)


SEED = _seed()
"""What tests that break things at random are parametrised with, so that their names tell it.

WORKFLOW_TEST_SEED chooses it, to do once more what a test did.
"""
