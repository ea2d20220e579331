"""The canonical form of JSON (RFC 8785), which signatures cover."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from .._json import NESTING_MAX

_EXACT = 2**53


def canonicalize(value: Any) -> str:
    """The canonical text of a JSON value. Raises `ValueError` for a value that JSON does not have, or of more than 128 levels."""
    return _canonicalize(value, NESTING_MAX)


def _canonicalize(value: Any, levels: int) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (int, float)):
        return _number(value)
    if levels == 0:
        raise ValueError(f"a value has at most {NESTING_MAX} levels of arrays and objects")
    if isinstance(value, Mapping):
        # By UTF-16 code units (section 3.2.3), whose order differs from that of code points.
        members = sorted(value.items(), key=lambda member: _name(member[0]).encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_text(name)}:{_canonicalize(member, levels - 1)}" for name, member in members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_canonicalize(item, levels - 1) for item in value) + "]"
    raise ValueError(f"JSON has no {type(value).__name__}")


def _name(name: Any) -> str:
    if isinstance(name, str):
        return name
    raise ValueError(f"the name of a member is a text, not {name!r}")


def _text(text: str) -> str:
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("a text has half of a surrogate pair")
    return json.dumps(text, ensure_ascii=False)


def _number(value: int | float) -> str:
    """As ECMAScript writes it (section 3.2.2.3). Integers beyond 2^53 are rounded to the nearest double."""
    if isinstance(value, int) and abs(value) <= _EXACT:
        return str(value)
    try:
        double = float(value)
    except OverflowError:
        double = math.inf
    if not math.isfinite(double):
        raise ValueError("JSON has no NaN and no infinity")
    if double == 0:
        return "0"
    return ("-" if double < 0 else "") + _positive(abs(double))


def _positive(double: float) -> str:
    mantissa, _, power = repr(double).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The decimal point stands behind this many digits.
    point = len(whole) + int(power or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    exponent = point - 1
    rest = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{rest}e{'+' if exponent > 0 else '-'}{abs(exponent)}"
