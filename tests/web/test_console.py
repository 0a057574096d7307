"""The page for people who open the address in a browser."""

import re

from service.web.console import CONSOLE
from tests.web.conftest import Serve
from tests.web.running import Running

BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


def test_a_browser_is_shown_a_page(server: Running) -> None:
    response = server.http.get("/graphql", headers=BROWSER)
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "<title>GraphQL</title>" in response.text


def test_the_page_needs_nothing_from_elsewhere(server: Running) -> None:
    policy = server.http.get("/graphql", headers=BROWSER).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(rb"""(?:src|href)\s*=|https?://|@import""", CONSOLE)


def test_a_browser_that_asks_something_is_answered(server: Running) -> None:
    response = server.http.get("/graphql?query={__typename}", headers=BROWSER)
    assert response.json() == {"data": {"__typename": "Query"}}


def test_the_page_can_be_switched_off(serve: Serve) -> None:
    response = serve(ide=False).http.get("/graphql", headers=BROWSER)
    assert response.status_code == 400
    assert response.json()["errors"][0]["extensions"]["code"] == "BAD_REQUEST"
    assert "<html" not in response.text


def test_the_documents_that_it_offers_are_good(server: Running) -> None:
    script = CONSOLE.decode().partition("const EXAMPLES = {")[2].partition("};")[0]
    documents = re.findall(r'": \["((?:[^"\\]|\\.)*)"', script)
    assert len(documents) >= 4
    for text in documents:
        document = text.replace("\\n", "\n").replace('\\"', '"')
        answer = server.post({"query": document}).json()
        codes = {error["extensions"]["code"] for error in answer.get("errors", [])}
        assert codes <= {"BAD_USER_INPUT", "BAD_REQUEST"}, answer
