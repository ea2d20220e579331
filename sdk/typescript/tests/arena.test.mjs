// The loop of an EvalDuel agent, against a socket that plays the server.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";

import { aapHandler, playEvalDuel } from "buildtrack/arena";


/** A class of sockets whose server sends these messages one after the other, each once the agent has sent something or failed. */
function server(messages) {
  const sent = [];
  let current;
  const next = () => {
    const message = messages.shift();
    if (message) queueMicrotask(() => current.emit("message", { data: JSON.stringify(message) }));
  };
  class Socket {
    readyState = 1;
    #listeners = [];
    constructor() {
      current = this;
      queueMicrotask(next);
    }
    addEventListener(kind, listener) {
      this.#listeners.push([kind, listener]);
    }
    emit(kind, event) {
      for (const [known, listener] of this.#listeners) if (known === kind) listener(event);
    }
    send(text) {
      sent.push(JSON.parse(text));
      next();
    }
    close() {
      this.readyState = 3;
      queueMicrotask(() => this.emit("close", { reason: "" }));
    }
  }
  return { Socket, sent, next };
}

test("a function that throws ends neither the connection nor the loop", async () => {
  const turn = (number) => ({ type: "evalduel.match.request", match_id: "match_1", turn_id: `turn_${number}`, task: { options: [String(number)] } });
  const result = { type: "evalduel.match.result", match_id: "match_1", winner_agent_id: null, scores: {}, reason: "completed" };
  const { Socket, sent, next } = server([{ type: "evalduel.hello" }, turn(1), turn(2), result]);
  const errors = [];
  await playEvalDuel({
    server: "http://server",
    token: "bta_t",
    matches: 1,
    webSocket: Socket,
    answer: ({ options }) => {
      if (options[0] === "1") throw new Error("no answer to turn 1");
      return options[0];
    },
    onResult: () => {
      throw new Error("no place for a result");
    },
    onError: (error) => {
      errors.push(error.message);
      next();
    },
  });
  assert.deepEqual(sent.map(({ type, turn_id: turn }) => [type, turn]), [["evalduel.queue.join", undefined], ["evalduel.match.response", "turn_2"]]);
  assert.deepEqual(errors, ["no answer to turn 1", "no place for a result"]);
});

/** The base64url of a text. */
const part = (document) => Buffer.from(JSON.stringify(document)).toString("base64url");

test("tokens with made-up keys do not make an agent ask a server that does not answer for each", async () => {
  let asked = 0;
  const closed = createServer((_, response) => {
    asked += 1;
    response.writeHead(404, { "content-type": "application/json" }).end("{}");
  });
  closed.listen(0, "127.0.0.1");
  await once(closed, "listening");
  const address = `http://127.0.0.1:${closed.address().port}`;
  const handler = aapHandler({ server: address, endpoint: "https://agent.example", answer: () => "never" });
  const errors = console.error;
  console.error = () => {};
  try {
    const rounds = Array.from({ length: 50 }, async (_, number) => {
      const authorization = `Bearer ${part({ alg: "EdDSA", kid: `k${number}` })}.${part({})}.AA`;
      const answer = await handler(new Request("https://agent.example/agora", { method: "POST", headers: { authorization }, body: "{}" }));
      return [answer.status, await answer.text()];
    });
    for (const [status, text] of await Promise.all(rounds)) {
      assert.equal(status, 500);
      assert.ok(!text.includes("127.0.0.1"), text);
    }
    assert.equal(asked, 1);
  } finally {
    console.error = errors;
    closed.close();
  }
});

test("an arena token does not follow a redirect", async () => {
  const seen = [];
  const elsewhere = createServer(({ headers }, response) => {
    seen.push(headers.authorization);
    response.writeHead(401).end("elsewhere");
  });
  const moved = createServer((_, response) => response.writeHead(307, { location: `http://localhost:${elsewhere.address().port}/` }).end());
  for (const one of [elsewhere, moved]) {
    one.listen(0, "127.0.0.1");
    await once(one, "listening");
  }
  class Refused {
    addEventListener(kind, listener) {
      if (kind === "error") queueMicrotask(listener);
    }
  }
  const signal = AbortSignal.timeout(500);
  const loop = playEvalDuel({ server: `http://127.0.0.1:${moved.address().port}`, token: "bta_t", answer: () => "", webSocket: Refused, signal });
  await assert.rejects(loop, { name: "TimeoutError" });
  assert.deepEqual(seen, []);
  elsewhere.close();
  moved.close();
});

test("a message of the server is printed on one line, without what controls a terminal", async () => {
  const result = { type: "evalduel.match.result", match_id: "match_1", winner_agent_id: null, scores: {}, reason: "completed" };
  const refusal = { type: "evalduel.error", code: "a\u001b[2J", message: "\u202eb\nc\u009b" };
  const { Socket, next } = server([{ type: "evalduel.hello" }, refusal, result]);
  const [printed, warn] = [[], console.warn];
  console.warn = (text) => {
    printed.push(text);
    next();
  };
  try {
    await playEvalDuel({ server: "http://server", token: "bta_t", matches: 1, webSocket: Socket, answer: () => "" });
  } finally {
    console.warn = warn;
  }
  assert.deepEqual(printed, ["arena: a\\u{1b}[2J: \\u{202e}b\\u{a}c\\u{9b}"]);
});
