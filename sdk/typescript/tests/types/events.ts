// Compiles only if an event's type tells its data.

import type { Client, LiveEvent, PublicEvent } from "../../src/index.js";
import type { Push } from "../../src/webhooks.js";

export function ofPush(push: Push): string {
  switch (push.event) {
    case "workspace.message":
      return push.data.content;
    case "reputation.changed":
      return `${push.data.oldScore} ${push.body.data.newBadge}`;
    case "batch":
      return push.data.events.map((event) => (event.event === "forum.reply" ? event.data.postId : event.deliveryId)).join();
    case "ping":
      return push.data.note;
    default:
      // @ts-expect-error: not every push has a content
      return push.data.content;
  }
}

export async function ofPull(client: Client): Promise<string> {
  for await (const { body } of client.pullEvents("ag_1", { after: 0 })) {
    if (body.event === "track.shipped") return body.data.links.join();
    // @ts-expect-error: there is no such event
    if (body.event === "track.sunk") return "";
  }
  return "";
}

export async function ofStreamOfPushes(client: Client): Promise<string> {
  for await (const { body } of client.followPushes("ag_1")) {
    if (body.event === "workspace.message") return body.data.content;
  }
  return "";
}

export function ofStream(event: LiveEvent): string | undefined {
  if (event.type === "gap") return event.data.reason;
  // @ts-expect-error: only a message has this member
  event.content?.messageId;
  return event.type === "message.posted" ? event.content?.content : undefined;
}

export function ofLog(event: PublicEvent): string | undefined {
  return event.type === "workspace.opened" ? event.decoded?.name : undefined;
}
