"""The SDK against a real server: BUILDTRACK_URL is its address, which is its public address too, and pushes to private addresses are allowed."""

import os
import queue
import re
import secrets
import threading
import unittest
from pathlib import Path
from typing import Any

from buildtrack import AuthenticationError, Client, ConflictError, NotFoundError, PreconditionFailedError
from buildtrack.relay import Relay, Signer
from buildtrack.webhooks import Push
from buildtrack.webhooks.flask import verified

SERVER = os.environ["BUILDTRACK_URL"]
README = Path(__file__).resolve().parents[2] / "README.md"


def new_owner() -> Client:
    account = {"email": f"ada-{secrets.token_hex(8)}@example.org", "password": "correct horse battery"}
    Client(SERVER).open_account({"email": account["email"], "password": account["password"], "displayName": "Ada"})
    return Client(SERVER, **account)


class Tour(unittest.TestCase):
    def test_the_readme_works_when_pasted(self) -> None:
        blocks = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        self.assertGreater(len(blocks), 8)
        shared: dict[str, Any] = {"__name__": "readme"}
        for block in blocks:
            exec(compile(block.replace("http://127.0.0.1:8080", SERVER), "README.md", "exec"), shared)  # noqa: S102
        self.assertEqual(shared["envelope"]["sender"]["id"], shared["worker"].signer.did)
        results = shared["owner"].list_results(shared["scout_id"])
        self.assertEqual([result["mode"] for result in results], ["sparring"])


class Sessions(unittest.TestCase):
    def test_a_session_is_renewed_when_the_server_has_ended_it_and_ended_by_close(self) -> None:
        owner = new_owner()
        registered = owner.register_agent({"name": "Scout", "model": "gpt-5.2"})
        with Client(SERVER, key=registered["key"]) as agent:
            self.assertEqual(agent.show_me()["id"], registered["agent"]["id"])
            Client(SERVER, token=agent._session.token(agent._log_in)).log_out()
            self.assertEqual(agent.show_me()["id"], registered["agent"]["id"])
            token = agent._session.token(agent._log_in)
        with self.assertRaises(AuthenticationError):
            Client(SERVER, token=token).show_me()
        with self.assertRaises(AuthenticationError):
            Client(SERVER, key=f"araf_{'0' * 40}").show_me()

    def test_errors_have_classes_and_an_etag_guards_an_edit(self) -> None:
        owner = new_owner()
        agent_id = owner.register_agent({"name": "Scout", "model": "gpt-5.2"})["agent"]["id"]
        etag = owner.request("GET", f"/api/v1/agents/{agent_id}").etag
        owner.edit_agent(agent_id, {"description": "one"}, if_match=etag)
        with self.assertRaises(PreconditionFailedError):
            owner.edit_agent(agent_id, {"description": "two"}, if_match=etag)
        with self.assertRaises(NotFoundError):
            owner.show_workspace("ws_01h2e8kqvbfwea724h75qc655w")

    def test_a_repeat_with_the_same_key_gives_the_first_answer(self) -> None:
        owner = new_owner()
        opened = [owner.open_workspace({"name": "Track", "description": "d"}, idempotency_key="k1")["id"] for _ in range(2)]
        self.assertEqual(opened[0], opened[1])
        self.assertNotEqual(opened[0], owner.open_workspace({"name": "Track", "description": "d"})["id"])


class Lists(unittest.TestCase):
    def test_every_message_is_listed_once_and_every_event_is_streamed_once(self) -> None:
        owner = new_owner()
        track = owner.open_workspace({"name": "Track", "description": "d", "tags": ["build"]})
        written = [owner.post_message(track["id"], {"kind": "update", "content": f"number {n} {secrets.token_hex(40)}"})["id"] for n in range(7)]
        self.assertEqual([message["id"] for message in owner.list_messages(track["id"], order="asc", limit=3)], written)
        stream = owner.follow_workspace(track["id"], after=0, types=["message.posted"])
        self.assertEqual([event.data["stream"] for event in (next(stream) for _ in range(7))], written)
        stream.close()


class Pushes(unittest.TestCase):
    def test_a_flask_receiver_verifies_a_real_push(self) -> None:
        from flask import Flask
        from werkzeug.serving import make_server

        owner = new_owner()
        registered = owner.register_agent({"name": "Scout", "model": "gpt-5.2", "webhookEvents": ["workspace.message"]})
        pushes: queue.Queue[Push] = queue.Queue()
        app = Flask("receiver")
        app.post("/hook")(verified(registered["webhookSecret"])(lambda push: pushes.put(push)))
        server = make_server("127.0.0.1", 0, app, threaded=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        owner.edit_agent(registered["agent"]["id"], {"webhookUrl": f"http://127.0.0.1:{server.server_port}/hook"})
        agent = Client(SERVER, key=registered["key"])
        track = agent.open_workspace({"name": "Track", "description": "d"})
        owner.join_workspace(track["id"])
        owner.post_message(track["id"], {"kind": "proposal", "content": "Sign every push. 🤝"})
        push = pushes.get(timeout=30)
        self.assertEqual((push.event, push.data["content"]), ("workspace.message", "Sign every push. 🤝"))
        pulled = next(agent.pull_events(registered["agent"]["id"], after=(push.sequence or 0) - 1))
        self.assertEqual((pulled["sequence"], pulled["body"]), (push.sequence, push.body))
        stream = agent.follow_pushes(registered["agent"]["id"], after=(push.sequence or 0) - 1)
        self.assertEqual(next(stream), pulled)
        stream.close()


class Parties(unittest.TestCase):
    def test_a_party_of_the_relay_is_listed_linked_and_withdrawn(self) -> None:
        relay, owner = Relay(SERVER, Signer.generate()), new_owner()
        price = {"model": "fixed", "currency": "USD", "fixed_price": 0.01}
        manifest = {"id": "cap_1", "name": "Translate", "version": "1.0", "intents": [{"id": "translation.en_zh", "name": "Translate"}], "pricing": price}
        relay.register("Scout", [manifest])
        self.assertEqual(relay.heartbeat("busy")["status"], "busy")
        agent_id = owner.register_agent({"name": "Scout", "model": "gpt-5.2"})["agent"]["id"]
        self.assertEqual(relay.link(owner, agent_id)["did"], relay.signer.did)
        envelope = relay.send("REQUEST", {"intent": "translation.en_zh"}, thread=f"thread_{secrets.token_hex(8)}")
        relay.client.submit_event(envelope)  # a duplicate
        with self.assertRaises(ConflictError):
            relay.client.submit_event(relay.envelope("REQUEST", {"intent": "x.y"}, id=envelope["id"]))
        relay.withdraw()


if __name__ == "__main__":
    unittest.main()
