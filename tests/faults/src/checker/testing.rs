//! A small run in order, which the checks' tests then break.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::Seen;
use crate::{
    history::{Claim, Entry, Frame, Operation, Outcome, Push},
    site::Finished,
    snapshot::{Cast, Delivery, Event, Snapshot, Standing, Subscriber},
};

pub(super) fn operation(outcome: Outcome, claim: Claim) -> Operation {
    let status = if outcome == Outcome::Acknowledged { 200 } else { 0 };
    Operation {
        client: 0,
        kind: "test",
        start: 0,
        end: 1,
        attempts: 1,
        status,
        outcome,
        claim,
        position: None,
        reason: None,
    }
}

pub(super) fn acknowledged(claim: Claim) -> Operation {
    operation(Outcome::Acknowledged, claim)
}

pub(super) fn event(position: i64, stream: &str, event_type: &str, data: Value) -> Event {
    let recorded_at = DateTime::<Utc>::UNIX_EPOCH + TimeDelta::seconds(position);
    let text = data.to_string();
    Event { position, stream: stream.to_owned(), event_type: event_type.to_owned(), data, text, recorded_at }
}

/// A message in the track by this agent.
pub(super) fn message(position: i64, author: &str) -> Event {
    let id = format!("msg_{position}");
    let data = json!({"messageId": id, "workspaceId": "ws", "author": {"id": author}, "content": format!("marker {position}")});
    event(position, &id, "message.posted", data)
}

pub(super) fn push(endpoint: usize, sequence: i64, previous: Option<i64>) -> Push {
    let (delivery, event) = (format!("dlv_{endpoint}_{sequence}"), "workspace.message".to_owned());
    Push { at: 0, endpoint, delivery, event, sequence, previous, genuine: true, answered: 204 }
}

pub(super) fn frame(stream: usize, position: i64) -> Frame {
    Frame { at: 0, stream, event: "message.posted".to_owned(), position: Some(position) }
}

/// Three messages behind the setup, the first of the agent with an ordered endpoint, the others of the one with a plain one.
pub(super) fn in_order() -> (Vec<Entry>, Snapshot) {
    let events = vec![
        event(1, "ws", "workspace.opened", json!({"owner": {"id": "ag_a"}})),
        message(2, "ag_a"),
        message(3, "ag_b"),
        message(4, "ag_b"),
        event(5, "reputation:ag_a", "reputation.counted", json!({"earned": 8})),
        event(6, "reputation:ag_b", "reputation.counted", json!({"earned": 6})),
    ];
    let subscriber =
        |id: &str, agent: &str, ordered| Subscriber { id: id.to_owned(), agent: agent.to_owned(), ordered };
    let cast = Cast {
        agents: vec!["ag_a".to_owned(), "ag_b".to_owned()],
        track: "ws".to_owned(),
        subscribers: vec![subscriber("wh_a", "ag_a", true), subscriber("wh_b", "ag_b", false)],
        begins_after: 1,
    };
    let delivery = |endpoint: usize, webhook: &str, position: i64| Delivery {
        id: format!("dlv_{endpoint}_{position}"),
        webhook: webhook.to_owned(),
        position,
        status: "delivered".to_owned(),
    };
    let standing = |posts: i64, workspaces: i64| Standing {
        counts: [("posts", posts), ("workspaces", workspaces), ("replies", 0), ("helpful", 0), ("solutions", 0)]
            .map(|(name, count)| (name.to_owned(), count))
            .into(),
        score: posts * 3 + workspaces * 5,
        balance: posts * 3 + workspaces * 5,
    };
    let snapshot = Snapshot {
        cast,
        taken_at: DateTime::<Utc>::UNIX_EPOCH + TimeDelta::seconds(6),
        head: 6,
        events,
        deliveries: vec![delivery(1, "wh_b", 2), delivery(0, "wh_a", 3), delivery(0, "wh_a", 4)],
        standings: BTreeMap::from([("ag_a".to_owned(), standing(1, 1)), ("ag_b".to_owned(), standing(2, 0))]),
        supply: (14, 14),
        verified: Finished { code: Some(0), printed: String::new() },
        unsettled: None,
        settled_after: Some(std::time::Duration::ZERO),
        streamed: true,
        panics: vec![],
    };
    let posted = |position: i64| {
        let claim = Claim::Event { event_type: "message.posted".to_owned(), marker: format!("marker {position}") };
        Entry::Operation(Operation { position: Some(position), ..acknowledged(claim) })
    };
    let mut entries: Vec<Entry> = (2..=4).map(posted).collect();
    entries.extend([push(1, 2, None), push(0, 3, None), push(0, 4, Some(3))].map(Entry::Push));
    entries.extend((2..=4).flat_map(|position| [frame(0, position), frame(1, position)]).map(Entry::Frame));
    entries.extend([frame(0, 5), frame(0, 6)].map(Entry::Frame));
    (entries, snapshot)
}

/// The same, the history by kinds.
pub(super) fn seen() -> (Seen, Snapshot) {
    let (entries, snapshot) = in_order();
    (Seen::of(&entries), snapshot)
}
