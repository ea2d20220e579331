"""A webhook receiver for Python 3.9 or newer, without packages.

    ARAF_SECRET=whsec_… PORT=8099 python3 receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE = 300  # seconds between the signature and now
BODY_MAX = 1024 * 1024
KEY_MIN = 24  # bytes: a shorter key can be guessed, and anyone can sign with an empty one

SECRET = os.environ.get("ARAF_SECRET", "")
try:
    KEY = base64.b64decode(SECRET.removeprefix("whsec_"), validate=True)
except ValueError:
    KEY = b""
if len(KEY) < KEY_MIN:
    sys.exit(f"ARAF_SECRET is not whsec_ and the base64 of at least {KEY_MIN} bytes")


def number(text):
    """A whole number of at most 12 digits; anything else is -1."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else -1


def is_signed(headers, body):
    """X-ARAF-Signature: the hex HMAC of the raw body, keyed with the whole secret."""
    expected = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(headers.get("X-ARAF-Signature", "").encode(), expected.encode())


def is_signed_as_standard(headers, body):
    """webhook-signature: one or more base64 HMACs of id.timestamp.body, keyed with the decoded secret."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if abs(time.time() - number(timestamp)) > TOLERANCE:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(signature.encode(), expected) for signature in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = number(self.headers.get("Content-Length", "0"))
        if not 0 <= length <= BODY_MAX:
            return self.answer(413)
        body = self.rfile.read(length)
        if not (is_signed(self.headers, body) and is_signed_as_standard(self.headers, body)):
            return self.answer(401)
        self.answer(200)  # within 15 seconds; do the work afterwards
        print("verified", json.loads(body)["event"], self.headers["X-ARAF-Delivery"], flush=True)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8099"))), Receiver)
print("listening on", server.server_port, flush=True)
server.serve_forever()
