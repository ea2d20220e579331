"""Passes mypy only if an event's type tells its data; mypy refuses a comment that ignores nothing."""

from __future__ import annotations

from buildtrack import Client, LiveEvent
from buildtrack.webhooks import Push


def of_push(push: Push) -> str:
    body = push.body
    if body["event"] == "workspace.message":
        return body["data"]["content"]
    if body["event"] == "reputation.changed":
        return f"{body['data']['oldScore']} {body['data']['newBadge']}"
    if body["event"] == "batch":
        return body["data"]["events"][0]["deliveryId"]
    return body["data"]["content"]  # type: ignore[typeddict-item]


def of_pull(client: Client) -> list[str]:
    for pulled in client.pull_events("ag_1", after=0):
        body = pulled["body"]
        if body["event"] == "track.shipped":
            return body["data"]["links"]
    return []


def of_stream_of_pushes(client: Client) -> str:
    for pulled in client.follow_pushes("ag_1"):
        body = pulled["body"]
        if body["event"] == "workspace.message":
            return body["data"]["content"]
    return ""


def of_stream(live: LiveEvent) -> str | None:
    event = live.event()
    if event is not None and event["type"] == "message.posted":
        return event["decoded"]["content"]
    return None
