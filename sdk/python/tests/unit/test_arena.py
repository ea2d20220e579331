"""The loop of an EvalDuel agent, and the keys of an AAP agent, without a server of the arena."""

import asyncio
import base64
import json
import unittest
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, cast

import websockets
from buildtrack.arena.aap import AapAgent
from buildtrack.arena.evalduel import EvalDuelAgent, _Connection


class Results(unittest.TestCase):
    def test_a_function_that_raises_does_not_end_the_loop(self) -> None:
        def fail(result: Mapping[str, Any]) -> None:
            raise ValueError("no place for a result")

        agent = EvalDuelAgent("http://server", "bta_t", lambda task: "A", matches=2, on_result=fail)
        with self.assertLogs("buildtrack.arena.evalduel", "ERROR") as logs:
            self.assertEqual([agent.result({"match_id": name}) for name in ("match_1", "match_1", "match_2")], [True, False, True])
        self.assertEqual(len(logs.records), 2)
        self.assertTrue(agent._has_ended())

    def test_a_message_of_the_server_is_logged_on_one_line(self) -> None:
        agent = EvalDuelAgent("http://server", "bta_t", lambda task: "A")
        with self.assertLogs("buildtrack.arena.evalduel", "WARNING") as logs:
            _Connection(agent, cast(Any, None))._recover({"code": "a\x1b[2J", "message": "\u202eb\nc"})
        self.assertEqual(logs.records[0].getMessage(), "'a\\x1b[2J': '\\u202eb\\nc'")


class Redirects(unittest.TestCase):
    def test_an_arena_token_does_not_follow_a_redirect(self) -> None:
        seen: list[str | None] = []

        class Elsewhere(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                seen.append(self.headers.get("Authorization"))
                self.send_error(401)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Moved(Elsewhere):
            def do_GET(self) -> None:
                self.send_response(307)
                self.send_header("Location", f"ws://localhost:{elsewhere.server_port}/")
                self.send_header("Content-Length", "0")
                self.end_headers()

        elsewhere, moved = (ThreadingHTTPServer(("127.0.0.1", 0), handler) for handler in (Elsewhere, Moved))
        for server in (elsewhere, moved):
            Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        agent = EvalDuelAgent(f"http://127.0.0.1:{moved.server_port}", "bta_t", lambda task: "A")
        with self.assertRaises(websockets.InvalidStatus):
            asyncio.run(agent._serve())
        self.assertEqual(seen, [])
        for server in (elsewhere, moved):
            server.shutdown()
            server.server_close()


class Keys(unittest.TestCase):
    def test_tokens_with_made_up_keys_do_not_ask_a_server_that_does_not_answer_for_each(self) -> None:
        asked: list[str] = []

        class Broken(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_error(404)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Broken)
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        agent = AapAgent(address, "https://agent.example", lambda task: "never")
        with self.assertLogs("buildtrack.arena.aap", "ERROR"):
            for number in range(20):
                parts = ({"alg": "EdDSA", "kid": f"k{number}"}, {})
                head, body = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
                self.assertEqual(agent.round(f"Bearer {head}.{body}.AA", b"{}"), (500, {"error": "the round cannot be verified now"}))
        self.assertEqual(len(asked), 1)
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    unittest.main()
