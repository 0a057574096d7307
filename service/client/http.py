"""GraphQL over HTTP: one question, one answer, asked again while none comes."""

import json
from collections.abc import Mapping
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

import httpx

from service.client.answers import Answer, data_of, is_answer
from service.client.backoff import Backoff
from service.client.errors import ConnectionFailed, RequestRefused, UnexpectedAnswer
from service.domain.clock import Clock

BUSY = frozenset({429, 502, 503, 504})
REFUSED = {401: "UNAUTHENTICATED", 403: "FORBIDDEN", 413: "LIMIT_EXCEEDED"}


class NoAnswer(Exception):
    """This try brought no answer; another may."""


class HttpTransport:
    """Asks over kept-alive connections.

    Everything that goes through here may be asked twice: queries change nothing, and mutations
    carry a request id.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        clock: Clock,
        *,
        timeout: timedelta,
        patience: timedelta,
    ) -> None:
        self._url = url
        self._clock = clock
        self._patience = patience
        self._http = httpx.AsyncClient(
            headers={"Content-Type": "application/json", **headers},
            timeout=httpx.Timeout(timeout.total_seconds(), pool=None),
        )

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._http.__aexit__(kind, error, trace)

    async def ask(
        self, document: str, variables: Mapping[str, object], request_id: str | None = None
    ) -> Mapping[str, Any]:
        """Return the answer's data. Raises `RequestRefused`, or `ConnectionFailed` in the end."""
        body = _written(document, variables)
        backoff = Backoff(self._clock, self._patience)
        while True:
            try:
                return await self._try(body)
            except NoAnswer as error:
                if not await backoff.wait():
                    raise ConnectionFailed(self._url, str(error), request_id) from error
            except RequestRefused as refusal:
                if refusal.code != "UNAVAILABLE" or not await backoff.wait():
                    raise

    async def _try(self, body: bytes) -> Mapping[str, Any]:
        try:
            response = await self._http.post(self._url, content=body)
        except httpx.TransportError as error:
            raise NoAnswer(str(error) or type(error).__name__) from error
        answer = _read(response)
        if answer is not None:
            return data_of(answer)
        if response.status_code in BUSY:
            raise NoAnswer(f"HTTP {response.status_code}")
        if code := REFUSED.get(response.status_code):
            raise RequestRefused(code, f"{self._url} answered HTTP {response.status_code}.")
        raise UnexpectedAnswer(f"{self._url} answered HTTP {response.status_code}")


def check_address(url: str) -> str:
    """Return the address, or raise ValueError if it is none."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL()
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ValueError(f"{url!r} is no address: write one such as http://127.0.0.1:8000/graphql.")
    return url


def _written(document: str, variables: Mapping[str, object]) -> bytes:
    try:
        body = json.dumps({"query": document, "variables": variables}, allow_nan=False)
    except ValueError as error:
        raise RequestRefused(
            "INVALID_PARAMS", f"The params can't be written as JSON: {error}. JSON has no NaN."
        ) from error
    return body.encode()


def _read(response: httpx.Response) -> Answer | None:
    try:
        answer = response.json()
    except ValueError:
        return None
    return answer if is_answer(answer) else None
