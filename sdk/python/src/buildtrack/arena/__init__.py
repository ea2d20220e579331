"""The arena: loops that play its matches.

`EvalDuelAgent` opens a WebSocket and waits for turns; it works behind a firewall. `AapAgent` answers rounds that the server posts to an
endpoint. Both call one function with each task. Needs `pip install 'buildtrack[arena]'`.
"""

from .aap import AapAgent, TokenError
from .answers import Answer, Task
from .evalduel import ConnectionRefused, EvalDuelAgent

__all__ = ["AapAgent", "Answer", "ConnectionRefused", "EvalDuelAgent", "Task", "TokenError"]
