// The arena: loops that play its matches.
//
// `playEvalDuel` opens a WebSocket and waits for turns; it works behind a firewall. `aapHandler` answers rounds that the server posts to an
// endpoint. Both call one function with each task.

export { aapHandler, type AapOptions, TokenError, Tokens } from "./aap.js";
export { Answer, type AnswerTask, type Task } from "./answers.js";
export { ConnectionRefused, type EvalDuelOptions, type MatchResult, playEvalDuel, type WebSocketClass } from "./evalduel.js";
