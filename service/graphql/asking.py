"""From a question to what can be executed: read the document, find the operation, its variables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from graphql import Executor, GraphQLError, OperationType
from strawberry.execution import optimized_is_awaitable

from service.domain.errors import WorkflowError
from service.graphql.context import Context
from service.graphql.cost import check_reads
from service.graphql.documents import Document, Documents, Operation
from service.graphql.errors import (
    BAD_USER_INPUT,
    WHICH_OPERATION,
    Refused,
    refusal,
    refused,
    show_exception,
)
from service.graphql.execution import Execution
from service.graphql.schema import core
from service.graphql.sharing import Sharing, key_of
from service.settings import Settings

Built = Executor[Context] | list[GraphQLError]


@dataclass(frozen=True, slots=True)
class Question:
    """What a caller sends: a document, values for its variables, and which operation is meant."""

    document: str
    variables: Mapping[str, Any] | None = None
    operation: str | None = None


class GraphQL:
    """Takes questions about the operations that a context reaches."""

    def __init__(self, context: Callable[[], Context], settings: Settings) -> None:
        self._context = context
        self._documents = Documents(
            core,
            settings.token_limit,
            settings.depth_limit,
            introspection=settings.introspection,
        )
        self._sharing = Sharing()

    def prepare(self, question: Question) -> Execution:
        """Return the question's operation, ready to be executed. Raises Refused."""
        variables = question.variables or {}
        try:
            document = self._documents.read(question.document)
            operation = _find(document, question.operation)
            check_reads(operation.paged, variables)
        except WorkflowError as error:
            raise Refused([show_exception(error)]) from None
        executor: Built = cast("Any", Executor).build(
            core,
            document.node,
            context_value=self._context(),
            raw_variable_values=variables,
            operation_name=question.operation,
            is_awaitable=optimized_is_awaitable,
        )
        if isinstance(executor, list):
            raise refused(executor, BAD_USER_INPUT)
        if operation.node.operation is not OperationType.SUBSCRIPTION:
            return Execution(executor, None)
        return Execution(executor, self._sharing.of(key_of(document, operation, variables)))


def _find(document: Document, name: str | None) -> Operation:
    operations = document.operations
    if name is None and len(operations) == 1:
        return next(iter(operations.values()))
    found = operations.get(name) if name else None
    if found is not None:
        return found
    listed = ", ".join([each for each in operations if each][:10]) or "one without a name"
    asked = "names none" if name is None else f"names {name[:200]!r}"
    raise refusal(
        WHICH_OPERATION,
        f"The document's operations are: {listed}. The request {asked}: give one of them as "
        "`operationName`.",
    )
