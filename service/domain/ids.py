"""Time-ordered ids (UUID version 7, RFC 9562): rows made together lie together in every index."""

import random
from collections.abc import Callable

from service.domain.clock import Clock

IdSource = Callable[[], str]

_COUNTER_BITS = 42
_COUNTER_MASK = (1 << _COUNTER_BITS) - 1
_VARIANT = 0b10 << 62
_VERSION = 7 << 76


def time_ordered(clock: Clock) -> IdSource:
    """Return a source of ids that grow, also within one millisecond and when the clock is set back.

    Of the 74 bits below the milliseconds 42 count up from a random start and 32 are random.
    """
    chance = random.Random().getrandbits  # noqa: S311 - an id is no secret
    last = 0
    counter = 0

    def new_id() -> str:
        nonlocal last, counter
        now = clock.now() // 1000
        if now > last:
            last, counter = now, chance(_COUNTER_BITS - 1)
        else:
            counter += 1
            if counter > _COUNTER_MASK:
                last, counter = last + 1, 0
        high, low = counter >> 30, counter & 0x3FFFFFFF
        number = (last << 80) | _VERSION | (high << 64) | _VARIANT | (low << 32) | chance(32)
        text = f"{number:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    return new_id
