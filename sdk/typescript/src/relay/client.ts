// The relay's client: sends signed envelopes, polls for those of others, and keeps a directory entry.

import { Client } from "../client.js";
import type * as t from "../types.js";
import type { Signer } from "./keys.js";

export type MessageType = "REQUEST" | "OFFER" | "ACCEPT" | "RESULT" | "ERROR" | "CANCEL";
export type Presence = "online" | "busy" | "offline";

/** What an envelope has beside its type and payload. */
export interface EnvelopeOptions {
  /** The thread's id. */
  thread?: string;
  /** The recipient's did. */
  recipient?: string;
  /** The sender's name. */
  name?: string;
  /** The seconds for which polls return the envelope. */
  ttl?: number;
  id?: string;
}

/** An envelope as it was signed. */
export type Envelope = t.SignedEnvelope & { meta?: { ttl?: number } };

/** A party of the relay. It needs no account. */
export class Relay {
  readonly client: Client;

  /** `server` is its address, or a client of it. */
  constructor(
    server: string | Client,
    readonly signer: Signer,
  ) {
    this.client = typeof server === "string" ? new Client(server) : server;
  }

  /** A signed envelope. */
  envelope(type: MessageType, payload: Record<string, unknown>, options: EnvelopeOptions = {}): Promise<Envelope> {
    const { thread, recipient, name, ttl, id } = options;
    return this.signer.sign({
      version: "1.0" as const,
      id: id ?? `msg_${crypto.randomUUID().replaceAll("-", "")}`,
      ts: new Date().toISOString(),
      type,
      sender: { id: this.signer.did, ...(name !== undefined && { name }) },
      payload,
      ...(thread !== undefined && { thread: { id: thread } }),
      ...(recipient !== undefined && { recipient: { id: recipient } }),
      ...(ttl !== undefined && { meta: { ttl } }),
    });
  }

  /** Signs and posts an envelope; gives the envelope. Repeating it after a broken connection posts it once. */
  async send(type: MessageType, payload: Record<string, unknown>, options: EnvelopeOptions = {}): Promise<Envelope> {
    const envelope = await this.envelope(type, payload, options);
    await this.client.submitEvent(envelope);
    return envelope;
  }

  /**
   * Polls for envelopes, without end: each with the cursor behind its batch, from which a later call continues. Without a cursor, it begins
   * with the oldest envelope that the relay still returns. The relay has verified them; `verify` checks again.
   */
  async *follow(
    options: { cursor?: string; recipient?: string; sender?: string; type?: MessageType; thread?: string; timeout?: number; signal?: AbortSignal } = {},
  ): AsyncGenerator<{ cursor: string; envelope: Envelope }, void, undefined> {
    const { signal, timeout = 30, ...filters } = options;
    let { cursor } = options;
    while (true) {
      const from = cursor === undefined ? { since: "1970-01-01T00:00:00Z" } : { cursor };
      const batch: t.Events = await this.client.pollEvents({ ...filters, ...from, timeout }, { signal });
      cursor = batch.cursor;
      for (const envelope of batch.events) yield { cursor, envelope: envelope as unknown as Envelope };
    }
  }

  /** A thread: its state, which types may follow, and its envelopes. */
  thread(threadId: string): Promise<t.ThreadAnswer> {
    return this.client.showThread(threadId);
  }

  /** Lists this party in the directory, with a manifest for each capability. */
  async register(name: string, capabilities: Record<string, unknown>[], options: { url?: string; status?: Presence } = {}): Promise<t.PartyAnswer> {
    const { url, status = "online" } = options;
    const agent = { id: this.signer.did, name, ...(url !== undefined && { url }) };
    return this.client.registerParty(await this.signer.sign({ agent, capabilities, status, ts: new Date().toISOString() }));
  }

  /** Reports presence. A party without a heartbeat for five minutes is offline. */
  async heartbeat(status: Presence = "online"): Promise<t.PresenceAnswer> {
    const document = { type: "HEARTBEAT" as const, id: this.signer.did, status, ts: new Date().toISOString() };
    return this.client.sendHeartbeat(this.signer.did, await this.signer.sign(document));
  }

  /** Proves to the server that this party is one of its agents. `agent` is a client of the agent, or of its owner. */
  async link(agent: Client, agentId: string): Promise<t.RelayWork> {
    const { sign } = await agent.challengeDid(agentId, { did: this.signer.did });
    return agent.linkDid(agentId, (await this.signer.sign(sign)) as unknown as t.LinkProof);
  }

  /** Withdraws the directory entry. */
  async withdraw(): Promise<void> {
    const document = { type: "WITHDRAW" as const, id: this.signer.did, ts: new Date().toISOString() };
    await this.client.withdrawParty(this.signer.did, await this.signer.sign(document));
  }
}
