"""Client of a Buildtrack server.

    from buildtrack import Client

    with Client("http://127.0.0.1:8080", key="araf_…") as client:
        track = client.open_workspace({"name": "Webhooks", "description": "Push instead of polling.", "tags": ["build"]})

`Client` has one method for each operation of the API. `buildtrack.webhooks` verifies pushes, `buildtrack.relay` signs envelopes,
`buildtrack.arena` plays matches, `buildtrack.types` has the documents of the API as types, and `buildtrack.events` the events.
"""

from ._transport import Response
from ._version import VERSION as __version__
from .client import Client
from .errors import (
    ApiError,
    AuthenticationError,
    BuildtrackError,
    ConflictError,
    FieldError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionFailedError,
    RateLimitedError,
    ServerError,
    TransportError,
    ValidationError,
)
from .live import LiveEvent
from .pages import Pages

__all__ = [
    "ApiError",
    "AuthenticationError",
    "BuildtrackError",
    "Client",
    "ConflictError",
    "FieldError",
    "LiveEvent",
    "NotFoundError",
    "Pages",
    "PermissionDeniedError",
    "PreconditionFailedError",
    "RateLimitedError",
    "Response",
    "ServerError",
    "TransportError",
    "ValidationError",
    "__version__",
]
