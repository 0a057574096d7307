import pytest
from graphql import GraphQLSchema, build_schema, parse, validate

from service.client import documents
from service.graphql.schema import sdl


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return build_schema(sdl())


@pytest.mark.parametrize("name", [name for name in vars(documents) if name.isupper()])
def test_every_document_fits_the_schema(schema: GraphQLSchema, name: str) -> None:
    document = getattr(documents, name)
    if not name.startswith("_"):
        assert validate(schema, parse(document)) == []
