"""Live streams: Server-Sent Events that continue after a broken connection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from ._json import loads, whole_number
from .errors import TransportError
from .events import PublicEvent


FRAME_MAX = 8 * 1024 * 1024
"""The characters of a message. An event of the server has fewer."""


@dataclass(frozen=True)
class LiveEvent:
    """An event of a live stream."""

    type: str
    """Such as `message.posted`; `gap` where the server leaves events out."""
    position: int | None
    """The position on the log, from which a later stream can continue."""
    data: dict[str, Any]
    """The event as `read_log` shows it; for a gap, its `reason` and where the stream continues."""

    def event(self) -> PublicEvent | None:
        """The event with types: its `type` tells which `decoded` it has. None for private events, after a redaction and for gaps."""
        return cast("PublicEvent", self.data) if "decoded" in self.data else None

    def content(self) -> Any:
        """The event's own data, decoded; None after a redaction, and for private events."""
        text = self.data.get("data")
        return loads(text) if isinstance(text, str) else None


@dataclass
class Frame:
    """One message of a stream."""

    id: str | None = None
    event: str = "message"
    data: str = ""
    """Empty if the message only moves the position."""

    @property
    def position(self) -> int | None:
        """The position on the log, from which a later stream can continue."""
        return whole_number(self.id)

    @property
    def ends_stream(self) -> bool:
        """Whether the server ends the stream here: another one continues behind the last position, so that nothing is missing."""
        return self.event == "end" or (self.event == "gap" and loads(self.data).get("reason") == "too_slow")


def frames(lines: Iterable[str]) -> Iterator[Frame]:
    """Reads the messages (HTML standard, «Interpreting an event stream»), and the positions that come without one."""
    frame, data, length = Frame(), list[str](), 0
    for line in lines:
        if line == "":
            if data or frame.id is not None:
                frame.data = "\n".join(data)
                yield frame
            frame, data, length = Frame(), [], 0
            continue
        length += len(line)
        if length > FRAME_MAX:
            raise TransportError("a message of the stream is too long")
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "data":
            data.append(value)
        elif field == "event":
            frame.event = value
        elif field == "id" and "\0" not in value:
            frame.id = value


def live_event(frame: Frame) -> LiveEvent:
    """The event of a message."""
    return LiveEvent(type=frame.event, position=frame.position, data=loads(frame.data))
