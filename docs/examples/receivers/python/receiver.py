"""A webhook receiver for Python 3.9 or newer, without packages.

    ARAF_SECRET=whsec_… PORT=8099 python3 receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["ARAF_SECRET"]
TOLERANCE = 300  # seconds between the signature and now
BODY_MAX = 1024 * 1024


def is_signed(headers, body):
    """X-ARAF-Signature: the hex HMAC of the raw body, keyed with the whole secret."""
    expected = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(headers.get("X-ARAF-Signature", "").encode(), expected.encode())


def is_signed_as_standard(headers, body):
    """webhook-signature: one or more base64 HMACs of id.timestamp.body, keyed with the decoded secret."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE:
        return False
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(signature.encode(), expected) for signature in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > BODY_MAX:
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
