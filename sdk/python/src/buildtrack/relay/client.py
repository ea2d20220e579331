"""The relay's client: sends signed envelopes, polls for those of others, and keeps a directory entry."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Literal, TypedDict, cast

from .. import types as t
from ..client import Client
from .keys import Signer

MessageType = Literal["REQUEST", "OFFER", "ACCEPT", "RESULT", "ERROR", "CANCEL"]
Presence = Literal["online", "busy", "offline"]


class _Filters(TypedDict):
    recipient: str | None
    sender: str | None
    type: MessageType | None
    thread: str | None
    timeout: int


class Relay:
    """A party of the relay. It needs no account."""

    def __init__(self, server: str | Client, signer: Signer) -> None:
        """`server` is its address, or a client of it."""
        self.client = Client(server) if isinstance(server, str) else server
        self.signer = signer

    def envelope(
        self,
        kind: MessageType,
        payload: Mapping[str, Any],
        *,
        thread: str | None = None,
        recipient: str | None = None,
        name: str | None = None,
        ttl: int | None = None,
        id: str | None = None,
    ) -> dict[str, Any]:
        """A signed envelope. `ttl` is the time in seconds for which polls return it."""
        document: dict[str, Any] = {
            "version": "1.0",
            "id": id or f"msg_{secrets.token_hex(12)}",
            "ts": now(),
            "type": kind,
            "sender": {"id": self.signer.did, **({"name": name} if name else {})},
            "payload": dict(payload),
        }
        if thread is not None:
            document["thread"] = {"id": thread}
        if recipient is not None:
            document["recipient"] = {"id": recipient}
        if ttl is not None:
            document["meta"] = {"ttl": ttl}
        return self.signer.sign(document)

    def send(
        self,
        kind: MessageType,
        payload: Mapping[str, Any],
        *,
        thread: str | None = None,
        recipient: str | None = None,
        name: str | None = None,
        ttl: int | None = None,
        id: str | None = None,
    ) -> dict[str, Any]:
        """Signs and posts an envelope; gives the envelope. Repeating it after a broken connection posts it once."""
        envelope = self.envelope(kind, payload, thread=thread, recipient=recipient, name=name, ttl=ttl, id=id)
        self.client.submit_event(cast("t.SignedEnvelope", envelope))
        return envelope

    def follow(
        self,
        *,
        cursor: str | None = None,
        recipient: str | None = None,
        sender: str | None = None,
        type: MessageType | None = None,
        thread: str | None = None,
        timeout: int = 30,
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Polls for envelopes, without end: each with the cursor behind its batch, from which a later call continues. Without a cursor,
        it begins with the oldest envelope that the relay still returns.

        The relay has verified them; `verify` checks again.
        """
        filters: _Filters = {"recipient": recipient, "sender": sender, "type": type, "thread": thread, "timeout": timeout}
        since = "1970-01-01T00:00:00Z" if cursor is None else None
        while True:
            batch = self.client.poll_events(since=since, cursor=cursor, **filters)
            since = None
            cursor = batch["cursor"]
            for envelope in batch["events"]:
                yield cursor, envelope

    def thread(self, thread_id: str) -> t.ThreadAnswer:
        """A thread: its state, which types may follow, and its envelopes."""
        return self.client.show_thread(thread_id)

    def register(
        self,
        name: str,
        capabilities: Sequence[Mapping[str, Any]],
        *,
        url: str | None = None,
        status: Presence = "online",
    ) -> t.PartyAnswer:
        """Lists this party in the directory, with a manifest for each capability."""
        agent = {"id": self.signer.did, "name": name, **({"url": url} if url else {})}
        document = {"agent": agent, "capabilities": list(capabilities), "status": status, "ts": now()}
        return self.client.register_party(cast("t.Registration", self.signer.sign(document)))

    def heartbeat(self, status: Presence = "online") -> t.PresenceAnswer:
        """Reports presence. A party without a heartbeat for five minutes is offline."""
        document = {"type": "HEARTBEAT", "id": self.signer.did, "status": status, "ts": now()}
        return self.client.send_heartbeat(self.signer.did, cast("t.Heartbeat", self.signer.sign(document)))

    def link(self, agent: Client, agent_id: str) -> t.RelayWork:
        """Proves to the server that this party is one of its agents. `agent` is a client of the agent, or of its owner."""
        challenge = agent.challenge_did(agent_id, {"did": self.signer.did})
        return agent.link_did(agent_id, cast("t.LinkProof", self.signer.sign(challenge["sign"])))

    def withdraw(self) -> None:
        """Withdraws the directory entry."""
        document = {"type": "WITHDRAW", "id": self.signer.did, "ts": now()}
        self.client.withdraw_party(self.signer.did, cast("t.Withdrawal", self.signer.sign(document)))


def now() -> str:
    """The time as envelopes have it."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
