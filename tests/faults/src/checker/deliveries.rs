//! Pushes: each event reaches each of its subscribers under one delivery id, and no one else; all are taken in the end.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::{Seen, Violation};
use crate::snapshot::{Event, Snapshot};

/// An endpoint's number and an event's position.
type Expected = BTreeSet<(usize, i64)>;

pub(super) fn check(seen: &Seen, snapshot: &Snapshot) -> Vec<Violation> {
    let expected = expected(snapshot);
    [rows(snapshot, &expected), ids(seen), taken(seen, snapshot, &expected), signatures(seen)].concat()
}

/// Who is pushed what, counted from the log alone: a message reaches the track's members, a reply the post's author and those who
/// replied before, a changed reputation its agent; none of them its actor.
fn expected(snapshot: &Snapshot) -> Expected {
    let cast = &snapshot.cast;
    let (mut expected, mut participants) = (Expected::new(), HashMap::<String, BTreeSet<String>>::new());
    for event in &snapshot.events {
        let text = |pointer: &str| event.data.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let audience = match &*event.event_type {
            "message.posted" if text("/workspaceId") == cast.track => {
                without(cast.agents.iter().cloned(), &text("/author/id"))
            }
            "reply.written" => {
                let author = text("/author/id");
                let heard = participants.entry(text("/postId")).or_default();
                heard.insert(text("/postAuthorId"));
                let audience = without(heard.iter().cloned(), &author);
                heard.insert(author);
                audience
            }
            "reputation.changed" => vec![text("/agentId")],
            _ => vec![],
        };
        if event.position > cast.begins_after {
            expected.extend(endpoints(snapshot, event, &audience));
        }
    }
    expected
}

fn without(agents: impl Iterator<Item = String>, actor: &str) -> Vec<String> {
    agents.filter(|agent| agent != actor).collect()
}

fn endpoints(snapshot: &Snapshot, event: &Event, audience: &[String]) -> Vec<(usize, i64)> {
    let subscribers = snapshot.cast.subscribers.iter().enumerate();
    subscribers.filter(|(_, it)| audience.contains(&it.agent)).map(|(endpoint, _)| (endpoint, event.position)).collect()
}

/// One row an event and endpoint, all of them delivered.
fn rows(snapshot: &Snapshot, expected: &Expected) -> Vec<Violation> {
    let number = |webhook: &str| snapshot.cast.subscribers.iter().position(|it| it.id == webhook);
    let mut rows = BTreeMap::<(usize, i64), Vec<&str>>::new();
    for delivery in &snapshot.deliveries {
        if let Some(endpoint) = number(&delivery.webhook).filter(|_| delivery.position > snapshot.cast.begins_after) {
            rows.entry((endpoint, delivery.position)).or_default().push(&delivery.status);
        }
    }
    let missing = expected.iter().filter(|key| !rows.contains_key(key));
    let missing =
        missing.map(|key| Violation::new("undelivered", format!("no delivery for (endpoint, position) {key:?}")));
    let wrong = rows.iter().filter_map(|(key, states)| match &states[..] {
        ["delivered"] if expected.contains(key) => None,
        ["delivered"] => {
            Some(Violation::new("strangers", format!("a delivery to an agent outside the audience: {key:?}")))
        }
        [state] => Some(Violation::new("undelivered", format!("{key:?} is {state}"))),
        _ => Some(Violation::new("doubled push", format!("{key:?} has {} deliveries", states.len()))),
    });
    missing.chain(wrong).collect()
}

/// A push is repeated under its own id alone, and an id is of one event and endpoint.
fn ids(seen: &Seen) -> Vec<Violation> {
    let (mut by_event, mut by_id) = (BTreeMap::new(), BTreeMap::new());
    let mut found = Vec::new();
    for push in &seen.pushes {
        let key = (push.endpoint, push.sequence);
        let id = by_event.entry(key).or_insert(&push.delivery);
        if *id != &push.delivery {
            found.push(Violation::new("doubled push", format!("{key:?} came as {id} and as {}", push.delivery)));
        }
        let of = by_id.entry(&push.delivery).or_insert(key);
        if *of != key {
            found.push(Violation::new("doubled push", format!("{} is of {of:?} and of {key:?}", push.delivery)));
        }
    }
    found
}

