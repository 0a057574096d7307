import dataclasses
from typing import Any

import pytest
from strawberry.types.base import StrawberryObjectDefinition

from service.domain import action, definition, events, instance, queue, retry
from service.graphql import catalog, connections, payloads, types
from service.operations import page, workflows

PROJECTIONS = [
    (types.WorkflowInstance, instance.Instance),
    (types.WorkflowFailure, instance.Failure),
    (types.WorkflowEvent, events.Event),
    (connections.PageInfo, page.Page),
    (connections.WorkflowInstanceConnection, page.Page),
    (connections.WorkflowInstanceEdge, page.Edge),
    (connections.WorkflowFailureConnection, page.Page),
    (connections.WorkflowFailureEdge, page.Edge),
    (connections.WorkflowEventConnection, page.Page),
    (connections.WorkflowEventEdge, page.Edge),
    (catalog.Workflow, definition.Definition),
    (catalog.WorkflowAction, action.Action),
    (catalog.RetryPolicy, retry.Retry),
    (catalog.Queue, queue.QueueView),
    (catalog.RateLimit, queue.Rate),
    (payloads.EnqueuePayload, workflows.Enqueued),
    (payloads.CancelPayload, workflows.Cancelled),
    (payloads.RetryPayload, workflows.Requeued),
]


def fields_of(projection: Any) -> StrawberryObjectDefinition:
    return projection.__strawberry_definition__


def attributes(source: Any) -> set[str]:
    properties = {name for name in dir(source) if isinstance(getattr(source, name), property)}
    return properties | {field.name for field in dataclasses.fields(source)}


@pytest.mark.parametrize(("projection", "source"), PROJECTIONS)
def test_every_field_is_an_attribute_or_has_a_resolver(projection: Any, source: Any) -> None:
    plain = {f.python_name for f in fields_of(projection).fields if f.base_resolver is None}
    assert plain - attributes(source) == set()


@pytest.mark.parametrize(("projection", "source"), PROJECTIONS)
def test_no_resolver_stands_where_the_attribute_would_do(projection: Any, source: Any) -> None:
    resolved = {f.python_name for f in fields_of(projection).fields if f.base_resolver is not None}
    assert resolved & attributes(source) - {"actions"} == set()


def test_what_is_the_authors_is_not_shown() -> None:
    shown = {f.python_name for f in fields_of(types.WorkflowInstance).fields}
    assert shown & {"state", "params", "action", "cancel_requested", "fence"} == set()
