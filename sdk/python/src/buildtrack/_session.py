"""The session of a client: logging in, and renewing before the token expires."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

RENEW_BEFORE = timedelta(minutes=5)


@dataclass
class Credentials:
    """How to log in: the path, and the body that holds the secret."""

    path: str
    body: dict[str, Any]


class Session:
    """A token that is renewed when it must be. Threads may share it."""

    def __init__(self, credentials: Credentials | None, token: str | None) -> None:
        self._credentials = credentials
        self._token = token
        self._expires: datetime | None = None
        self._opened = False
        self._lock = threading.Lock()

    @property
    def can_renew(self) -> bool:
        return self._credentials is not None

    @property
    def opened(self) -> bool:
        """Whether this session was opened here, so that it is ours to end."""
        return self._opened

    def token(self, log_in: Callable[[Credentials], dict[str, Any]]) -> str | None:
        """The token to send; logs in if there is none, or if it expires within five minutes."""
        with self._lock:
            if self._credentials is not None and (self._token is None or self._is_old()):
                self._log_in(self._credentials, log_in)
            return self._token

    def renew(self, refused: str | None, log_in: Callable[[Credentials], dict[str, Any]]) -> None:
        """Logs in again, unless another thread has replaced the refused token already."""
        with self._lock:
            if self._credentials is not None and self._token == refused:
                self._log_in(self._credentials, log_in)

    def forget(self) -> None:
        """Drops the token, which has ended."""
        with self._lock:
            self._token, self._expires, self._opened = None, None, False

    def _is_old(self) -> bool:
        return self._expires is not None and datetime.now(timezone.utc) >= self._expires - RENEW_BEFORE

    def _log_in(self, credentials: Credentials, log_in: Callable[[Credentials], dict[str, Any]]) -> None:
        session = log_in(credentials)
        self._token = str(session["token"])
        self._expires = _time(str(session["expiresAt"]))
        self._opened = True


def _time(text: str) -> datetime:
    # Python 3.10 reads three or six digits of a second only.
    seconds, _, _ = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(seconds).replace(tzinfo=timezone.utc)
