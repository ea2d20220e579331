"""Runs the published client of the A2A protocol (PyPI: a2a-sdk), unmodified, against a server.

    a2a_client.py SERVER TOKEN AGENT

SERVER is the server's address, to which the addresses of its cards lead here; TOKEN is a session's; AGENT is the id of an agent
that answers requests. Prints the result as one JSON object.
"""

import asyncio
import json
import sys
import uuid

import httpx
from a2a.client.card_resolver import A2ACardResolver
from a2a.client.client import ClientConfig
from a2a.client.client_factory import ClientFactory
from a2a.types import (
    AgentCard,
    AuthenticationInfo,
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import A2AError
from a2a.utils.signing import SignatureVerificationError, create_signature_verifier
from jwt.api_jwk import PyJWK

PUBLIC = "https://build.example"


class Here(httpx.AsyncHTTPTransport):
    """Sends every request to one server, whatever its address."""

    def __init__(self, server):
        super().__init__()
        self.server = httpx.URL(server)

    async def handle_async_request(self, request):
        request.url = request.url.copy_with(scheme=self.server.scheme, host=self.server.host, port=self.server.port)
        return await super().handle_async_request(request)


def message(text, task_id=None, multiround=False):
    sent = Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)], task_id=task_id)
    if multiround:
        sent.metadata.update({"multiround": True})
    return SendMessageRequest(message=sent)


async def last(events):
    """The last event of a stream, as a task."""
    return [event async for event in events][-1].task


async def refused(call):
    """The name of the error that an operation ends with."""
    try:
        await call
    except A2AError as error:
        return type(error).__name__
    return "none"


def state(task):
    return TaskState.Name(task.status.state)


async def cards(http, agent, result):
    """The cards of the server and of the agent; their signatures."""
    published = (await http.get(f"{PUBLIC}/.well-known/jwks.json")).json()["keys"]
    keys = {key["kid"]: PyJWK(key) for key in published}
    verify = create_signature_verifier(lambda kid, jku: keys[kid], ["EdDSA"])
    resolver = A2ACardResolver(http, PUBLIC)
    server = await resolver.get_agent_card(signature_verifier=verify)
    result["early"] = (await resolver.get_agent_card("/.well-known/agent.json")).name
    of_agent = A2ACardResolver(http, f"{PUBLIC}/a2a/agents/{agent}")
    agents = await of_agent.get_agent_card(signature_verifier=verify)
    forged = AgentCard()
    forged.CopyFrom(server)
    forged.name = "Another"
    try:
        verify(forged)
    except SignatureVerificationError as error:
        result["forged"] = type(error).__name__
    return server, agents


async def main(server_url, token, agent):
    result = {}
    headers = {"authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(transport=Here(server_url), headers=headers, timeout=60, trust_env=False) as http:
        server, agents = await cards(http, agent, result)

        def client(card, streaming):
            config = ClientConfig(httpx_client=http, supported_protocol_bindings=["HTTP+JSON"], streaming=streaming)
            return ClientFactory(config).create(card)

        of_server = client(server, streaming=False)
        done = await last(of_server.send_message(message("Which Build Tracks are about webhooks?")))
        result["server"] = [state(done), len(done.artifacts), done.artifacts[0].parts[0].text.startswith("This is Buildtrack")]

        of_agent = client(agents, streaming=True)
        events = [event async for event in of_agent.send_message(message("Hello"))]
        result["stream"] = [event.WhichOneof("payload") for event in events]
        result["streamed"] = events[1].artifact_update.artifact.parts[0].text

        quiet = client(agents, streaming=False)
        begun = await last(quiet.send_message(message("First", multiround=True)))
        again = await last(quiet.send_message(message("Second", task_id=begun.id)))
        result["rounds"] = [state(begun), state(again), [artifact.parts[0].text for artifact in again.artifacts]]
        shown = await quiet.get_task(GetTaskRequest(id=begun.id, history_length=1))
        result["shown"] = [[part.text for part in said.parts] for said in shown.history]
        subscribed = [event async for event in of_agent.subscribe(SubscribeToTaskRequest(id=begun.id))]
        result["subscribed"] = [event.WhichOneof("payload") for event in subscribed]
        result["canceled"] = state(await quiet.cancel_task(CancelTaskRequest(id=begun.id)))
        listed = await quiet.list_tasks(ListTasksRequest(page_size=1, include_artifacts=True))
        rest = await quiet.list_tasks(ListTasksRequest(page_token=listed.next_page_token))
        result["listed"] = [[state(task) for task in page.tasks] for page in (listed, rest)] + [listed.total_size]

        secret = AuthenticationInfo(scheme="Bearer", credentials="secret")
        push = TaskPushNotificationConfig(task_id=begun.id, url="https://example.org/", token="t", authentication=secret)
        config = await quiet.create_task_push_notification_config(push)
        named = {"task_id": begun.id, "id": config.id}
        kept = await quiet.get_task_push_notification_config(GetTaskPushNotificationConfigRequest(**named))
        listing = ListTaskPushNotificationConfigsRequest(task_id=begun.id)
        counts = [len((await quiet.list_task_push_notification_configs(listing)).configs)]
        await quiet.delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest(**named))
        counts.append(len((await quiet.list_task_push_notification_configs(listing)).configs))
        result["configs"] = [kept.url, [kept.authentication.scheme, kept.authentication.credentials], *counts]
        result["refused"] = [
            await refused(quiet.cancel_task(CancelTaskRequest(id=begun.id))),
            await refused(quiet.get_task(GetTaskRequest(id=done.id))),
            await refused(quiet.get_task_push_notification_config(GetTaskPushNotificationConfigRequest(**named))),
            await refused(last(quiet.send_message(message("Third", task_id=begun.id)))),
        ]
    print(json.dumps(result))


asyncio.run(main(*sys.argv[1:4]))
