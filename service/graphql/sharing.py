"""What one asks, others ask too: an event is executed and encoded once for all of them.

Two subscriptions are one question when document and operation are the same, and the variables that
can show in an answer. Those that only choose the events, such as a filter or a cursor, cannot.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    Node,
    OperationDefinitionNode,
    VariableNode,
    Visitor,
    visit,
)

from service.graphql.documents import Document, Operation
from service.graphql.encoding import encode

KEPT = 8 << 20
"""Characters of answers that are kept, over all questions; the oldest make room."""

Answer = str | asyncio.Future[str]
"""Ready, or being made."""

Key = tuple[Document, str, bytes]


class Shared:
    """The latest answers to one question, by the event's position."""

    def __init__(self, sharing: "Sharing", number: int) -> None:
        self._number = number
        self._readers = 0
        self._sharing = sharing
        self._pending: dict[int, asyncio.Future[str]] = {}

    @contextmanager
    def reading(self) -> Generator[None]:
        """Count as a reader for as long as the block lasts."""
        self._readers += 1
        try:
            yield
        finally:
            self._readers -= 1

    def get(self, position: int) -> Answer | None:
        """Return the answer for the event there, if it is known or being made."""
        return self._sharing.kept.get((self._number, position)) or self._pending.get(position)

    def put(self, position: int, answer: Answer) -> None:
        """Keep the answer, if anyone else may want it; one in the making until it is ready.

        What took a look at the database is not kept longer: a later reader may find it changed.
        """
        if self._readers < 2:
            return
        if isinstance(answer, str):
            self._sharing.keep((self._number, position), answer)
            return
        self._pending[position] = answer
        answer.add_done_callback(lambda _: self._pending.pop(position, None))


class Sharing:
    """The questions that are being asked, and the answers kept for all of them."""

    def __init__(self) -> None:
        self.kept: OrderedDict[tuple[int, int], str] = OrderedDict()
        self._size = 0
        self._numbers = count()
        self._questions: WeakValueDictionary[Key, Shared] = WeakValueDictionary()

    def of(self, key: Key) -> Shared:
        """Return the question's answers."""
        return self._questions.setdefault(key, Shared(self, next(self._numbers)))

    def keep(self, place: tuple[int, int], answer: str) -> None:
        """Keep an answer, under its question's number and the event's position, for a while."""
        self.kept[place] = answer
        self._size += len(answer)
        while self._size > KEPT:
            _, oldest = self.kept.popitem(last=False)
            self._size -= len(oldest)


def key_of(document: Document, operation: Operation, variables: Mapping[str, Any]) -> Key:
    """Return what is equal for subscriptions that get the same answers to an event."""
    used = _Used()
    for node in _answering(document, operation.node):
        visit(node, used)
    relevant = {name: variables[name] for name in sorted(used.names) if name in variables}
    return document, operation.name, encode(relevant)


def _answering(document: Document, operation: OperationDefinitionNode) -> list[Node]:
    """Return the parts of the document that an answer depends on."""
    nodes: list[Node] = [
        each for each in document.node.definitions if isinstance(each, FragmentDefinitionNode)
    ]
    nodes.extend(operation.directives or ())
    for root in operation.selection_set.selections:
        if isinstance(root, FieldNode):
            nodes.extend(root.directives or ())
            nodes.extend([root.selection_set] if root.selection_set else [])
        else:
            nodes.append(root)
    return nodes


class _Used(Visitor):
    """Collects the names of variables."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def enter_variable(self, node: VariableNode, *_: object) -> None:
        """Note the name."""
        self.names.add(node.name.value)
