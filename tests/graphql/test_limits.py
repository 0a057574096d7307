import time

import pytest
from graphql import get_introspection_query

from service.domain.errors import LimitExceeded
from service.graphql.documents import Documents
from service.graphql.errors import Refused
from service.graphql.limits import MAX_FIELDS, MAX_LENGTH, MAX_REPEATS, MAX_SPREADS
from service.graphql.schema import core

TOKENS = 2_000
DEPTH = 20
DOWN = "{events{edges{node{instance"


@pytest.fixture
def documents() -> Documents:
    return Documents(core, TOKENS, DEPTH, introspection=True)


def bomb(rounds: int) -> str:
    """Return a document of fragments that spread each other twice."""
    fragments = " ".join(
        f"fragment F{i} on WorkflowInstance {{a:events{{edges{{node{{instance{{...F{i + 1}}}}}}}}}"
        f" b:events{{edges{{node{{instance{{...F{i + 1}}}}}}}}}}}"
        for i in range(rounds)
    )
    last = f"fragment F{rounds} on WorkflowInstance {{id}}"
    return f"{{workflowInstance(instanceID:1){{...F0}}}} {fragments} {last}"


def chain(rounds: int) -> str:
    fragments = " ".join(
        f"fragment F{i} on WorkflowInstance {{...F{i + 1}}}" for i in range(rounds)
    )
    last = f"fragment F{rounds} on WorkflowInstance {{id}}"
    return f"{{workflowInstance(instanceID:1){{...F0}}}} {fragments} {last}"


TOO_MUCH = {
    "length": f"query {{ __typename }} #{'x' * MAX_LENGTH}",
    "tokens": "{" + "__typename " * TOKENS + "}",
    "comments": "#\n" * (TOKENS + 1) + "{__typename}",
    "fields": "{" + " ".join(f"f{i}" for i in range(MAX_FIELDS + 1)) + "}",
    "repeats": "{" + "__typename " * (MAX_REPEATS + 2) + "}",
    "aliases": "{" + " ".join(f"a{i}:__typename" for i in range(MAX_REPEATS + 1)) + "}",
    "depth": "{workflowInstance(instanceID:1)" + DOWN * 6 + "{id}" + "}}}}" * 6 + "}",
    "spreads": "{" + "...F " * (MAX_SPREADS + 1) + "} fragment F on Query {__typename}",
    "fragments": "{__typename}" + " fragment F on Query {__typename}" * MAX_SPREADS,
    "bomb": bomb(8),
    "nested values": "{workflowInstances(filter:{names:" + "[" * 900 + "]" * 900 + "}){cursor}}",
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_too_much_is_refused_at_once(documents: Documents, what: str) -> None:
    start = time.process_time()
    with pytest.raises(LimitExceeded) as refusal:
        documents.read(TOO_MUCH[what])
    assert time.process_time() - start < 0.5
    assert "Ask for less" in str(refusal.value) or "variables" in str(refusal.value)


def test_a_kilobyte_of_fragments_stands_for_millions_of_fields(documents: Documents) -> None:
    text = bomb(8)
    assert len(text) < 1024
    start = time.process_time()
    with pytest.raises(LimitExceeded):
        documents.read(text)
    assert time.process_time() - start < 0.05


def test_a_cycle_of_fragments_is_told_as_one(documents: Documents) -> None:
    text = (
        "{workflowInstance(instanceID:1){...A}} fragment A on WorkflowInstance{id ...B} "
        "fragment B on WorkflowInstance{id ...A}"
    )
    with pytest.raises(Refused, match="within itself"):
        documents.read(text)


def test_a_long_chain_of_fragments_is_no_depth(documents: Documents) -> None:
    documents.read(chain(50))


def test_introspection_passes(documents: Documents) -> None:
    documents.read(get_introspection_query(specified_by_url=True, directive_is_repeatable=True))


def test_introspection_can_be_switched_off() -> None:
    documents = Documents(core, TOKENS, DEPTH, introspection=False)
    with pytest.raises(Refused, match="introspection"):
        documents.read("{__schema{queryType{name}}}")
    documents.read("{__typename}")


@pytest.mark.parametrize("count", [MAX_REPEATS, 1])
def test_what_is_allowed_passes(documents: Documents, count: int) -> None:
    documents.read("{" + " ".join(f"a{i}:__typename" for i in range(count)) + "}")
    levels = "{workflowInstance(instanceID:1)" + DOWN * 4 + "{id}" + "}}}}" * 4 + "}"
    documents.read(levels)
