from collections.abc import Iterator

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLNamedType,
    GraphQLObjectType,
    is_specified_directive,
    is_specified_scalar_type,
)

from service.domain.events import EventType
from service.domain.instance import Status
from service.graphql.schema import core


def kinds() -> Iterator[tuple[str, GraphQLNamedType]]:
    for name, kind in core.type_map.items():
        if not name.startswith("__") and not is_specified_scalar_type(kind):
            yield name, kind


def members(kind: GraphQLNamedType) -> Iterator[tuple[str, str | None]]:
    if isinstance(kind, GraphQLEnumType):
        yield from ((name, value.description) for name, value in kind.values.items())
    if isinstance(kind, GraphQLInputObjectType):
        yield from ((name, field.description) for name, field in kind.fields.items())
    if isinstance(kind, GraphQLObjectType):
        for name, field in kind.fields.items():
            yield name, field.description
            for argument, told in field.args.items():
                yield f"{name}({argument}:)", told.description


def described() -> Iterator[tuple[str, str | None]]:
    for name, kind in kinds():
        yield name, kind.description
        yield from ((f"{name}.{member}", text) for member, text in members(kind))


def test_everything_is_described() -> None:
    everything = dict(described())
    assert len(everything) > 100
    assert [name for name, text in everything.items() if not (text and text.strip())] == []


def test_there_are_only_the_directives_of_graphql_itself() -> None:
    assert [each.name for each in core.directives if not is_specified_directive(each)] == []


def test_ids_are_spelled_with_capitals() -> None:
    spelled = [name for name, _ in described() if "Id" in name.partition(".")[2]]
    assert spelled == []


@pytest.mark.parametrize(
    ("kind", "values"), [("WorkflowStatus", Status), ("WorkflowEventType", EventType)]
)
def test_enums_have_every_value(kind: str, values: type[Status | EventType]) -> None:
    enum = core.type_map[kind]
    assert isinstance(enum, GraphQLEnumType)
    assert list(enum.values) == [value.name for value in values]


def test_a_null_default_is_no_default() -> None:
    fields = core.type_map["EnqueueInput"]
    assert isinstance(fields, GraphQLInputObjectType)
    lines = {name: field.default_value for name, field in fields.fields.items()}
    assert [name for name, value in lines.items() if value is None] == []
