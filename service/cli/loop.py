"""Which event loop servers run on."""

import asyncio

try:
    from uvloop import new_event_loop as new_event_loop
except ImportError:
    new_event_loop = asyncio.new_event_loop
