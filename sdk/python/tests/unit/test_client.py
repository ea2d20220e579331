"""Sessions, retries and live streams, against a server that answers by a script."""

import json
import threading
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from buildtrack import ApiError, Client, RateLimitedError, TransportError, ValidationError
from buildtrack._transport import ERROR_MAX, LINE_MAX
from buildtrack.live import FRAME_MAX, Frame, live_event

SESSION = {"token": "t1", "expiresAt": "2999-01-01T00:00:00.000Z"}
Reply = tuple[int, dict[str, str], Any]


class Script:
    """A server that gives one reply after another, and keeps the requests. A reply of None closes the connection."""

    def __init__(self, *replies: Reply | None) -> None:
        self.replies = list(replies)
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        script = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                script.requests.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                reply = script.replies.pop(0)
                if reply is None:
                    self.close_connection = True
                    return
                status, headers, document = reply
                content = document.encode() if isinstance(document, str) else json.dumps(document).encode()
                kind = "text/event-stream" if isinstance(document, str) else "application/json"
                self.send_response(status)
                for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> "Script":
        return self

    def __exit__(self, *_: Any) -> None:
        self.server.shutdown()
        self.server.server_close()

    def client(self, sleep: Callable[[float], None] = lambda _: None, **arguments: Any) -> Client:
        return Client(f"http://127.0.0.1:{self.server.server_port}/", sleep=sleep, **arguments)

    def header(self, name: str) -> list[str | None]:
        return [headers.get(name) for _, _, headers, _ in self.requests]


