"""Lists of the server, read page by page as they are taken."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any

from service.client.http import HttpTransport


async def nodes(
    http: HttpTransport, document: str, variables: Mapping[str, object], after: str | None = None
) -> AsyncGenerator[Mapping[str, Any]]:
    """Yield the nodes of the connection that the document calls `page`, to the list's end.

    The document names it at the top, or inside an `owner`; no owner is an empty list.
    """
    while True:
        data = await http.ask(document, {**variables, "after": after})
        holder = data.get("owner", data)
        if holder is None:
            return
        page = holder["page"]
        for edge in page["edges"]:
            yield edge["node"]
        if not page["pageInfo"]["hasNextPage"]:
            return
        after = page["pageInfo"]["endCursor"]
