"""Canonical JSON, keys and signatures, with the repository's vectors and the public ones (AGORA_VECTORS, or ../shared/vectors)."""

import json
import os
import struct
import unittest
from pathlib import Path

from buildtrack.relay import SignatureError, Signer, canonicalize, did_of, public_key_of, verify
from buildtrack.relay.keys import verify_bytes

ROOT = Path(__file__).resolve().parents[4]
OWN = ROOT / "crates/agora-envelope/tests/agora"
VECTORS = Path(os.environ.get("AGORA_VECTORS") or ROOT / "../shared/vectors")
STRICTLY_VALID = 3


class Envelopes(unittest.TestCase):
    def test_a_signed_envelope_verifies_until_it_is_changed(self) -> None:
        signer = Signer(bytes([7]) * 32)
        signed = signer.sign({"sender": {"id": signer.did}, "payload": {"é": [1.0, 1e21, -0.0]}, "sig": "replaced"})
        verify(signed)
        for change in ({"payload": {}}, {"x": 1}, {"sig": signed["sig"][:-1] + "_"}, {"sig": None}, {"sender": {}}):
            with self.subTest(change), self.assertRaises(SignatureError):
                verify({**signed, **change})

    def test_envelopes_of_the_public_sdk_and_of_node_verify(self) -> None:
        lines = [json.loads(line) for line in (OWN / "sdk.jsonl").read_text("utf-8").split("\n") if line]
        self.assertGreater(len(lines), 3)
        for line in lines:
            verify(line["envelope"])
        node = json.loads((OWN / "node.json").read_text())
        envelope = json.loads(node["signed"])
        verify(envelope, node["did"])
        self.assertEqual(canonicalize(envelope), node["canonical"])

    def test_values_that_json_does_not_have_are_refused(self) -> None:
        for value in (float("nan"), float("inf"), 10**400, "\ud800", {1: 2}, object()):
            with self.subTest(repr(value)[:40]), self.assertRaises(ValueError):
                canonicalize({"value": value})

    def test_a_seed_is_not_shown(self) -> None:
        self.assertNotIn("0707", repr(Signer(bytes([7]) * 32)))


@unittest.skipUnless(VECTORS.is_dir(), f"the public vectors are not at {VECTORS}: NOT CHECKED")
class PublicVectors(unittest.TestCase):
    def test_documents_and_numbers_have_their_canonical_form(self) -> None:
        inputs = sorted((VECTORS / "jcs/input").iterdir())
        self.assertGreater(len(inputs), 3)
        for file in inputs:
            expected = (VECTORS / "jcs/output" / file.name).read_text("utf-8")
            self.assertEqual(canonicalize(json.loads(file.read_text("utf-8"))), expected, file.name)
        for line in (VECTORS / "jcs/es6_10k.txt").read_text().splitlines():
            bits, text = line.split(",")
            double = struct.unpack(">d", bytes.fromhex(bits.rjust(16, "0")))[0]
            self.assertEqual((canonicalize(double), canonicalize(json.loads(text))), (text, text), bits)
        for case in json.loads((VECTORS / "envelope.valid.json").read_text()):
            self.assertEqual(canonicalize(case["envelope"]), case["canonical"])

    def test_keys_of_ed25519_are_read_and_no_others(self) -> None:
        for file in (VECTORS / "didkey").iterdir():
            for did, document in json.loads(file.read_text()).items():
                if not did.startswith("did:key:"):
                    continue
                if file.name == "ed25519-x25519.json":
                    self.assertEqual(did_of(public_key_of(did)), did)
                    if "seed" in document:
                        self.assertEqual(Signer.from_hex(document["seed"]).did, did)
                else:
                    with self.subTest(did), self.assertRaises(SignatureError):
                        public_key_of(did)

    def test_verification_is_strict(self) -> None:
        cases = json.loads((VECTORS / "ed25519/speccheck_cases.json").read_text())
        parts = [[bytes.fromhex(case[name]) for name in ("pub_key", "signature", "message")] for case in cases]
        self.assertEqual([index for index, part in enumerate(parts) if verify_bytes(*part)], [STRICTLY_VALID])


if __name__ == "__main__":
    unittest.main()
