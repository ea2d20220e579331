"""Verification of pushes, with the published vector of Standard Webhooks and the one of the server's own tests."""

import base64
import json
import unittest

from buildtrack.webhooks import KEY_MIN, VerificationError, araf_signature, check_secrets, standard_signature, verify

NOW = 1_789_000_000
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_QW5vdGhlciBzZWNyZXQgb2YgMzIgYnl0ZXMu"
SHORT = f"whsec_{base64.b64encode(bytes(KEY_MIN - 1)).decode()}"
BODY = '{"event":"workspace.message","data":{"content":"Sign every push. 🤝"}}'.encode()


def headers(secret: str = SECRET, body: bytes = BODY, now: int = NOW, **changes: str | None) -> dict[str, str]:
    given: dict[str, str | None] = {
        "Webhook-Id": "dlv_1",
        "Webhook-Timestamp": str(now),
        "Webhook-Signature": standard_signature(secret, "dlv_1", str(now), body),
        "X-Araf-Signature": araf_signature(secret, body),
        "X-Araf-Attempt": "2",
        "X-Araf-Sequence": "43",
        **{name.replace("_", "-"): value for name, value in changes.items()},
    }
    return {name: value for name, value in given.items() if value is not None}


class Signatures(unittest.TestCase):
    def test_the_seeds_signature_equals_the_one_of_node(self) -> None:
        self.assertEqual(
            araf_signature("whsec_c2VjcmV0", '{"a":"é"}'.encode()),
            "sha256=175cc0f89c9a103f7af0cb3fc843d5f466695b253aa5f2a738eaff0bd1176bde",
        )

    def test_the_standard_signature_equals_the_published_example(self) -> None:
        found = standard_signature(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}')
        self.assertEqual(found, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")


class Verification(unittest.TestCase):
    def test_a_push_gives_what_its_headers_and_body_say(self) -> None:
        push = verify(SECRET, headers(), BODY, now=NOW + 299)
        self.assertEqual((push.event, push.delivery, push.attempt, push.sequence), ("workspace.message", "dlv_1", 2, 43))
        self.assertEqual(push.data["content"], "Sign every push. 🤝")
        self.assertEqual(list(push.events()), [push.body])

    def test_a_batch_gives_each_of_its_events(self) -> None:
        body = json.dumps({"event": "batch", "data": {"events": [{"event": "a"}, {"event": "b"}]}}).encode()
        push = verify(SECRET, headers(body=body), body, now=NOW)
        self.assertEqual([event["event"] for event in push.events()], ["a", "b"])

    def test_either_secret_counts_while_a_secret_is_replaced(self) -> None:
        both = f"{standard_signature(SECRET, 'dlv_1', str(NOW), BODY)} {standard_signature(OTHER, 'dlv_1', str(NOW), BODY)}"
        overlap = headers(Webhook_Signature=both)
        self.assertEqual(verify(SECRET, overlap, BODY, now=NOW).delivery, "dlv_1")
        self.assertEqual(verify([OTHER, SECRET], overlap, BODY, now=NOW).delivery, "dlv_1")

    def test_every_change_of_a_push_is_refused(self) -> None:
        changed = {
            "another secret": (OTHER, headers(), BODY),
            "another body": (SECRET, headers(), BODY.replace(b"every", b"no")),
            "without X-ARAF-Signature": (SECRET, headers(X_Araf_Signature=None), BODY),
            "another X-ARAF-Signature": (SECRET, headers(X_Araf_Signature=f"sha256={'0' * 64}"), BODY),
            "X-ARAF-Signature beyond ASCII": (SECRET, headers(X_Araf_Signature="sha256=é"), BODY),
            "without webhook-signature": (SECRET, headers(Webhook_Signature=None), BODY),
            "another webhook-signature": (SECRET, headers(Webhook_Signature="v1,c2Vjb25k"), BODY),
            "another id": (SECRET, headers(Webhook_Id="dlv_2"), BODY),
            "without a time": (SECRET, headers(Webhook_Timestamp=None), BODY),
            "an hour late": (SECRET, headers(now=NOW - 3600), BODY),
            "an hour early": (SECRET, headers(now=NOW + 3600), BODY),
            "no JSON": (SECRET, headers(body=b"{"), b"{"),
            "JSON that nests": (SECRET, headers(body=b"[" * 100_000), b"[" * 100_000),
            "a time of 400 digits": (SECRET, headers(Webhook_Timestamp="9" * 400), BODY),
            "a time of 5000 digits": (SECRET, headers(Webhook_Timestamp="9" * 5000), BODY),
            "a time in digits beyond ASCII": (SECRET, headers(Webhook_Timestamp="²"), BODY),
        }
        for name, (secret, given, body) in changed.items():
            with self.subTest(name), self.assertRaises(VerificationError):
                verify(secret, given, body, now=float(NOW))


    def test_odd_numbers_in_headers_that_no_signature_covers_are_none(self) -> None:
        for odd in ("9" * 5000, "-1", "²", ""):
            push = verify(SECRET, headers(X_Araf_Attempt=odd, X_Araf_Sequence=odd), BODY, now=NOW)
            self.assertEqual((push.attempt, push.sequence), (1, None))

    def test_a_missing_or_short_secret_verifies_nothing(self) -> None:
        secrets: str | list[str]
        for secret in ("", "whsec_", "whsec_AA==", SHORT, "whsec_no base64", "whsec_é"):
            with self.subTest(secret), self.assertRaises(ValueError):
                check_secrets(secret)
            for secrets in (secret, [SECRET, secret]):
                with self.subTest(secrets), self.assertRaises(ValueError):
                    verify(secrets, headers(), BODY, now=NOW)
        forged = headers("whsec_")
        for secrets in ("", "whsec_", [], [""]):
            with self.subTest(secrets), self.assertRaises(ValueError):
                verify(secrets, forged, BODY, now=NOW)


class Adapters(unittest.TestCase):
    def test_an_adapter_with_a_short_secret_does_not_start(self) -> None:
        from buildtrack.webhooks.fastapi import VerifiedPush
        from buildtrack.webhooks.flask import verified

        missing: tuple[str | list[str], ...] = ("", SHORT, [])
        for adapter in (VerifiedPush, verified):
            for secrets in missing:
                with self.subTest(adapter), self.assertRaises(ValueError):
                    adapter(secrets)

    def test_fastapi_and_flask_pass_a_push_on_and_refuse_the_rest(self) -> None:
        import time

        from fastapi import Depends, FastAPI
        from fastapi.testclient import TestClient
        from flask import Flask

        from buildtrack.webhooks import BODY_MAX, Push
        from buildtrack.webhooks.fastapi import VerifiedPush
        from buildtrack.webhooks.flask import verified

        seen: list[str] = []
        fast, flask = FastAPI(), Flask("receiver")
        pushed = Depends(VerifiedPush(SECRET))

        @fast.post("/hook")
        def receive(push: Push = pushed) -> None:
            seen.append(push.event)

        @flask.post("/hook")
        @verified(SECRET)
        def hook(push: Push) -> None:
            seen.append(push.event)

        good = headers(now=int(time.time()))
        bad, long = {**good, "Webhook-Id": "dlv_2"}, b" " * (BODY_MAX + 1)
        with TestClient(fast) as client:
            statuses = [client.post("/hook", content=body, headers=given).status_code for given, body in ((good, BODY), (bad, BODY), (good, long))]
        self.assertEqual(statuses, [200, 401, 413])
        flasks = flask.test_client()
        statuses = [flasks.post("/hook", data=body, headers=given).status_code for given, body in ((good, BODY), (bad, BODY), (good, long))]
        self.assertEqual(statuses, [204, 401, 413])
        self.assertEqual(seen, ["workspace.message"] * 2)


if __name__ == "__main__":
    unittest.main()
