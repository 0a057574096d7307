"""What the resolvers of one execution may reach."""

from functools import cached_property
from typing import TypeVar

import strawberry
from strawberry.dataloader import DataLoader

from service.domain.errors import LimitExceeded
from service.domain.instance import Instance
from service.operations.events import Events
from service.operations.page import Page
from service.operations.queues import Queues
from service.operations.workflows import Workflows

MAX_ENTRIES = 20_000
"""Entries of lists that one execution may read, over all its lists."""

T = TypeVar("T")


class Context:
    """The operations, and what lives as long as one execution: its reads and its budget."""

    def __init__(self, workflows: Workflows, events: Events, queues: Queues) -> None:
        self.workflows = workflows
        self.events = events
        self.queues = queues
        self._entries = 0

    def fresh(self) -> "Context":
        """Return a context for another execution on the same operations."""
        return Context(self.workflows, self.events, self.queues)

    def beside(self) -> "Context":
        """Return a context that shares this one's reads and has a budget of its own."""
        context = self.fresh()
        context.instances = self.instances
        return context

    @cached_property
    def instances(self) -> DataLoader[str, Instance | None]:
        """Reads instances by id; those asked for together come in one read."""
        return DataLoader(load_fn=self.workflows.get_many)

    def spend(self, page: Page[T]) -> Page[T]:
        """Count what was read, and return it; raises LimitExceeded when it becomes too much."""
        self._entries += len(page.edges)
        if self._entries > MAX_ENTRIES:
            raise LimitExceeded(
                f"The operation reads more than {MAX_ENTRIES:,} entries of lists. "
                "Ask for smaller pages, or for the inner lists apart."
            )
        return page


Info = strawberry.Info[Context, None]
"""What Strawberry hands to a resolver."""