fn taken(seen: &Seen, snapshot: &Snapshot, expected: &Expected) -> Vec<Violation> {
    let taken: Expected =
        seen.pushes.iter().filter(|it| it.answered == 204).map(|it| (it.endpoint, it.sequence)).collect();
    let attempted: Expected = seen.pushes.iter().map(|it| (it.endpoint, it.sequence)).collect();
    let lost = expected.difference(&taken).map(|key| Violation::new("lost push", format!("{key:?} was never taken")));
    let after = snapshot.cast.begins_after;
    let strangers = attempted.iter().filter(|key| key.1 > after && !expected.contains(key));
    lost.chain(
        strangers
            .map(|key| Violation::new("strangers", format!("{key:?} was pushed to an agent outside the audience"))),
    )
    .collect()
}

fn signatures(seen: &Seen) -> Vec<Violation> {
    let forged = seen.pushes.iter().filter(|push| !push.genuine);
    forged.map(|push| Violation::new("signatures", format!("{} is not signed right", push.delivery))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::checker::testing::{self, event, push};

    fn found(break_it: impl FnOnce(&mut Seen, &mut Snapshot)) -> BTreeSet<&'static str> {
        let (mut seen, mut snapshot) = testing::seen();
        break_it(&mut seen, &mut snapshot);
        check(&seen, &snapshot).into_iter().map(|violation| violation.invariant).collect()
    }

    #[test]
    fn a_push_that_never_came_is_found() {
        assert_eq!(found(|seen, _| drop(seen.pushes.remove(0))), ["lost push"].into());
        assert_eq!(found(|seen, _| seen.pushes[0].answered = 500), ["lost push"].into());
        assert_eq!(found(|_, snapshot| drop(snapshot.deliveries.remove(0))), ["undelivered"].into());
        assert_eq!(found(|_, snapshot| snapshot.deliveries[0].status = "pending".to_owned()), ["undelivered"].into());
    }

    #[test]
    fn a_repeat_under_the_same_id_is_none_and_one_under_another_is_doubled() {
        assert_eq!(found(|seen, _| seen.pushes.push(push(0, 3, None))), [].into());
        let renamed = |seen: &mut Seen, _: &mut Snapshot| {
            seen.pushes.push(crate::history::Push { delivery: "dlv_new".to_owned(), ..push(0, 3, None) });
        };
        assert_eq!(found(renamed), ["doubled push"].into());
        let mixed_up = |seen: &mut Seen, _: &mut Snapshot| seen.pushes[1].delivery = seen.pushes[2].delivery.clone();
        assert_eq!(found(mixed_up), ["doubled push"].into());
        let twice = |_: &mut Seen, snapshot: &mut Snapshot| snapshot.deliveries.push(snapshot.deliveries[0].clone());
        assert_eq!(found(twice), ["doubled push"].into());
    }

    #[test]
    fn a_push_to_its_own_author_is_found() {
        assert_eq!(found(|seen, _| seen.pushes.push(push(0, 2, None))), ["strangers"].into());
    }

    #[test]
    fn a_forged_push_is_found() {
        assert_eq!(found(|seen, _| seen.pushes[0].genuine = false), ["signatures"].into());
    }

    #[test]
    fn a_reply_reaches_the_author_and_who_replied_before() {
        let (_, mut snapshot) = testing::seen();
        let reply = |position: i64, author: &str| {
            let data = json!({"postId": "post_1", "postAuthorId": "ag_a", "author": {"id": author}});
            event(position, "reply", "reply.written", data)
        };
        snapshot.events = vec![reply(2, "ag_b"), reply(3, "ag_a"), reply(4, "ag_b")];
        assert_eq!(expected(&snapshot), [(0, 2), (1, 3), (0, 4)].into());
    }
}
