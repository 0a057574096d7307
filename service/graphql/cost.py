"""How many reads an operation may come to: a list inside a list is read once for each entry."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    Node,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
    get_named_type,
)

from service.domain.errors import LimitExceeded
from service.operations.page import DEFAULT_SIZE, MAX_SIZE

MAX_READS = 1_000

Fragments = Mapping[str, FragmentDefinitionNode]


@dataclass(frozen=True, slots=True)
class Paged:
    """A field that reads a page, how large it is, and those that are read for each of its entries.

    Where a `variable` says how large it is, `size` is what holds without it.
    """

    size: int
    variable: str | None
    inside: Sequence["Paged"]

    def largest(self, variables: Mapping[str, Any]) -> int:
        """Return how many entries it may have."""
        asked = variables.get(self.variable) if self.variable else None
        return min(max(asked if isinstance(asked, int) else self.size, 1), MAX_SIZE)


def paged_in(
    schema: GraphQLSchema, operation: OperationDefinitionNode, fragments: Fragments
) -> Sequence[Paged]:
    """Return the fields of the operation that read pages. It has to fit the schema."""
    reader = _Reader(operation, fragments)
    return tuple(reader.paged(schema.get_root_type(operation.operation), operation.selection_set))


def check_reads(paged: Sequence[Paged], variables: Mapping[str, Any]) -> None:
    """Raise LimitExceeded when the fields may read too often with these variables."""
    todo = [(each, 1) for each in paged if each.inside]
    reads = 0
    while todo:
        each, times = todo.pop()
        reads += times
        if reads > MAX_READS:
            raise LimitExceeded(
                f"The operation may read more than {MAX_READS:,} lists, those inside other lists "
                "once for each entry. Ask for smaller pages, or for the inner lists apart."
            )
        todo.extend((inner, times * each.largest(variables)) for inner in each.inside)


class _Reader:
    """Walks through one operation."""

    def __init__(self, operation: OperationDefinitionNode, fragments: Fragments) -> None:
        self._fragments = fragments
        self._defaults = {
            each.variable.name.value: _whole(each.default_value)
            for each in operation.variable_definitions or ()
        }

    def paged(self, parent: object, selections: SelectionSetNode | None) -> Iterator[Paged]:
        for node in selections.selections if selections is not None else ():
            if isinstance(node, FieldNode):
                yield from self._field(parent, node)
            elif isinstance(node, FragmentSpreadNode):
                yield from self.paged(parent, self._fragments[node.name.value].selection_set)
            elif isinstance(node, InlineFragmentNode):
                yield from self.paged(parent, node.selection_set)

    def _field(self, parent: object, node: FieldNode) -> Iterator[Paged]:
        if not isinstance(parent, GraphQLObjectType) or node.name.value not in parent.fields:
            return
        field = parent.fields[node.name.value]
        kind: object = cast("Any", get_named_type)(field.type)
        inside = tuple(self.paged(kind, node.selection_set))
        if "first" not in field.args:
            yield from inside
            return
        size, variable = DEFAULT_SIZE, None
        for argument in node.arguments or ():
            if argument.name.value in {"first", "last"}:
                value = argument.value
                variable = value.name.value if isinstance(value, VariableNode) else None
                size = self._defaults[variable] if variable else _whole(value)
        yield Paged(size, variable, inside)


def _whole(value: Node | None) -> int:
    return int(value.value) if isinstance(value, IntValueNode) else DEFAULT_SIZE
