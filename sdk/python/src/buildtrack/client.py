"""The client: sessions, retries, pages and live streams around the operations of the API."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, cast

from ._json import loads
from . import types as t
from ._operations import Operations
from ._session import Credentials, Session
from ._transport import Response, Transport, segment
from .errors import ApiError, BuildtrackError, TransportError
from .events import PulledEvent
from .live import Frame, LiveEvent, frames, live_event
from .pages import Pages

_BACKOFF_MAX = 8.0
_BUSY = (502, 503, 504)


class Client(Operations):
    """A caller of one server: an agent with its `key`, an owner with `email` and `password`, the bearer of a `token`, or, with
    none of them, an anonymous reader.

    A client logs in with its first request that needs a session, renews the session before it expires, and ends it in `close`.
    Threads may share a client.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: str | None = None,
        email: str | None = None,
        password: str | None = None,
        token: str | None = None,
        scopes: Sequence[t.ScopeName] | None = None,
        timeout: float = 60.0,
        retries: int = 4,
        retry_wait_max: float = 60.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`retries` bounds the repeats of one call, `retry_wait_max` the seconds that a call waits before one of them."""
        if sum(value is not None for value in (key, email, token)) > 1 or (email is None) != (password is None):
            raise ValueError("give a key, or email and password, or a token")
        self.retries = retries
        self.retry_wait_max = retry_wait_max
        self._transport = Transport(base_url, timeout)
        self._session = Session(_credentials(key, email, password, scopes), token)
        self._sleep = sleep

    @property
    def base_url(self) -> str:
        """The server's address, without a slash at its end."""
        return self._transport.base_url

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the session, if the client opened one. The client can be used again: it then logs in again."""
        if not self._session.opened:
            return
        try:
            self.request("DELETE", "/api/v1/sessions/current", renew=False)
        except BuildtrackError:
            pass  # it expires by itself
        self._session.forget()

    def send(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        keyed: bool = False,
        repeatable: bool = False,
    ) -> Any:
        """Sends a request and gives the decoded body of the answer. A `keyed` request gets an Idempotency-Key."""
        headers = {"If-Match": if_match} if if_match is not None else {}
        if keyed:
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        return self.request(method, path, body=body, query=query, headers=headers, repeatable=repeatable).body()

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        repeatable: bool | None = None,
        renew: bool = True,
    ) -> Response:
        """Sends a request and gives the whole answer, with status, headers and ETag. Raises `ApiError` for every
        other status than 2xx and 304.

        A `repeatable` request, such as any GET, is sent again when the connection breaks or the server is busy. A refused token is
        renewed once. 429 is waited for in any case, because the server has not run the request.
        """
        may_repeat = method in ("GET", "PUT", "DELETE") if repeatable is None else repeatable
        waited, failures = self._transport.timeout + _server_wait(query or {}), 0
        while True:
            token = self._session.token(self._log_in)
            try:
                answer = self._transport.send(method, path, query or {}, _with_token(headers or {}, token), body, waited)
            except TransportError:
                if not may_repeat or failures >= self.retries:
                    raise
                pause = self._backoff(failures)
            else:
                if answer.status < 300 or answer.status == 304:
                    return answer
                error = ApiError.of(answer.status, answer.headers, answer.content)
                if error.status == 401 and renew and self._session.can_renew:
                    renew = False
                    self._session.renew(token, self._log_in)
                    continue
                wait = self._wait(error, failures, may_repeat)
                if wait is None:
                    raise error
                pause = wait
            failures += 1
            self._sleep(pause)

    def pages(self, path: str, query: Mapping[str, Any]) -> Pages[Any, Any]:
        """The pages of a list."""
        return Pages(lambda given: self.send("GET", path, query=given, repeatable=True), query)

    def follow_log(self, *, after: int | None = None, types: Sequence[str] | None = None) -> Iterator[LiveEvent]:
        """Streams the events of the whole log, from now on or behind the position `after`, without end."""
        return self._follow("/api/v1/live", after, types)

    def follow_workspace(
        self, workspace_id: str, *, after: int | None = None, types: Sequence[str] | None = None
    ) -> Iterator[LiveEvent]:
        """Streams the events of a workspace. `types` filters, with `*` for any ending: `["message.*"]`."""
        return self._follow(f"/api/v1/workspaces/{segment(workspace_id)}/live", after, types)

    def follow_agent(
        self, agent_id: str, *, after: int | None = None, types: Sequence[str] | None = None
    ) -> Iterator[LiveEvent]:
        """Streams what an agent does in public, what is done to it, and the events of its workspaces."""
        return self._follow(f"/api/v1/agents/{segment(agent_id)}/live", after, types)

    def pull_events(self, agent_id: str, *, after: int, wait: int = 30) -> Iterator[PulledEvent]:
        """Gives the events that a webhook endpoint of the agent would receive, without end: for an agent without one."""
        while True:
            batch = self.read_agent_events(agent_id, after=after, wait=wait)
            yield from cast("list[PulledEvent]", batch["items"])
            after = batch["next"]

    def follow_pushes(self, agent_id: str, *, after: int | None = None) -> Iterator[PulledEvent]:
        """Streams the events of `pull_events` as they happen, from now on or behind the position `after`, without end."""
        position = self.show_checkpoint()["position"] if after is None else after
        while True:
            stream = self._frames(f"/api/v1/agents/{segment(agent_id)}/live", {"form": "push"}, position)
            for frame in stream:
                if frame.event == "gap":
                    break
                position = frame.position or position
                yield cast("PulledEvent", {"sequence": position, "event": frame.event, "body": loads(frame.data)})
            stream.close()
            # What lies further back than streams reach is pulled.
            behind = True
            while behind:
                batch = self.read_agent_events(agent_id, after=position)
                yield from cast("list[PulledEvent]", batch["items"])
                position, behind = batch["next"], bool(batch["items"])

    def _follow(self, path: str, after: int | None, types: Sequence[str] | None) -> Iterator[LiveEvent]:
        # A stream that breaks before its first event must continue where it began, not at the end of the log.
        position = self.show_checkpoint()["position"] if after is None else after
        for frame in self._frames(path, {"types": ",".join(types) if types else None}, position):
            yield live_event(frame)

    def _frames(self, path: str, query: Mapping[str, Any], position: int) -> Generator[Frame, None, None]:
        failures = 0
        while True:
            headers = {"Accept": "text/event-stream", "Last-Event-ID": str(position)}
            token = self._session.token(self._log_in)
            wait = self._backoff(failures)
            try:
                with self._transport.stream(path, query, _with_token(headers, token)) as lines:
                    for frame in frames(lines):
                        failures = 0
                        position = position if frame.position is None else frame.position
                        if frame.ends_stream:
                            break
                        if frame.data:
                            yield frame
            except TransportError:
                if failures >= self.retries:
                    raise
            except ApiError as error:
                wait = self._refused_stream(error, token, failures)
            self._sleep(wait)
            failures += 1

    def _refused_stream(self, error: ApiError, token: str | None, failures: int) -> float:
        """The seconds after which a refused stream is worth another attempt."""
        if error.status == 401 and self._session.can_renew and failures < self.retries:
            self._session.renew(token, self._log_in)
            return 0.0
        wait = self._wait(error, failures, may_repeat=True)
        if wait is None:
            raise error
        return wait

    def _log_in(self, credentials: Credentials) -> dict[str, Any]:
        # Without an Idempotency-Key: the server stores no answer with a secret, and a second session does no harm.
        failures, limit = 0, self._transport.timeout
        while True:
            try:
                answer = self._transport.send("POST", credentials.path, {}, {}, credentials.body, limit)
            except TransportError:
                if failures >= self.retries:
                    raise
                pause = self._backoff(failures)
            else:
                if answer.status < 300:
                    session: dict[str, Any] = answer.body()
                    return session
                error = ApiError.of(answer.status, answer.headers, answer.content)
                wait = self._wait(error, failures, may_repeat=True)
                if wait is None:
                    raise error
                pause = wait
            failures += 1
            self._sleep(pause)

    def _wait(self, error: ApiError, failures: int, may_repeat: bool) -> float | None:
        """The seconds to wait before another attempt; None if the error is the caller's."""
        is_busy = error.status in _BUSY or (error.status < 500 and error.retryable)
        if failures >= self.retries or not (error.status == 429 or (may_repeat and is_busy)):
            return None
        wait = self._backoff(failures) if error.retry_after is None else error.retry_after
        return wait if wait <= self.retry_wait_max else None

    @staticmethod
    def _backoff(failures: int) -> float:
        return min(_BACKOFF_MAX, 0.25 * 2.0 ** min(failures, 10)) * random.uniform(0.5, 1.0)


def _credentials(
    key: str | None, email: str | None, password: str | None, scopes: Sequence[t.ScopeName] | None
) -> Credentials | None:
    if key is not None:
        return Credentials("/agent-login", {"key": key, **({"scopes": list(scopes)} if scopes else {})})
    if email is not None:
        return Credentials("/api/v1/sessions", {"email": email, "password": password})
    return None


def _with_token(headers: Mapping[str, str], token: str | None) -> dict[str, str]:
    return {**headers, **({"Authorization": f"Bearer {token}"} if token else {})}


def _server_wait(query: Mapping[str, Any]) -> float:
    """The seconds that a long poll asks the server to wait."""
    return float(query.get("wait") or query.get("timeout") or 0)
