"""How large things may be, the same on every database."""

from datetime import timedelta

NAME_LENGTH = 200
"""Characters of a name or key."""

SAFE_INTEGER = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""

DEPTH = 64
"""Lists and objects inside one another in a payload."""

FAULTS = 100
"""Faults told of one value."""

LARGEST_COUNT = 2**31 - 1
SMALLEST_PRIORITY = -(2**31)
LARGEST_PRIORITY = 2**31 - 1

LONGEST_SPAN = timedelta(days=36_525)
"""Delays, timeouts and periods: a hundred years, so that every due time is a date."""
