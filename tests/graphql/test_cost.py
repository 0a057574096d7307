from typing import Any

import pytest

from service.domain.errors import LimitExceeded
from service.graphql.cost import MAX_READS, check_reads
from service.graphql.documents import Documents
from service.graphql.schema import core

NESTED = """query Q($n: Int) {
  workflowInstances(first: $n) { edges { node { ...Life } } }
}
fragment Life on WorkflowInstance { events(first: 500) { edges { cursor } } }
"""


def check(text: str, **variables: Any) -> None:
    [operation] = Documents(core, 2_000, 20, introspection=True).read(text).operations.values()
    check_reads(operation.paged, variables)


def test_a_page_of_lists_is_allowed() -> None:
    check(NESTED, n=500)
    check(NESTED)
    check(
        "{ workflowInstances(first: 500) { edges { node { id failures { edges { cursor } } } } } }"
    )


def test_lists_in_lists_in_lists_are_counted_by_the_entries_asked_for() -> None:
    deeper = NESTED.replace(
        "edges { cursor }", "edges { node { instance { events { edges { cursor } } } } }"
    )
    check(deeper, n=1)
    with pytest.raises(LimitExceeded, match=f"{MAX_READS:,}"):
        check(deeper, n=2)


def test_what_is_asked_for_again_under_another_name_is_counted_again() -> None:
    twice = NESTED.replace("...Life", "...Life again: events { edges { cursor } }")
    check(twice, n=400)
    with pytest.raises(LimitExceeded):
        check(twice.replace("...Life", "...Life more: failures { edges { cursor } }"), n=400)


def test_a_variable_counts_as_what_it_is_by_default() -> None:
    text = NESTED.replace("$n: Int", "$n: Int = 500").replace("first: 500", "first: $n")
    deeper = text.replace("cursor", "node { instance { failures { edges { cursor } } } }")
    check(deeper, n=1)
    with pytest.raises(LimitExceeded):
        check(deeper)


@pytest.mark.parametrize("n", [None, "x", 10**9, -5])
def test_a_variable_that_makes_no_sense_is_left_to_others(n: object) -> None:
    check(NESTED, n=n)


def test_lists_side_by_side_cost_nothing() -> None:
    check("{ " + " ".join(f"a{n}: workflowInstances {{ cursor }}" for n in range(50)) + " }")
