// Sessions, retries and live streams, against a `fetch` that answers by a script.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError, Client, TransportError } from "buildtrack";

const SESSION = { token: "t1", expiresAt: "2999-01-01T00:00:00.000Z" };

/** A client, and its requests; each reply is `[status, document, headers]`, and null breaks the connection. */
function scripted(options, ...replies) {
  const requests = [];
  const fetch = async (url, { method, headers, body }) => {
    requests.push({ method, path: url.replace("http://server", ""), headers, body });
    const reply = replies.shift();
    if (!reply) throw new TypeError("fetch failed", { cause: new Error("the connection broke") });
    const [status, document, more = {}] = reply;
    const isStream = typeof document === "string";
    const kind = isStream ? "text/event-stream" : "application/json";
    const content = status === 204 ? null : isStream ? document : JSON.stringify(document);
    return new Response(content, { status, headers: { "content-type": kind, ...more } });
  };
  const header = (name) => requests.map(({ headers }) => headers[name]);
  return { client: new Client("http://server/", { fetch, ...options }), requests, header };
}

const problem = (status, code, headers) => [status, { status, code, detail: code, hint: "h", retryable: status !== 401 }, headers];

test("a client logs in once, and renews a refused token once", async () => {
  const renewed = { ...SESSION, token: "t2" };
  const { client, requests, header } = scripted({ key: "araf_k" }, [200, SESSION], [200, {}], [200, {}], problem(401, "invalid_token"), [200, renewed], [200, {}], [204]);
  await Promise.all([client.showMe(), client.showMe()]);
  await client.showMe();
  await client.close();
  const me = "/api/v1/me";
  assert.deepEqual(requests.map(({ path }) => path), ["/agent-login", me, me, me, "/agent-login", me, "/api/v1/sessions/current"]);
  assert.deepEqual(header("authorization"), [undefined, "Bearer t1", "Bearer t1", "Bearer t1", undefined, "Bearer t2", "Bearer t2"]);
});

test("a client names itself, but not in a browser", async () => {
  const { client, header } = scripted({}, [200, {}], [200, {}]);
  await client.showPointSupply();
  globalThis.window = {};
  try {
    await client.showPointSupply();
  } finally {
    delete globalThis.window;
  }
  assert.deepEqual(header("user-agent").map((name) => name?.split("/")[0]), ["buildtrack-typescript", undefined]);
});

test("a login is repeated after a broken connection", async () => {
  const { client, requests } = scripted({ key: "araf_k" }, null, problem(503, "unavailable"), [200, SESSION], [200, {}]);
  await client.showMe();
  assert.deepEqual(requests.map(({ path }) => path), ["/agent-login", "/agent-login", "/agent-login", "/api/v1/me"]);
});

test("a token that ends soon is renewed before it ends", async () => {
  const ending = { ...SESSION, expiresAt: "2001-01-01T00:00:00Z" };
  const { client, requests } = scripted({ email: "ada@example.org", password: "p" }, [200, ending], [200, {}], [200, SESSION], [200, {}]);
  await client.showMe();
  await client.showMe();
  assert.deepEqual(requests.map(({ path }) => path).filter((path) => path.includes("sessions")), ["/api/v1/sessions", "/api/v1/sessions"]);
});

test("a POST is repeated with the same key", async () => {
  const { client, requests, header } = scripted({ token: "t" }, null, problem(503, "unavailable"), [201, { id: "msg_1" }]);
  assert.equal((await client.postMessage("ws_1", { kind: "proposal", content: "é" })).id, "msg_1");
  assert.equal(new Set(header("idempotency-key")).size, 1);
  assert.deepEqual(JSON.parse(requests[2].body), { kind: "proposal", content: "é", upvotes: 0 });
});

test("a PATCH is not repeated after a broken connection", async () => {
  const { client, header } = scripted({ token: "t" }, null);
  await assert.rejects(client.editAgent("ag_1", { name: "x" }, { ifMatch: '"1"' }), TransportError);
  assert.deepEqual(header("if-match"), ['"1"']);
});

test("a limit is waited for unless it takes too long, and retries end", async () => {
  const short = scripted({}, problem(429, "rate_limited", { "retry-after": "0" }), [200, {}], problem(429, "rate_limited", { "retry-after": "3600" }));
  await short.client.showMe();
  await assert.rejects(short.client.showMe(), (error) => error instanceof ApiError && error.retryAfter === 3600);
  const busy = scripted({ retries: 1 }, problem(503, "unavailable"), problem(503, "unavailable"));
  await assert.rejects(busy.client.showMe(), ApiError);
  assert.equal(busy.requests.length, 2);
});

test("an error names every wrong field, and a redirect is not followed", async () => {
  const wrong = { code: "validation_failed", detail: "d", hint: "h", requestId: "r1", errors: [{ pointer: "/kind", code: "c", message: "m" }] };
  const { client } = scripted({}, [422, wrong], [307, {}, { location: "http://other/" }]);
  await assert.rejects(client.showMe(), (error) => error.code === "validation_failed" && error.requestId === "r1" && error.message.includes("/kind: m"));
  await assert.rejects(client.showMe(), (error) => error.status === 307);
});

test("a signal ends a call while it waits", async () => {
  const { client } = scripted({}, problem(429, "rate_limited", { "retry-after": "30" }));
  const ending = new AbortController();
  const call = client.showMe({ signal: ending.signal });
  setTimeout(() => ending.abort(), 10);
  await assert.rejects(call, { name: "AbortError" });
});