def problem(status: int, code: str, retryable: bool = False, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, named, {"status": status, "code": code, "detail": code, "hint": "h", "retryable": retryable}


class Sessions(unittest.TestCase):
    def test_a_client_logs_in_once_and_renews_a_refused_token_once(self) -> None:
        renewed = {**SESSION, "token": "t2"}
        with Script((200, {}, SESSION), (200, {}, {}), problem(401, "invalid_token"), (200, {}, renewed), (200, {}, {"id": "x"})) as script:
            client = script.client(key="araf_k")
            client.show_me()
            client.show_me()
            paths = [path for _, path, _, _ in script.requests]
            self.assertEqual(paths, ["/agent-login", "/api/v1/me", "/api/v1/me", "/agent-login", "/api/v1/me"])
            self.assertEqual(script.header("authorization"), [None, "Bearer t1", "Bearer t1", None, "Bearer t2"])

    def test_a_token_that_ends_soon_is_renewed_before_it_ends(self) -> None:
        ending = {**SESSION, "expiresAt": "2001-01-01T00:00:00.123456Z"}
        with Script((200, {}, ending), (200, {}, {}), (200, {}, SESSION), (200, {}, {})) as script:
            client = script.client(email="ada@example.org", password="p")
            client.show_me()
            client.show_me()
            self.assertEqual([path for _, path, _, _ in script.requests][::2], ["/api/v1/sessions"] * 2)

    def test_a_login_is_repeated_after_a_broken_connection(self) -> None:
        with Script(None, problem(503, "unavailable", True), (200, {}, SESSION), (200, {}, {})) as script:
            script.client(key="araf_k").show_me()
            self.assertEqual([path for _, path, _, _ in script.requests], ["/agent-login"] * 3 + ["/api/v1/me"])

    def test_a_refused_login_is_an_error(self) -> None:
        with Script(problem(401, "wrong_key")) as script, self.assertRaises(ApiError) as raised:
            script.client(key="araf_k").show_me()
        self.assertEqual(raised.exception.code, "wrong_key")

    def test_closing_ends_the_session(self) -> None:
        with Script((200, {}, SESSION), (200, {}, {}), (204, {}, {})) as script:
            with script.client(key="araf_k") as client:
                client.show_me()
            self.assertEqual(script.requests[-1][:2], ("DELETE", "/api/v1/sessions/current"))


class Retries(unittest.TestCase):
    def test_a_post_is_repeated_with_the_same_key(self) -> None:
        with Script(None, problem(503, "unavailable", True), (201, {}, {"id": "msg_1"})) as script:
            message = script.client(token="t").post_message("ws_1", {"kind": "proposal", "content": "é"})
            self.assertEqual(message["id"], "msg_1")
            self.assertEqual(len(set(script.header("idempotency-key"))), 1)
            self.assertEqual(json.loads(script.requests[2][3]), {"kind": "proposal", "content": "é", "upvotes": 0})

    def test_a_patch_is_not_repeated_after_a_broken_connection(self) -> None:
        with Script(None) as script, self.assertRaises(TransportError):
            script.client(token="t").edit_agent("ag_1", {"name": "x"}, if_match='"1"')
        self.assertEqual(script.header("if-match"), ['"1"'])

    def test_a_limit_is_waited_for_unless_it_takes_too_long(self) -> None:
        waited: list[float] = []
        with Script(problem(429, "rate_limited", True, Retry_After="7"), (200, {}, {}), problem(429, "rate_limited", True, Retry_After="3600")) as script:
            client = script.client(sleep=waited.append)
            client.show_me()
            with self.assertRaises(RateLimitedError) as raised:
                client.show_me()
        self.assertEqual((waited, raised.exception.retry_after), ([7.0], 3600.0))

    def test_retries_end(self) -> None:
        with Script(*[problem(503, "unavailable", True)] * 3) as script, self.assertRaises(ApiError):
            script.client(retries=2).show_me()
        self.assertEqual(len(script.requests), 3)

    def test_an_error_names_every_wrong_field_and_a_redirect_is_none_to_follow(self) -> None:
        wrong = {"code": "validation_failed", "detail": "d", "requestId": "r1", "errors": [{"pointer": "/kind", "code": "c", "message": "m"}]}
        with Script((422, {}, wrong), (307, {"Location": "http://127.0.0.1:1/"}, {})) as script:
            with self.assertRaises(ValidationError) as raised:
                script.client().show_me()
            self.assertEqual((raised.exception.errors[0].pointer, raised.exception.request_id), ("/kind", "r1"))
            self.assertIn("/kind: m", str(raised.exception))
            with self.assertRaises(ApiError):
                script.client().show_me()


class Lists(unittest.TestCase):
    def test_a_list_is_read_page_by_page_also_over_an_empty_page(self) -> None:
        pages = ({"items": [{"id": 1}], "nextCursor": "p1"}, {"items": [], "nextCursor": "p2"}, {"items": [{"id": 2}], "nextCursor": None})
        with Script(*((200, {}, page) for page in pages)) as script:
            found = [agent["id"] for agent in script.client().list_agents(q="a b", limit=1)]
            self.assertEqual(found, [1, 2])
            self.assertEqual([path for _, path, _, _ in script.requests][2], "/api/v1/agents?q=a+b&cursor=p2&limit=1")

    def test_a_path_has_one_segment_for_each_id(self) -> None:
        with Script((200, {}, {})) as script:
            script.client().show_agent("a/b?c")
            self.assertEqual(script.requests[0][1], "/api/v1/agents/a%2Fb%3Fc")
            with self.assertRaises(ValueError):
                script.client().show_agent("..")


class Streams(unittest.TestCase):
    def test_a_stream_continues_behind_the_last_event(self) -> None:
        event = 'id: {0}\nevent: message.posted\ndata: {{"position":{0},\ndata: "data":"{{}}"}}\n\n'
        first = f": comment\n\n{event.format(5)}{event.format(6)}id: 6\nevent: end\ndata: {{}}\n\n"
        slow = f'{event.format(7)}event: gap\ndata: {{"reason":"too_slow","after":7}}\n\n'
        behind = f'id: 9\nevent: gap\ndata: {{"reason":"too_far_behind","upTo":9}}\n\n{event.format(10)}'
        with Script((200, {}, {"position": 4}), (200, {}, first), (200, {}, slow), None, (200, {}, behind)) as script:
            stream = script.client().follow_log(types=["message.*", "track.*"])
            events = [next(stream) for _ in range(5)]
            stream.close()
            self.assertEqual([event.position for event in events], [5, 6, 7, 9, 10])
            self.assertEqual((events[3].type, events[4].content()), ("gap", {}))
            self.assertEqual(script.header("last-event-id"), [None, "4", "6", "7", "7"])
            self.assertEqual(script.requests[1][1], "/api/v1/live?types=message.%2A%2Ctrack.%2A")

    def test_a_stream_continues_behind_a_position_without_an_event(self) -> None:
        quiet = "retry: 1500\nid: 4\n: following\n\nid: 90\n: keep-alive\n\n"
        event = 'id: 91\nevent: message.posted\ndata: {"position":91}\n\n'
        with Script((200, {}, quiet), (200, {}, event)) as script:
            stream = script.client().follow_log(after=4)
            self.assertEqual(next(stream).position, 91)
            stream.close()
            self.assertEqual(script.header("last-event-id"), ["4", "90"])

    def test_a_stream_of_pushes_pulls_what_lies_further_back(self) -> None:
        body = {"event": "forum.reply", "agentId": "ag_1", "data": {}}
        pulled = {"items": [{"sequence": 6, "event": "forum.reply", "body": body}], "next": 8}
        behind = 'id: 9\nevent: gap\ndata: {"reason":"too_far_behind","after":5,"upTo":9}\n\n'
        live = f"id: 12\nevent: forum.reply\ndata: {json.dumps(body)}\n\n"
        nothing = {"items": [], "next": 11}
        with Script((200, {}, behind), (200, {}, pulled), (200, {}, nothing), (200, {}, live)) as script:
            stream = script.client().follow_pushes("ag_1", after=5)
            self.assertEqual([(event["sequence"], event["body"]) for event in (next(stream), next(stream))], [(6, body), (12, body)])
            stream.close()
            paths = ["/api/v1/agents/ag_1/live?form=push", "/api/v1/agents/ag_1/events?after=5", "/api/v1/agents/ag_1/events?after=8"]
            self.assertEqual([request[1] for request in script.requests], [*paths, paths[0]])
            self.assertEqual(script.header("last-event-id"), ["5", None, None, "11"])

    def test_an_event_of_the_log_has_its_data_decoded_and_a_gap_has_none(self) -> None:
        frame = Frame(id="5", event="message.posted", data='{"type":"message.posted","decoded":{"content":"Push."}}')
        event = live_event(frame).event()
        assert event is not None and event["type"] == "message.posted"
        self.assertEqual(event["decoded"]["content"], "Push.")
        self.assertIsNone(live_event(Frame(event="gap", data='{"reason":"too_far_behind"}')).event())

    def test_an_error_of_a_strange_form_is_an_error_of_the_api(self) -> None:
        for strange in ({"errors": 7}, {"errors": [None, {"pointer": "/a"}]}, {"moreErrors": "many"}, {"moreErrors": 1e999}, []):
            error = ApiError.of(400, {"retry-after": "Fri, 01 Jan 2027 00:00:00 +99999999999999"}, json.dumps(strange).encode())
            self.assertIsInstance(error, ValidationError)
            self.assertEqual((error.more_errors, error.retry_after), (0, None))

    def test_a_stream_whose_message_has_no_end_is_left(self) -> None:
        for endless in ("x" * (LINE_MAX + 1), f"data: {'y' * 1000}\n" * (FRAME_MAX // 1000)):
            with Script((200, {}, endless)) as script:
                with self.assertRaisesRegex(TransportError, "too long"):
                    next(script.client(retries=0).follow_log(after=1))

    def test_the_beginning_of_a_long_error_is_read(self) -> None:
        with Script((400, {}, "x" * (2 * ERROR_MAX))) as script:
            answer = script.client(retries=0)._transport.send("GET", "/", {}, {}, None, 10)
            self.assertEqual(len(answer.content), ERROR_MAX)

    def test_the_address_of_a_server_holds_no_secret_which_an_error_would_name(self) -> None:
        for address in ("http://ada:hunter2@server", "http://server/?key=hunter2", "http://server/#hunter2"):
            with self.assertRaises(ValueError) as refused:
                Client(address)
            self.assertNotIn("hunter2", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
