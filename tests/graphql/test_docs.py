import re
from pathlib import Path

from service.domain.errors import WorkflowError
from service.graphql import cost, errors, limits
from service.graphql.context import MAX_ENTRIES

PAGE = (Path(__file__).parents[2] / "docs" / "graphql.md").read_text()
OF_REQUESTS = {
    errors.BAD_REQUEST,
    errors.PARSE_FAILED,
    errors.VALIDATION_FAILED,
    errors.BAD_USER_INPUT,
    errors.WHICH_OPERATION,
}


def test_every_code_is_told_of_once() -> None:
    told = re.findall(r"^\| `([A-Z_]+)` \|", PAGE, re.MULTILINE)
    codes = {kind.code for kind in WorkflowError.__subclasses__()} | OF_REQUESTS
    assert sorted(told) == sorted(codes)


def test_every_limit_is_told_of() -> None:
    paragraph = PAGE.partition("## Limits")[2].partition("##")[0]
    for limit in (
        limits.MAX_LENGTH,
        limits.MAX_FIELDS,
        limits.MAX_REPEATS,
        limits.MAX_SPREADS,
        cost.MAX_READS,
        MAX_ENTRIES,
    ):
        assert f"{limit:,} " in paragraph
