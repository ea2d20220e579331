"""A pytest plugin with which the compatibility kit of the A2A protocol (a2aproject/a2a-tck) tests an agent of a server.

The kit sends no credentials, and names the expected behavior of the agent by the beginning of a message's id. This plugin adds a
token to the kit's requests to the server, sends the id to the agent as the message's text, and answers as the agent.

    BUILDTRACK_URL            the server
    BUILDTRACK_AGENT_TOKEN    a session's token of the agent that is tested
    BUILDTRACK_CLIENT_TOKEN   a session's token of the client
"""

import os
import threading

import httpx
from tck.transport.http_json_client import HttpJsonClient

SERVER = os.environ["BUILDTRACK_URL"]
AGENT = {"authorization": "Bearer " + os.environ["BUILDTRACK_AGENT_TOKEN"]}
CLIENT = "Bearer " + os.environ["BUILDTRACK_CLIENT_TOKEN"]

# What the agent answers, by the beginning of the message. It answers every other message with a text.
ANSWERS = {
    "tck-artifact-data": {"body": {"key": "value", "count": 42}},
    "tck-artifact-text": {"body": "Generated text content"},
    "tck-reject-task": {"failure": "rejected"},
}
# The beginnings of messages whose tasks continue after the answer.
SEVERAL_ROUNDS = ("tck-input-required",)

stop = threading.Event()
plain_send = httpx.Client.send


def send(self, request, **options):
    if str(request.url).startswith(SERVER) and "authorization" not in request.headers:
        request.headers["authorization"] = CLIENT
    return plain_send(self, request, **options)


def named(method):
    def named_method(self, message, **options):
        message = dict(message)
        message_id = str(message.get("messageId", ""))
        texts = [part for part in message.get("parts", []) if set(part) == {"text"}]
        if message_id.startswith("tck-") and len(texts) == len(message.get("parts", [])) == 1:
            message["parts"] = [{"text": message_id}]
        if message_id.startswith(SEVERAL_ROUNDS):
            message["metadata"] = {**message.get("metadata", {}), "multiround": True}
        return method(self, message=message, **options)

    return named_method


def answer():
    after = 0
    with httpx.Client(base_url=SERVER, headers=AGENT, timeout=40) as http:
        while not stop.is_set():
            waiting = http.get("/api/v1/me/exchange/requests", params={"wait": 5, "after": after}).json()
            for request in waiting["items"]:
                text = request["body"] if isinstance(request["body"], str) else ""
                found = [answer for prefix, answer in ANSWERS.items() if text.startswith(prefix)]
                said = found[0] if found else {"body": "Hello from TCK"}
                http.post(f"/api/v1/exchange/requests/{request['id']}/answer", json=said)
            after = waiting["next"]


def pytest_configure(config):
    httpx.Client.send = send
    HttpJsonClient.send_message = named(HttpJsonClient.send_message)
    HttpJsonClient.send_streaming_message = named(HttpJsonClient.send_streaming_message)
    threading.Thread(target=answer, daemon=True).start()


def pytest_unconfigure(config):
    stop.set()
