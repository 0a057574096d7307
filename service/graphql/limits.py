"""How large a document may be, judged before it is validated, in time that grows with its text.

Fragments are counted wherever they are spread: a short document of fragments that spread each
other twice stands for a huge one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
)

from service.domain.errors import LimitExceeded

MAX_LENGTH = 100_000
"""Characters of a document; values belong into `variables`, which count nothing here."""

MAX_FIELDS = 1_000
MAX_REPEATS = 50
"""Fields with an alias, or that stand twice in one selection."""

MAX_SPREADS = 100
"""Spreads of fragments in a document's text, and its operations and fragments."""

_Definition = OperationDefinitionNode | FragmentDefinitionNode
_ENOUGH = MAX_FIELDS + 1


@dataclass(slots=True)
class _Size:
    """What a definition holds itself, and which fragments it spreads at what depth."""

    fields: int = 0
    repeats: int = 0
    depth: int = 0
    spreads: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    def add(self, other: "_Size", depth: int) -> None:
        """Count what another one holds, which is spread at the depth."""
        self.fields = min(self.fields + other.fields, _ENOUGH)
        self.repeats = min(self.repeats + other.repeats, _ENOUGH)
        self.depth = max(self.depth, depth + other.depth)


def check_length(text: str) -> None:
    """Raise LimitExceeded when the document's text is too long."""
    if len(text) > MAX_LENGTH:
        raise LimitExceeded(
            f"The document has {len(text):,} characters, above the limit of {MAX_LENGTH:,}. "
            "Pass values as `variables`."
        )


def check_size(document: DocumentNode, depth_limit: int) -> None:
    """Raise LimitExceeded when one of the document's definitions stands for too much."""
    fragments: dict[str, _Size] = {}
    sizes: list[_Size] = []
    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode | FragmentDefinitionNode):
            sizes.append(_measure(definition))
            if isinstance(definition, FragmentDefinitionNode):
                fragments[definition.name.value] = sizes[-1]
    _check("definitions", len(sizes), MAX_SPREADS)
    _check("spreads of fragments", sum(len(size.spreads) for size in sizes), MAX_SPREADS)
    for name in _inner_first(fragments):
        _expand(fragments[name], fragments)
    for size in sizes:
        _expand(size, fragments)
        _check("fields", size.fields, MAX_FIELDS)
        _check("aliases or repeated fields", size.repeats, MAX_REPEATS)
        _check("levels of fields", size.depth, depth_limit)


def _check(what: str, found: int, limit: int) -> None:
    if found > limit:
        raise LimitExceeded(
            f"The document has more than {limit:,} {what}, fragments counted wherever they are "
            "spread. Ask for less at a time."
        )


def _measure(definition: _Definition) -> _Size:
    size = _Size()
    todo: list[tuple[SelectionSetNode, int]] = [(definition.selection_set, 1)]
    while todo:
        selections, depth = todo.pop()
        seen: set[str] = set()
        for node in selections.selections:
            if isinstance(node, FragmentSpreadNode):
                size.spreads.append((node.name.value, depth - 1))
            elif isinstance(node, FieldNode):
                size.fields += 1
                size.repeats += node.alias is not None or node.name.value in seen
                seen.add(node.name.value)
                size.depth = max(size.depth, depth)
                todo.extend(_below(node.selection_set, depth + 1))
            elif isinstance(node, InlineFragmentNode):
                todo.append((node.selection_set, depth))
    return size


def _below(
    selections: SelectionSetNode | None, depth: int
) -> Iterable[tuple[SelectionSetNode, int]]:
    return () if selections is None else ((selections, depth),)


def _expand(size: _Size, fragments: dict[str, _Size]) -> None:
    for name, depth in size.spreads:
        if (fragment := fragments.get(name)) is not None:
            size.add(fragment, depth)
    size.spreads = []


def _inner_first(fragments: dict[str, _Size]) -> Sequence[str]:
    """Return the fragments, each after those that it spreads; a cycle is cut where it closes."""
    order: list[str] = []
    seen: set[str] = set()
    for root in fragments:
        path: list[tuple[str, Iterator[tuple[str, int]]]] = []
        todo = iter([(root, 0)])
        while True:
            name = next((name for name, _ in todo if name in fragments and name not in seen), None)
            if name is not None:
                seen.add(name)
                path.append((name, todo))
                todo = iter(fragments[name].spreads)
            elif path:
                name, todo = path.pop()
                order.append(name)
            else:
                break
    return order
