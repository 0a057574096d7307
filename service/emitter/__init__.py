"""One ring of the latest events in this process, and who waits on it.

Nobody publishes: committed batches are fed in, in the log's order. A reader owns a cursor and
nothing else. It reads from the ring while its cursor is inside, from the log when it has fallen
behind, and parks when it has seen everything.
"""

from service.emitter.channel import Channel
from service.emitter.emitter import Closed, Emitter

__all__ = ["Channel", "Closed", "Emitter"]
