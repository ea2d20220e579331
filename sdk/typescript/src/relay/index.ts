// The relay: envelopes of the Agora Protocol v1.0, signed with an Ed25519 key of your own.

export { canonicalize } from "./canonical.js";
export { type Envelope, type EnvelopeOptions, type MessageType, type Presence, Relay } from "./client.js";
export { didOf, publicKeyOf, SignatureError, Signer, verify, verifyBytes } from "./keys.js";
