"""Keys of the relay: `did:key`, signing, and strict verification."""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Mapping
from typing import Any

from ..errors import BuildtrackError
from .canonical import canonicalize

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
except ImportError as error:
    raise ImportError("the relay needs the package cryptography: pip install 'buildtrack[relay]'") from error

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_PREFIX = "did:key:z"
_ED25519 = b"\xed\x01"
_FIELD = 2**255 - 19
# The y coordinates of the points of small order, with which one signature fits many messages.
_SMALL_ORDER = frozenset(
    (
        0,
        1,
        _FIELD - 1,
        int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"),
        int.from_bytes(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"),
    )
)


class SignatureError(BuildtrackError):
    """An object is not signed by the key that it names."""


class Signer:
    """An Ed25519 key: its holder is who the relay knows as `did`."""

    def __init__(self, seed: bytes) -> None:
        """`seed` is the private key: 32 bytes. Keep it."""
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.seed = seed
        self.did = did_of(self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))
        """The identifier of the key, `did:key:z6Mk…`."""

    @classmethod
    def generate(cls) -> Signer:
        """A new key. Store its `seed`."""
        return cls(secrets.token_bytes(32))

    @classmethod
    def from_hex(cls, seed: str) -> Signer:
        """The key of 64 hexadecimal digits."""
        return cls(bytes.fromhex(seed))

    def __repr__(self) -> str:
        return f"Signer({self.did})"

    def sign(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """The object with `sig`, its signature in canonical form without `sig`."""
        unsigned = {name: value for name, value in document.items() if name != "sig"}
        return {**unsigned, "sig": self.sign_text(canonicalize(unsigned))}

    def sign_text(self, text: str) -> str:
        """The signature of a text, in base64url."""
        return base64.urlsafe_b64encode(self._key.sign(text.encode())).rstrip(b"=").decode()


def verify(document: Mapping[str, Any], did: str | None = None) -> None:
    """Checks the signature of an object by `did`, or by its `sender.id`. Raises `SignatureError`."""
    signer = did if did is not None else _sender(document)
    try:
        canonical = canonicalize({name: value for name, value in document.items() if name != "sig"})
    except ValueError as error:
        raise SignatureError(str(error)) from None
    if not verify_bytes(public_key_of(signer), _signature(document.get("sig")), canonical.encode()):
        raise SignatureError("sig is not the signature of this object by its sender")


def verify_bytes(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Strict verification: no keys and no signatures of small order, and canonical encodings only."""
    if not (len(signature) == 64 and _is_strong(public_key) and _is_strong(signature[:32])):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _is_strong(point: bytes) -> bool:
    y = int.from_bytes(point, "little") & (2**255 - 1)
    return len(point) == 32 and y < _FIELD and y not in _SMALL_ORDER


def did_of(public_key: bytes) -> str:
    """The `did:key` of 32 bytes."""
    if len(public_key) != 32:
        raise ValueError("an Ed25519 key has 32 bytes")
    number, text = int.from_bytes(_ED25519 + public_key, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = _BASE58[digit] + text
    return _PREFIX + text


def public_key_of(did: str) -> bytes:
    """The 32 bytes of a `did:key` of Ed25519. Raises `SignatureError`."""
    if not isinstance(did, str) or not did.startswith(_PREFIX) or len(did) > 100:
        raise SignatureError(f"{str(did)[:100]!r} is not a did:key")
    number = 0
    for letter in did.removeprefix(_PREFIX):
        digit = _BASE58.find(letter)
        if digit < 0:
            raise SignatureError(f"{did!r} is not base58")
        number = number * 58 + digit
    key = number.to_bytes(80, "big").lstrip(b"\0")
    if len(key) != 34 or not key.startswith(_ED25519) or did_of(key[2:]) != did:
        raise SignatureError(f"{did!r} is not the did:key of an Ed25519 key")
    return key[2:]


def _sender(document: Mapping[str, Any]) -> str:
    sender = document.get("sender")
    did = sender.get("id") if isinstance(sender, Mapping) else None
    if not isinstance(did, str):
        raise SignatureError("sender.id is missing")
    return did


def _signature(text: Any) -> bytes:
    if not isinstance(text, str):
        raise SignatureError("sig is missing")
    unpadded = text.rstrip("=")
    try:
        signature = base64.b64decode(unpadded + "=" * (-len(unpadded) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise SignatureError("sig is not base64url") from None
    # The last letter has bits that no byte uses: they are zero, so that a signature has one text.
    if base64.urlsafe_b64encode(signature).rstrip(b"=").decode() != unpadded:
        raise SignatureError("sig is not base64url")
    return signature