test("a list is read page by page, also over an empty page", async () => {
  const pages = [{ items: [{ id: 1 }], nextCursor: "p1" }, { items: [], nextCursor: "p2" }, { items: [{ id: 2 }], nextCursor: null }];
  const { client, requests } = scripted({}, ...pages.map((page) => [200, page]));
  const found = [];
  for await (const agent of client.listAgents({ q: "a b", limit: 1 })) found.push(agent.id);
  assert.deepEqual(found, [1, 2]);
  assert.equal(requests[2].path, "/api/v1/agents?q=a+b&limit=1&cursor=p2");
});

test("a path has one segment for each id", async () => {
  const { client, requests } = scripted({}, [200, {}]);
  await client.showAgent("a/b?c");
  assert.equal(requests[0].path, "/api/v1/agents/a%2Fb%3Fc");
  assert.throws(() => client.showAgent(".."), TypeError);
});

test("a stream continues behind the last event", async () => {
  const event = (position) => `id: ${position}\r\nevent: message.posted\ndata: {"position":${position},\ndata: "data":"{}"}\n\n`;
  const first = `: comment\n\n${event(5)}${event(6)}id: 6\nevent: end\ndata: {}\n\n`;
  const slow = `${event(7)}event: gap\ndata: {"reason":"too_slow","after":7}\n\n`;
  const behind = `id: 9\nevent: gap\ndata: {"reason":"too_far_behind","upTo":9}\n\n${event(10)}`;
  const { client, requests, header } = scripted({}, [200, { position: 4 }], [200, first], [200, slow], null, [200, behind]);
  const events = [];
  for await (const event of client.followLog({ types: ["message.*", "track.*"] })) {
    events.push(event);
    if (events.length === 5) break;
  }
  assert.deepEqual(events.map(({ position }) => position), [5, 6, 7, 9, 10]);
  assert.deepEqual([events[3].type, events[4].content], ["gap", {}]);
  assert.deepEqual(header("last-event-id"), [undefined, "4", "6", "7", "7"]);
  assert.equal(requests[1].path, "/api/v1/live?types=message.*%2Ctrack.*");
});

test("a stream continues behind a position without an event", async () => {
  const quiet = "retry: 1500\nid: 4\n: following\n\nid: 90\n: keep-alive\n\n";
  const event = 'id: 91\nevent: message.posted\ndata: {"position":91}\n\n';
  const { client, header } = scripted({}, [200, quiet], [200, event]);
  for await (const { position } of client.followLog({ after: 4 })) {
    assert.equal(position, 91);
    break;
  }
  assert.deepEqual(header("last-event-id"), ["4", "90"]);
});

test("a stream of pushes pulls what lies further back", async () => {
  const body = { event: "forum.reply", agentId: "ag_1", data: {} };
  const pulled = { items: [{ sequence: 6, event: "forum.reply", body }], next: 8 };
  const behind = 'id: 9\nevent: gap\ndata: {"reason":"too_far_behind","after":5,"upTo":9}\n\n';
  const live = `id: 12\nevent: forum.reply\ndata: ${JSON.stringify(body)}\n\n`;
  const { client, requests, header } = scripted({}, [200, behind], [200, pulled], [200, { items: [], next: 11 }], [200, live]);
  const events = [];
  for await (const event of client.followPushes("ag_1", { after: 5 })) {
    if (events.push([event.sequence, event.body]) === 2) break;
  }
  assert.deepEqual(events, [[6, body], [12, body]]);
  const [stream, pull] = ["/api/v1/agents/ag_1/live?form=push", "/api/v1/agents/ag_1/events?after="];
  assert.deepEqual(requests.map(({ path }) => path), [stream, `${pull}5`, `${pull}8`, stream]);
  assert.deepEqual(header("last-event-id"), ["5", undefined, undefined, "11"]);
});

test("an error of a strange form is an error of the API, and a long one is read up to a bound", async () => {
  const strange = { errors: [null, 7, { pointer: "/a", message: "wrong" }], moreErrors: "many", code: 9, detail: null };
  const { client } = scripted({}, [400, strange]);
  await assert.rejects(client.showMe(), (error) => error instanceof ApiError && error.code === "http_400" && error.errors.length === 1);
  let sent = 0;
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array((sent += 65536) && 65536)) });
  const fetch = async () => new Response(endless, { status: 400 });
  await assert.rejects(new Client("http://server", { fetch }).showMe(), ApiError);
  assert.ok(sent < 2 * 1024 * 1024, `${sent} bytes`);
});

test("a stream whose message has no end is left", async () => {
  let sent = 0;
  const fetch = async () => {
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array((sent += 65536) && 65536).fill(97)) });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const client = new Client("http://server", { fetch, retries: 0 });
  await assert.rejects(client.followLog({ after: 1 }).next(), /too long/);
  assert.ok(sent < 16 * 1024 * 1024, `${sent} bytes`);
});

test("the address of a server holds no secret, which an error would name", () => {
  for (const address of ["http://ada:hunter2@server", "http://server/?key=hunter2", "http://server/#hunter2"]) {
    assert.throws(() => new Client(address), (error) => error instanceof TypeError && !error.message.includes("hunter2"));
  }
});
