"""The loop of an EvalDuel agent: connects, joins the queue, answers turns, and reconnects."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from .._json import loads
from ..errors import BuildtrackError
from .answers import Answer, AnswerTask, Task, ask

try:
    import websockets
except ImportError as error:
    raise ImportError("the arena needs the package websockets: pip install 'buildtrack[arena]'") from error

_LOG = logging.getLogger(__name__)
_PING_SECONDS = 30
_BACKOFF_MAX = 60.0
_RESULTS_KNOWN = 100


class _Connect(websockets.connect):
    def process_redirect(self, exc: Exception) -> Exception:
        """Follows no redirect, so that the token stays with the server it is for."""
        return exc


class ConnectionRefused(BuildtrackError):
    """The server refuses this agent: its token is wrong, or another connection of the agent has replaced this one."""


class EvalDuelAgent:
    """An agent that plays the matches of one arena token, or of a session token with the scope `write`.

    EvalDuelAgent("http://127.0.0.1:8080", token, lambda task: task["options"][0]).run()
    """

    def __init__(
        self,
        server: str,
        token: str,
        answer: AnswerTask,
        *,
        name: str | None = None,
        model: str | None = None,
        queue: bool = True,
        matches: int | None = None,
        on_result: Callable[[Mapping[str, Any]], None] | None = None,
        on_connect: Callable[[], None] | None = None,
    ) -> None:
        """`matches` ends the loop after so many; `queue=False` plays challenges and judges debates only."""
        address = server.rstrip("/")
        self.url = f"ws{address.removeprefix('http')}/agent/connect"
        self._token = token
        self._answer = answer
        self._profile = {"name": name, "model": model} if name and model else None
        self._queue = queue
        self._matches = matches
        self._on_result = on_result
        self._on_connect = on_connect
        self._results: dict[str, Mapping[str, Any]] = {}
        self._finished = 0

    def run(self) -> None:
        """Plays until the matches have ended, in this thread. Raises `ConnectionRefused`."""
        asyncio.run(self.play())

    async def play(self) -> None:
        """Plays until the matches have ended. Raises `ConnectionRefused`."""
        failures = 0
        while True:
            delay = min(_BACKOFF_MAX, 2.0 ** min(failures, 6))
            try:
                delay = max(await self._serve(), 1.0)
                failures = 0
            except websockets.InvalidStatus as error:
                if error.response.status_code in (401, 403):
                    raise ConnectionRefused((error.response.body or b"").decode("utf-8", "replace")) from None
                delay = _seconds(error.response.headers.get("Retry-After"), delay)
            except (OSError, websockets.WebSocketException) as error:
                _LOG.warning("cannot connect to %s: %s", self.url, error)
            if self._has_ended():
                return
            failures += 1
            await asyncio.sleep(delay * random.uniform(1.0, 1.5))

    def _has_ended(self) -> bool:
        return self._matches is not None and self._finished >= self._matches

    async def _serve(self) -> float:
        """Serves one connection; gives the seconds to wait before the next."""
        headers = {"Authorization": f"Bearer {self._token}"}
        async with _Connect(self.url, additional_headers=headers, max_size=2**20) as socket:
            connection = _Connection(self, socket)
            connection.start(connection.ping())
            try:
                async for text in socket:
                    await connection.handle(loads(text))
                    if self._has_ended():
                        break
            except websockets.ConnectionClosed as closed:
                if closed.rcvd is not None and "replaced" in closed.rcvd.reason:
                    raise ConnectionRefused(closed.rcvd.reason) from None
            finally:
                connection.stop()
            return connection.pause

    def result(self, message: Mapping[str, Any]) -> bool:
        """Counts a result once: a new connection gets the last ones again."""
        match_id = str(message["match_id"])
        if match_id in self._results:
            return False
        self._results[match_id] = message
        while len(self._results) > _RESULTS_KNOWN:
            del self._results[next(iter(self._results))]
        self._finished += 1
        _call(self._on_result, message)
        return True

    async def answer(self, task: Task) -> Answer:
        """Answers beside the reader, which must go on reading while the agent thinks."""
        return await ask(self._answer, task)


class _Connection:
    def __init__(self, agent: EvalDuelAgent, socket: websockets.ClientConnection) -> None:
        self.pause = 1.0
        self._agent = agent
        self._socket = socket
        self._tasks: set[asyncio.Task[None]] = set()
        self._sent: dict[tuple[str, str], dict[str, Any]] = {}

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, websockets.ConnectionClosed):
            _LOG.error("a turn has no answer", exc_info=error)

    async def send(self, kind: str, **members: Any) -> None:
        await self._socket.send(json.dumps({"type": f"evalduel.{kind}", **members}))

    async def ping(self) -> None:
        while True:
            await asyncio.sleep(_PING_SECONDS)
            await self.send("ping", id="ping")

    async def handle(self, message: Mapping[str, Any]) -> None:
        kind = message.get("type")
        if kind == "evalduel.hello":
            if self._agent._profile is not None:
                await self.send("agent.metadata", **self._agent._profile)
            await self._join()
            _call(self._agent._on_connect)
        elif kind == "evalduel.match.request":
            self.start(self._play(message))
        elif kind == "evalduel.match.result":
            if self._agent.result(message):
                await self._join()
        elif kind == "evalduel.error":
            self._recover(message)

    async def _join(self) -> None:
        if self._agent._queue and not self._agent._has_ended():
            await self.send("queue.join", mode="ranked")

    async def _play(self, request: Mapping[str, Any]) -> None:
        answer = await self._agent.answer(request["task"])
        metadata = {"public_rationale": answer.rationale, "confidence": answer.confidence}
        response = {
            "match_id": request["match_id"],
            "turn_id": request["turn_id"],
            "output": answer.output,
            "metadata": {name: value for name, value in metadata.items() if value is not None},
        }
        self._sent = {(request["match_id"], request["turn_id"]): response}
        await self.send("match.response", **response)

    def _recover(self, error: Mapping[str, Any]) -> None:
        """Repeats what failed once the server says that it can work; other errors need a change of the agent."""
        # Quoted: a text of others must not begin a line of the log, or control a terminal.
        _LOG.warning("%.200r: %.1000r", error.get("code"), error.get("message"))
        wait = error.get("retry_after_seconds")
        response = self._sent.get((str(error.get("match_id")), str(error.get("turn_id"))))
        if error.get("code") == "backpressure_busy":  # the server closes the connection
            self.pause = _seconds(wait, 30.0)
        elif wait and response is not None:
            self.start(self._after(float(wait), "match.response", response))
        elif wait and self._agent._queue:
            self.start(self._after(float(wait), "queue.join", {"mode": "ranked"}))

    async def _after(self, seconds: float, kind: str, members: Mapping[str, Any]) -> None:
        await asyncio.sleep(seconds)
        await self.send(kind, **members)


def _call(function: Callable[..., None] | None, *given: Any) -> None:
    """Calls a function of the caller, whose errors end neither the connection nor the loop."""
    try:
        if function is not None:
            function(*given)
    except Exception:
        _LOG.exception("a function of the agent failed")


def _seconds(value: Any, otherwise: float) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return otherwise
