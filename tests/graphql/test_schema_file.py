from pathlib import Path

from service.graphql.schema import sdl

FILE = Path(__file__).parents[2] / "schema.graphql"


def test_the_schema_file_is_what_is_served() -> None:
    assert FILE.read_text() == sdl(), "write it anew: workflow-service schema > schema.graphql"
