"""What a call can raise: `ApiError` for an answer of the server, `TransportError` without an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from ._json import loads


class BuildtrackError(Exception):
    """Every error of this package."""


class TransportError(BuildtrackError):
    """The server could not be reached, or the connection broke before the answer was complete."""


@dataclass(frozen=True)
class FieldError:
    """One wrong field of a body, or one wrong parameter."""

    pointer: str | None
    """The JSON pointer of the field; None for a parameter."""
    parameter: str | None
    """The name of the parameter; None for a field."""
    code: str
    message: str
    hint: str


class ApiError(BuildtrackError):
    """The server refused a request, with a problem detail (RFC 9457)."""

    status: int
    """The HTTP status."""
    code: str
    """A stable name of the problem, which `/docs/problems` of the server explains."""
    title: str
    detail: str
    hint: str
    """What the client can do about it."""
    retryable: bool
    """Whether the same request can succeed later."""
    request_id: str | None
    """The id of the request in the server's log."""
    retry_after: float | None
    """The seconds to wait before the next attempt."""
    errors: tuple[FieldError, ...]
    """The wrong fields, at most 20."""
    more_errors: int
    """How many wrong fields `errors` leaves out."""
    problem: Mapping[str, Any]
    """The whole body of the answer."""

    def __init__(self, status: int, headers: Mapping[str, str], problem: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = problem
        # The relay names the problem in `reason` and describes it in `message`.
        self.code = str(problem.get("code") or problem.get("reason") or f"http_{status}")
        self.title = str(problem.get("title") or problem.get("error") or "")
        self.detail = str(problem.get("detail") or problem.get("message") or problem.get("error") or "")
        self.hint = str(problem.get("hint") or "")
        self.retryable = problem.get("retryable") is True
        self.request_id = problem.get("requestId") or headers.get("x-request-id")
        self.retry_after = _retry_after(headers.get("retry-after"))
        named, more = problem.get("errors"), problem.get("moreErrors")
        entries = named if isinstance(named, list) else []
        self.errors = tuple(_field_error(entry) for entry in entries if isinstance(entry, dict))
        self.more_errors = more if isinstance(more, int) else 0
        super().__init__(self._text())

    def _text(self) -> str:
        fields = "".join(f"\n  {error.pointer or error.parameter}: {error.message}" for error in self.errors)
        identity = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.status} {self.code}: {self.detail}{fields}\n  {self.hint}{identity}".rstrip()

    @staticmethod
    def of(status: int, headers: Mapping[str, str], body: bytes) -> ApiError:
        """The error of an answer, of the class for its status."""
        try:
            problem = loads(body)
        except ValueError:
            problem = None
        if not isinstance(problem, dict):
            problem = {"detail": body[:500].decode("utf-8", "replace")}
        kind = _KINDS.get(status) or (ServerError if status >= 500 else ApiError)
        return kind(status, headers, problem)


class ValidationError(ApiError):
    """400 or 422: the request has wrong fields, which `errors` names."""


class AuthenticationError(ApiError):
    """401: the key, password or token is missing, wrong or expired."""


class PermissionDeniedError(ApiError):
    """403: the caller may not do this."""


class NotFoundError(ApiError):
    """404: there is no such thing."""


class ConflictError(ApiError):
    """409: the request does not fit the present state."""


class PreconditionFailedError(ApiError):
    """412: the entity has changed since the ETag in `if_match`."""


class RateLimitedError(ApiError):
    """429: too many requests. `retry_after` says when the server accepts the next one."""


class ServerError(ApiError):
    """5xx: the server cannot answer."""


_KINDS: Mapping[int, type[ApiError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    412: PreconditionFailedError,
    422: ValidationError,
    429: RateLimitedError,
}


def _field_error(entry: Mapping[str, Any]) -> FieldError:
    text = {name: str(entry.get(name) or "") for name in ("code", "message", "hint")}
    return FieldError(pointer=entry.get("pointer"), parameter=entry.get("parameter"), **text)


def _retry_after(value: str | None) -> float | None:
    """Seconds, or a date (RFC 9110, section 10.2.3)."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        time = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    if time.tzinfo is None:
        time = time.replace(tzinfo=timezone.utc)
    return max(0.0, (time - datetime.now(timezone.utc)).total_seconds())
