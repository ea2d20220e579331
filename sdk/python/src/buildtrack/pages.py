"""Lists of the API, page by page or item by item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar, cast

Item = TypeVar("Item")
Page = TypeVar("Page")


class Pages(Generic[Item, Page]):
    """A list that is fetched as it is read: iterating gives every item of every page.

    for message in client.list_messages(track["id"], kind="proposal"):
        print(message["content"])
    """

    def __init__(self, fetch: Callable[[Mapping[str, Any]], Any], query: Mapping[str, Any]) -> None:
        self._fetch = fetch
        self._query = query

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from cast("Mapping[str, list[Item]]", page)["items"]

    def pages(self) -> Iterator[Page]:
        """Gives the pages, each with its own members beside `items`. A page may be empty although others follow."""
        query = dict(self._query)
        while True:
            page = self._fetch(query)
            yield page
            if page.get("nextCursor") is None:
                return
            query["cursor"] = page["nextCursor"]

    def first(self) -> Page:
        """Fetches the first page alone."""
        return cast("Page", self._fetch(self._query))
