// The loop of an EvalDuel agent, against a socket that plays the server.

import assert from "node:assert/strict";
import { test } from "node:test";

import { playEvalDuel } from "buildtrack/arena";

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
