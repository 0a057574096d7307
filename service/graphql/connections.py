"""Lists by page, as Relay has them: edges with cursors, and what lies around the page.

They project `operations.page`. Cursors are keys, not counts: rows that are inserted meanwhile move
nothing.
"""

from typing import Any

import strawberry
from strawberry import Parent

from service.graphql.types import WorkflowEvent, WorkflowFailure, WorkflowInstance
from service.operations.page import Page


def _start(root: Parent[Page[Any]]) -> str | None:
    return root.edges[0].cursor if root.edges else None


def _end(root: Parent[Page[Any]]) -> str | None:
    return root.edges[-1].cursor if root.edges else None


def _has_next(root: Parent[Page[Any]]) -> bool:
    return root.has_next


def _has_previous(root: Parent[Page[Any]]) -> bool:
    return root.has_previous


@strawberry.type(description="What lies around a page.")
class PageInfo:
    """Projects `Page`."""

    has_next_page: bool = strawberry.field(
        resolver=_has_next, description="Whether there is more after the page."
    )
    has_previous_page: bool = strawberry.field(
        resolver=_has_previous, description="Whether there is more before the page."
    )
    start_cursor: str | None = strawberry.field(
        resolver=_start, description="The cursor of the first edge; null when the page is empty."
    )
    end_cursor: str | None = strawberry.field(
        resolver=_end, description="The cursor of the last edge; null when the page is empty."
    )


_ENTRIES = "The page's entries."


@strawberry.type(description="An instance in a list.")
class WorkflowInstanceEdge:
    """Projects `Edge`."""

    cursor: str = strawberry.field(description="Its place in this list.")
    node: WorkflowInstance = strawberry.field(description="The instance.")


@strawberry.type(description="A page of instances.")
class WorkflowInstanceConnection:
    """Projects `Page`."""

    edges: list[WorkflowInstanceEdge] = strawberry.field(description=_ENTRIES)
    cursor: str = strawberry.field(
        description=(
            "The log's head when the page was read: `workflowEvents(after:)` it gives what came "
            "since."
        )
    )

    @strawberry.field(graphql_type=PageInfo, description="What lies around the page.")
    @staticmethod
    def page_info(root: Parent[Page[Any]]) -> Page[Any]:
        """Return the page itself."""
        return root


@strawberry.type(description="A failed attempt in a list.")
class WorkflowFailureEdge:
    """Projects `Edge`."""

    cursor: str = strawberry.field(description="Its place in this list.")
    node: WorkflowFailure = strawberry.field(description="The failed attempt.")


@strawberry.type(description="A page of failed attempts.")
class WorkflowFailureConnection:
    """Projects `Page`."""

    edges: list[WorkflowFailureEdge] = strawberry.field(description=_ENTRIES)

    @strawberry.field(graphql_type=PageInfo, description="What lies around the page.")
    @staticmethod
    def page_info(root: Parent[Page[Any]]) -> Page[Any]:
        """Return the page itself."""
        return root


@strawberry.type(description="An event in a list.")
class WorkflowEventEdge:
    """Projects `Edge`."""

    cursor: str = strawberry.field(description="Its place in the log.")
    node: WorkflowEvent = strawberry.field(description="The event.")


@strawberry.type(description="A page of events.")
class WorkflowEventConnection:
    """Projects `Page`."""

    edges: list[WorkflowEventEdge] = strawberry.field(description=_ENTRIES)

    @strawberry.field(graphql_type=PageInfo, description="What lies around the page.")
    @staticmethod
    def page_info(root: Parent[Page[Any]]) -> Page[Any]:
        """Return the page itself."""
        return root
