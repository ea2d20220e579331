"""An AAP agent: verifies the rounds that the server posts to its endpoint, and answers them and health checks."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .._json import loads, whole_number
from ..client import Client
from ..errors import BuildtrackError
from .answers import AnswerTask, as_answer, ask, is_async

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError as error:
    raise ImportError("the arena needs the package cryptography: pip install 'buildtrack[arena]'") from error

_LOG = logging.getLogger(__name__)
BODY_MAX = 1024 * 1024
_LEEWAY = 5.0
_REFRESH_SECONDS = 10.0

Reply = tuple[int, dict[str, Any]]


class TokenError(BuildtrackError):
    """A round does not come from the server, or is not for this endpoint: answer 401."""


class AapAgent:
    """Answers `POST <endpoint>/agora` and `GET <endpoint>/agora/health`.

    `serve` does that with a server of its own; in a framework, route the two paths to `round` and `health`.
    """

    def __init__(
        self,
        server: str,
        endpoint: str,
        answer: AnswerTask,
        *,
        leagues: Sequence[str] = ("trivia", "reasoning", "structured"),
        issuer: str | None = None,
        max_concurrent: int = 5,
    ) -> None:
        """`endpoint` is the `endpointUrl` of the enrolment. `issuer` is the server's public address, if it differs from `server`."""
        self._endpoint = endpoint.rstrip("/")
        self._issuer = (issuer or server).rstrip("/")
        self._keys = _Keys(Client(server, retries=2))
        self._answer = answer
        self._health = {"status": "ok", "version": "1.0", "capabilities": list(leagues), "max_concurrent": max_concurrent}

    def health(self) -> Reply:
        """Status and body of the answer to a health check."""
        return 200, self._health

    def round(self, authorization: str | None, body: bytes) -> Reply:
        """Status and body of the answer to a round."""
        begun = time.monotonic()
        try:
            claims = self.verify(authorization)
            request = loads(body)
            if not isinstance(request, dict) or claims.get("match_id") != request.get("match_id"):
                raise TokenError("the token is for another match")
            task = request["task"]
        except (TokenError, ValueError, KeyError) as error:
            return 401, {"error": str(error)}
        except BuildtrackError:
            _LOG.exception("a round cannot be verified")
            return 500, {"error": "the round cannot be verified now"}  # the server sends it once more
        try:
            answer = asyncio.run(ask(self._answer, task)) if is_async(self._answer) else as_answer(self._answer(task))
        except Exception:
            _LOG.exception("a round has no answer")
            return 500, {"error": "the agent failed"}
        members = {"answer": answer.output, "confidence": answer.confidence, "reasoning": answer.rationale}
        latency = round((time.monotonic() - begun) * 1000)
        return 200, {**{name: given for name, given in members.items() if given is not None}, "latency_ms": latency}

    def verify(self, authorization: str | None, now: float | None = None) -> Mapping[str, Any]:
        """The claims of a round's token. Raises `TokenError`."""
        kind, _, token = (authorization or "").partition(" ")
        if kind.lower() != "bearer":
            raise TokenError("there is no bearer token")
        parts = token.split(".")
        if len(parts) != 3:
            raise TokenError("the token is no JWT")
        header, claims = _document(parts[0]), _document(parts[1])
        if header.get("alg") != "EdDSA":
            raise TokenError("the token is not signed with EdDSA")
        key = self._keys.get(str(header.get("kid")))
        try:
            key.verify(_bytes(parts[2]), f"{parts[0]}.{parts[1]}".encode())
        except InvalidSignature:
            raise TokenError("the server did not sign the token") from None
        self._check(claims, time.time() if now is None else now)
        return claims

    def _check(self, claims: Mapping[str, Any], now: float) -> None:
        audience, expiry = claims.get("aud"), claims.get("exp")
        if self._endpoint not in (audience if isinstance(audience, list) else [audience]):
            raise TokenError("the token is for another endpoint")
        if claims.get("iss") != self._issuer:
            raise TokenError("the token comes from another server")
        if not isinstance(expiry, (int, float)) or expiry + _LEEWAY < now:
            raise TokenError("the token has expired")

    def server(self, host: str = "127.0.0.1", port: int = 8098) -> ThreadingHTTPServer:
        """A server of this agent, which `serve_forever` runs."""
        return ThreadingHTTPServer((host, port), type("Handler", (_Handler,), {"agent": self}))

    def serve(self, host: str = "127.0.0.1", port: int = 8098) -> None:
        """Serves the agent until the program ends."""
        self.server(host, port).serve_forever()


class _Handler(BaseHTTPRequestHandler):
    agent: AapAgent
    # A client that sends nothing holds a thread for this many seconds.
    timeout = 30

    def do_GET(self) -> None:
        is_health = self.path == "/agora/health"
        self._reply(*(self.agent.health() if is_health else (404, {"error": "not found"})))

    def do_POST(self) -> None:
        length = whole_number(self.headers.get("Content-Length"))
        if self.path != "/agora":
            return self._reply(404, {"error": "not found"})
        if length is None or length > BODY_MAX:
            return self._reply(413, {"error": "not a round"})
        self._reply(*self.agent.round(self.headers.get("Authorization"), self.rfile.read(length)))

    def _reply(self, status: int, document: Mapping[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        _LOG.debug(format, *args)


class _Keys:
    """The server's published keys, fetched again when a token names a new one."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._keys: dict[str, Ed25519PublicKey] = {}
        self._fetched: float | None = None
        self._failure: BuildtrackError | None = None
        self._lock = threading.Lock()

    def get(self, kid: str) -> Ed25519PublicKey:
        with self._lock:
            if kid not in self._keys and self._may_fetch():
                self._fetch()
            if kid not in self._keys and self._failure is not None:
                raise self._failure
            if kid not in self._keys:
                raise TokenError("the server has no key with the token's kid")
            return self._keys[kid]

    def _may_fetch(self) -> bool:
        # Tokens with made-up names must not make this agent send a request each, also while the server does not answer.
        pause = _REFRESH_SECONDS if self._failure is None else 1.0
        return self._fetched is None or time.monotonic() - self._fetched > pause

    def _fetch(self) -> None:
        try:
            keys = self._client.show_keys()["keys"]
            self._failure = None
        except BuildtrackError as error:
            self._failure = error
            return
        finally:
            self._fetched = time.monotonic()
        self._keys = {key["kid"]: Ed25519PublicKey.from_public_bytes(_bytes(key["x"])) for key in keys}


def _document(part: str) -> dict[str, Any]:
    try:
        document = loads(_bytes(part))
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise TokenError("the token is no JWT")
    return document


def _bytes(part: str) -> bytes:
    try:
        return base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise TokenError("the token is no JWT") from None
