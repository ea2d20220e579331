"""One HTTP request, with the standard library."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from ._json import loads
from ._version import VERSION
from .errors import ApiError, TransportError

ERROR_MAX = 1024 * 1024
"""The bytes of an error's body that are read. The server's own have fewer than 32 KiB."""
LINE_MAX = 8 * 1024 * 1024
"""The bytes of a line of a live stream. An event of the server has fewer."""

_BROKEN = (urllib.error.URLError, http.client.HTTPException, OSError)


@dataclass(frozen=True)
class Response:
    """An answer of the server."""

    status: int
    headers: Mapping[str, str]
    """The headers; their names are in lower case."""
    content: bytes

    @property
    def etag(self) -> str | None:
        """The version of the entity, for `if_match`."""
        return self.headers.get("etag")

    def body(self) -> Any:
        """The decoded body: a JSON document, a text, or None if it is empty."""
        if not self.content:
            return None
        kind = self.headers.get("content-type", "").partition(";")[0]
        return loads(self.content) if kind == "application/json" or kind.endswith("+json") else self.content.decode()


class Transport:
    """Sends requests to one server. It follows no redirect, so that a token stays with the server it is for."""

    def __init__(self, base_url: str, timeout: float) -> None:
        address = urllib.parse.urlsplit(base_url)
        if address.scheme not in ("http", "https"):
            raise ValueError(f"the address of a server begins with http:// or https://, not {base_url!r}")
        # Errors name the address.
        if "@" in address.netloc or address.query or address.fragment:
            raise ValueError("the address of a server has no user, password, query or fragment")
        self.base_url = base_url.rstrip("/")
        self.timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirects)

    def send(
        self, method: str, path: str, query: Mapping[str, Any], headers: Mapping[str, str], body: Any, timeout: float
    ) -> Response:
        """Gives the answer, whatever its status."""
        try:
            with self._open(method, path, query, headers, body, timeout) as answer:
                return _response(answer, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return _response(error, _rest(error))
        except _BROKEN as error:
            raise TransportError(f"{method} {self.base_url}{path}: {error}") from error

    @contextmanager
    def stream(self, path: str, query: Mapping[str, Any], headers: Mapping[str, str]) -> Iterator[Iterator[str]]:
        """Gives the lines of an answer as they arrive."""
        try:
            with self._open("GET", path, query, headers, None, self.timeout) as answer:
                yield _lines(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise ApiError.of(error.code, _headers(error), _rest(error)) from None
        except _BROKEN as error:
            raise TransportError(f"GET {self.base_url}{path}: {error}") from error

    def _open(
        self, method: str, path: str, query: Mapping[str, Any], headers: Mapping[str, str], body: Any, timeout: float
    ) -> Any:
        all_headers = {"User-Agent": f"buildtrack-python/{VERSION}", "Accept": "application/json", **headers}
        data = None
        if body is not None:
            data = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
            all_headers["Content-Type"] = "application/json"
        elif method == "POST":
            data = b""
        url = f"{self.base_url}{path}{encode_query(query)}"
        request = urllib.request.Request(url, data=data, headers=all_headers, method=method)
        return self._opener.open(request, timeout=timeout)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def encode_query(query: Mapping[str, Any]) -> str:
    """The query with its question mark; leaves out None."""
    given = [(name, _parameter(value)) for name, value in query.items() if value is not None]
    return f"?{urllib.parse.urlencode(given)}" if given else ""


def _parameter(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(item) for item in value)
    return str(value)


def segment(value: str) -> str:
    """A value as one segment of a path."""
    if value in ("", ".", ".."):
        raise ValueError(f"{value!r} is not an id")
    return urllib.parse.quote(value, safe=":")


def _headers(answer: Any) -> Mapping[str, str]:
    return {name.lower(): value for name, value in answer.headers.items()}


def _response(answer: Any, content: bytes) -> Response:
    return Response(status=answer.status, headers=_headers(answer), content=content)


def _rest(error: urllib.error.HTTPError) -> bytes:
    """The beginning of an error's body; what arrives of it if the connection breaks."""
    try:
        return error.read(ERROR_MAX)
    except http.client.IncompleteRead as broken:
        return broken.partial
    except OSError:
        return b""


def _lines(answer: IO[bytes]) -> Iterator[str]:
    while line := answer.readline(LINE_MAX + 1):
        if len(line) > LINE_MAX:
            raise TransportError("a line of the stream is too long")
        yield line.decode("utf-8", "replace").rstrip("\r\n")
