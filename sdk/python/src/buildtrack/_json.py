"""JSON and numbers from others. JSON is bounded in its nesting before it is parsed, because the parser calls itself for each level."""

from __future__ import annotations

import json
from itertools import accumulate
from typing import Any

NESTING_MAX = 128
"""The levels of arrays and objects within each other. The server's own documents have fewer."""

_STRUCTURE = b'[]{}"'
_REST = bytes(byte for byte in range(256) if byte not in _STRUCTURE)
_STEPS = [{ord("["): 1, ord("{"): 1}.get(byte, -1) for byte in range(256)]


def loads(document: str | bytes) -> Any:
    """The value of a JSON document in UTF-8. Raises `ValueError` for everything else, and for more than 128 levels."""
    text = document if isinstance(document, str) else document.decode("utf-8-sig")
    if nesting(text.encode("utf-8", "surrogatepass")) > NESTING_MAX:
        raise ValueError(f"the document has more than {NESTING_MAX} levels of arrays and objects")
    return json.loads(text)


def nesting(document: bytes) -> int:
    """The levels that a parser would go down. Each step is one of the standard library in C, so that it costs less than parsing."""
    if document.count(b"[") + document.count(b"{") <= NESTING_MAX:
        return 0
    # Without escapes, each quotation mark begins or ends a string.
    plain = document.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _REST)
    brackets = b"".join(plain.split(b'"')[::2])
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)


def whole_number(text: str | None) -> int | None:
    """The number of a text of digits; None for everything else, and for numbers beyond 18 digits, which no position and no time has."""
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) <= 18 else None
