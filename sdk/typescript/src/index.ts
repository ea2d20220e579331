// The client of a Buildtrack server. `buildtrack/webhooks`, `/relay`, `/arena` and `/node` are beside it.

export { Client, type ClientOptions, type FollowOptions } from "./client.js";
export { ApiError, BuildtrackError, TransportError, type WrongField } from "./errors.js";
export type * from "./events.js";
export type { LiveEvent, LiveEventOf } from "./live.js";
export { Pages } from "./pages.js";
export type { Call, CallOptions } from "./transport.js";
export type * from "./types.js";
