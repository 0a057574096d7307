"""The schema: one for the program's life, whatever is registered."""

from collections.abc import Callable, Iterable
from typing import Any

import strawberry
from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLSchema,
    Undefined,
)
from strawberry.schema.config import StrawberryConfig

from service.graphql.mutations import Mutation
from service.graphql.queries import Query
from service.graphql.scalars import SCALARS
from service.graphql.subscriptions import Subscription


def _inputs(core: GraphQLSchema) -> Iterable[GraphQLArgument | GraphQLInputField]:
    for kind in core.type_map.values():
        if isinstance(kind, GraphQLInputObjectType):
            yield from kind.fields.values()
        elif isinstance(kind, GraphQLObjectType) and not kind.name.startswith("__"):
            for field in kind.fields.values():
                yield from field.args.values()


def _nullable_json(core: GraphQLSchema) -> Iterable[GraphQLField]:
    for kind in core.type_map.values():
        if isinstance(kind, GraphQLObjectType):
            yield from (f for f in kind.fields.values() if f.type is core.type_map["JSON"])


def _without_null(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """Have the field resolve to nothing where its JSON text is `null`: no scalar's value may be."""

    def text(*args: Any, **more: Any) -> object:
        found = resolve(*args, **more)
        return None if found == "null" else found

    return text


def _build() -> tuple[strawberry.Schema, GraphQLSchema]:
    schema = strawberry.Schema(
        Query, Mutation, Subscription, config=StrawberryConfig(scalar_map=SCALARS)
    )
    core: GraphQLSchema = vars(schema)["_schema"]
    for each in _inputs(core):
        if each.default_value is None:
            each.default_value = Undefined  # a null by default says no more than nothing
    for each in _nullable_json(core):
        if each.resolve is not None:
            each.resolve = _without_null(each.resolve)
    return schema, core


schema, core = _build()
"""What may be asked, done and followed: as it is printed, and as it is executed."""


def sdl() -> str:
    """Return the schema as text, as `schema.graphql` has it."""
    return schema.as_str() + "\n"
