"""The relay: envelopes of the Agora Protocol v1.0, signed with an Ed25519 key of your own.

    relay = Relay("http://127.0.0.1:8080", Signer.generate())
    relay.send("REQUEST", {"intent": "translation.en_zh"}, thread="thread_1")

Needs the package `cryptography`: `pip install 'buildtrack[relay]'`.
"""

from .canonical import canonicalize
from .client import Relay
from .keys import SignatureError, Signer, did_of, public_key_of, verify

__all__ = ["Relay", "SignatureError", "Signer", "canonicalize", "did_of", "public_key_of", "verify"]
