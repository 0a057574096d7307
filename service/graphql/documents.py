"""Each document is parsed, measured and validated once, and kept for whoever sends it again."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphql import (
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLSchema,
    GraphQLSyntaxError,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    parse,
    specified_rules,
    validate,
)

from service.domain.errors import LimitExceeded
from service.graphql import limits
from service.graphql.cost import Paged, paged_in
from service.graphql.errors import PARSE_FAILED, VALIDATION_FAILED, Refused, refused

KEPT = 1 << 19
"""Characters of documents that are kept; a parsed one takes some hundred times its text."""

_TOO_LARGE = "Parsing aborted"


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """An operation, and the pages that it reads."""

    node: OperationDefinitionNode
    paged: Sequence[Paged]

    @property
    def name(self) -> str:
        """Return its name; "" if it has none."""
        return self.node.name.value if self.node.name else ""


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A document that fits the schema, and its operations by name; "" is the one without."""

    node: DocumentNode
    operations: Mapping[str, Operation]


class Documents:
    """Reads documents. What was read is kept, refusals too, until newer ones need the room."""

    def __init__(
        self, schema: GraphQLSchema, token_limit: int, depth_limit: int, *, introspection: bool
    ) -> None:
        self._schema = schema
        self._token_limit = token_limit
        self._depth_limit = depth_limit
        self._rules = (
            specified_rules
            if introspection
            else (*specified_rules, NoSchemaIntrospectionCustomRule)
        )
        self._read: OrderedDict[str, Document | Refused] = OrderedDict()
        self._length = 0

    def read(self, text: str) -> Document:
        """Return the document, or raise Refused or LimitExceeded."""
        found = self._read.get(text)
        if found is None:
            limits.check_length(text)
            found = self._keep(text, self._try(text))
        else:
            self._read.move_to_end(text)
        if isinstance(found, Refused):
            raise Refused(found.errors)
        return found

    def _keep(self, text: str, result: Document | Refused) -> Document | Refused:
        self._read[text] = result
        self._length += len(text)
        while self._length > KEPT:
            oldest, _ = self._read.popitem(last=False)
            self._length -= len(oldest)
        return result

    def _try(self, text: str) -> Document | Refused:
        try:
            node = parse(text, max_lexical_tokens=self._token_limit, max_comments=self._token_limit)
        except GraphQLSyntaxError as error:
            if _TOO_LARGE in error.message:
                raise LimitExceeded(
                    f"{error.message} Ask for less at a time, and pass values as `variables`."
                ) from None
            return refused([error], PARSE_FAILED)
        limits.check_size(node, self._depth_limit)
        if errors := validate(self._schema, node, self._rules):
            return refused(errors, VALIDATION_FAILED)
        return Document(node, self._operations(node))

    def _operations(self, node: DocumentNode) -> Mapping[str, Operation]:
        fragments = {
            each.name.value: each
            for each in node.definitions
            if isinstance(each, FragmentDefinitionNode)
        }
        operations = [
            Operation(each, paged_in(self._schema, each, fragments))
            for each in node.definitions
            if isinstance(each, OperationDefinitionNode)
        ]
        return {operation.name: operation for operation in operations}
