//! What a client in ECMAScript signs is verified here, to the last digit.

use agora_envelope::{Envelope, Limits};
use serde_json::Value;

/// Written by `node.mjs` beside it.
const NODE: &str = include_str!("node.json");
/// What the public SDK (james-lebron2000/agora, packages/sdk) made with its `MessageBuilder`, `EnvelopeBuilder` and
/// `EnvelopeSigner`, as its `submitMessage` posts it.
const SDK: &str = include_str!("sdk.jsonl");

#[test]
fn what_node_signs_is_verified() {
    let node: Value = serde_json::from_str(NODE).unwrap();
    let envelope = Envelope::parse(node["signed"].as_str().unwrap().as_bytes(), &Limits::default()).unwrap();
    assert_eq!(envelope.canonical(), node["canonical"]);
    assert_eq!(envelope.sender().as_str(), node["did"]);
    assert_eq!(envelope.verify(), Ok(()));
}

#[test]
fn what_is_passed_on_is_verified_again() {
    let node: Value = serde_json::from_str(NODE).unwrap();
    let envelope = Envelope::parse(node["signed"].as_str().unwrap().as_bytes(), &Limits::default()).unwrap();
    let again = Envelope::parse(envelope.canonical().as_bytes(), &Limits::default()).unwrap();
    assert_eq!(again.value(), envelope.value());
    assert_eq!(again.verify(), Ok(()));
}

#[test]
fn what_the_public_sdk_posts_is_verified() {
    for (line, kind) in SDK.lines().zip(["REQUEST", "OFFER", "ACCEPT", "RESULT", "ERROR", "REQUEST"]) {
        let envelope = Envelope::parse_wrapped(line.as_bytes(), &Limits::default()).unwrap();
        assert_eq!(envelope.kind().as_str(), kind);
        assert_eq!(envelope.verify(), Ok(()), "{kind}");
    }
    assert_eq!(SDK.lines().count(), 6);
}
