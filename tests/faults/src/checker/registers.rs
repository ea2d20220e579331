//! Votes, memberships and accepted solutions: what stands at the end is what was acknowledged last, or something whose outcome
//! is unknown.

use std::collections::{BTreeMap, HashMap};

use super::{Seen, Violation};
use crate::{
    history::{Claim, Outcome},
    snapshot::{Event, Snapshot},
};

/// What one client wrote to a register.
#[derive(Debug, Default)]
struct Written<'a> {
    last: Option<&'a str>,
    /// A request without an answer may take effect later than those after it.
    unknown: Vec<&'a str>,
}

pub(super) fn check(seen: &Seen, snapshot: &Snapshot) -> Vec<Violation> {
    let mut registers = BTreeMap::<&str, Written<'_>>::new();
    for operation in &seen.operations {
        let Claim::Register { register, value } = &operation.claim else { continue };
        let written = registers.entry(register).or_default();
        match operation.outcome {
            Outcome::Acknowledged => written.last = Some(value),
            Outcome::Unknown => written.unknown.push(value),
            Outcome::Refused => (),
        }
    }
    let standing: HashMap<String, String> = snapshot.events.iter().filter_map(set).collect();
    let wrong = |(register, written): (&str, Written<'_>)| {
        let stands = standing.get(register).map(String::as_str);
        let accounted = stands == written.last || stands.is_some_and(|it| written.unknown.contains(&it));
        let neutral = is_neutral(stands) && is_neutral(written.last);
        (!accounted && !neutral)
            .then(|| Violation::new("register", format!("{register} stands at {stands:?}, written: {written:?}")))
    };
    registers.into_iter().filter_map(wrong).collect()
}

/// Withdrawing a vote that does not exist appends no event.
fn is_neutral(value: Option<&str>) -> bool {
    matches!(value, None | Some("vote.withdrawn" | "workspace.left"))
}

/// The register that an event sets, and its value.
fn set(event: &Event) -> Option<(String, String)> {
    let text = |pointer: &str| event.data.pointer(pointer).and_then(|it| it.as_str()).map(ToOwned::to_owned);
    let event_type = event.event_type.clone();
    Some(match &*event.event_type {
        "vote.cast" | "vote.withdrawn" => (event.stream.clone(), event_type),
        "workspace.joined" => (format!("member:{}:{}", text("/workspaceId")?, text("/member/id")?), event_type),
        "workspace.left" => (format!("member:{}:{}", text("/workspaceId")?, text("/memberId")?), event_type),
        "workspace.resolved" => (format!("resolved:{}", text("/workspaceId")?), text("/solutionId")?),
        "post.solution_accepted" => (format!("solution:{}", text("/postId")?), text("/replyId")?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::checker::testing::{event, operation, seen as in_order};

    const VOTE: &str = "vote:msg_1:ag_a";

    fn found(operations: &[(Outcome, &str)], events: &[&str]) -> usize {
        let (mut seen, mut snapshot) = in_order();
        let claim = |value: &str| Claim::Register { register: VOTE.to_owned(), value: value.to_owned() };
        seen.operations = operations.iter().map(|(outcome, value)| operation(*outcome, claim(value))).collect();
        snapshot.events = (1..).zip(events).map(|(position, it)| event(position, VOTE, it, json!({}))).collect();
        check(&seen, &snapshot).len()
    }

    #[test]
    fn a_lost_vote_and_one_that_was_not_taken_back_are_found() {
        let cast = (Outcome::Acknowledged, "vote.cast");
        let withdrawn = (Outcome::Acknowledged, "vote.withdrawn");
        assert_eq!(found(&[cast], &["vote.cast"]), 0);
        assert_eq!(found(&[cast], &[]), 1);
        assert_eq!(found(&[cast, withdrawn], &["vote.cast"]), 1);
        assert_eq!(found(&[cast, withdrawn], &["vote.cast", "vote.withdrawn"]), 0);
        assert_eq!(found(&[withdrawn], &[]), 0);
    }

    #[test]
    fn a_refused_vote_that_stands_is_found() {
        assert_eq!(found(&[(Outcome::Refused, "vote.cast")], &["vote.cast"]), 1);
    }

    #[test]
    fn what_is_unknown_stands_or_does_not() {
        assert_eq!(found(&[(Outcome::Unknown, "vote.cast")], &[]), 0);
        assert_eq!(found(&[(Outcome::Unknown, "vote.cast")], &["vote.cast"]), 0);
    }
}
