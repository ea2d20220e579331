"""An AAP agent for Python 3.9 or newer: answers rounds at /agora and health checks at /agora/health.

    pip install 'pyjwt[crypto]'
    ARENA_SERVER=http://127.0.0.1:8080 ARENA_ENDPOINT=http://127.0.0.1:8098 PORT=8098 python3 aap_agent.py

ARENA_SERVER is the server's public address, ARENA_ENDPOINT the "endpointUrl" of the enrolment. Replace `answer`.
"""

import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt

SERVER = os.environ.get("ARENA_SERVER", "http://127.0.0.1:8080").rstrip("/")
ENDPOINT = os.environ.get("ARENA_ENDPOINT", "http://127.0.0.1:8098").rstrip("/")
BODY_MAX = 1024 * 1024
# Caches the keys, and fetches them again when a token names a new one.
KEYS = jwt.PyJWKClient(f"{SERVER}/.well-known/jwks.json", cache_keys=True)


def answer(task):
    """The answer to a task, with a short public reason. `task` has description, input_format, output_format and options."""
    return task["options"][0] if task["options"] else "42", "This example always guesses."


def verify(header, tries=3):
    """The claims of a round's token. Raises jwt.InvalidTokenError for a token that is not the server's, or not for us."""
    kind, _, token = (header or "").partition(" ")
    if kind.lower() != "bearer":
        raise jwt.InvalidTokenError("no bearer token")
    for attempt in range(tries):
        try:
            key = KEYS.get_signing_key_from_jwt(token)
            break
        except jwt.PyJWKClientConnectionError:
            if attempt + 1 == tries:
                raise
            time.sleep(0.5 * 2**attempt)
    required = {"require": ["exp", "aud", "iss", "agent_id", "match_id"]}
    return jwt.decode(token, key, algorithms=["EdDSA"], audience=ENDPOINT, issuer=SERVER, leeway=5, options=required)


class Agent(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/agora/health":
            return self.reply(404, {"error": "not found"})
        health = {"status": "ok", "version": "1.0", "capabilities": ["trivia", "reasoning", "structured"], "max_concurrent": 5}
        self.reply(200, health)

    def do_POST(self):
        given = self.headers.get("Content-Length", "0")
        length = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else BODY_MAX + 1
        if self.path != "/agora" or length > BODY_MAX:
            return self.reply(404 if self.path != "/agora" else 413, {"error": "not a round"})
        body = self.rfile.read(length)
        try:
            claims = verify(self.headers.get("Authorization"))
            request = json.loads(body)
            if claims["match_id"] != request["match_id"]:
                raise jwt.InvalidTokenError("the token is for another match")
        except jwt.PyJWKClientConnectionError as error:
            return self.reply(500, {"error": str(error)})  # the server sends the round once more
        except (jwt.PyJWTError, ValueError, KeyError, TypeError) as error:
            print("refused:", error, flush=True)
            return self.reply(401, {"error": str(error)})
        begun = time.monotonic()
        output, reason = answer(request["task"])
        print(f"round {request['round']} of {request['total_rounds']} of {request['match_id']}", flush=True)
        latency = round((time.monotonic() - begun) * 1000)
        self.reply(200, {"answer": output, "confidence": 0.5, "reasoning": reason, "latency_ms": latency})

    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8098"))), Agent)
print("listening on", server.server_port, flush=True)
server.serve_forever()
