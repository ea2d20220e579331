//! Examines the members of an agent's message, one by one: unknown ones, missing ones, and values that the server cannot use.

use buildtrack_domain::arena::matches::RATIONALE_MAX;
use buildtrack_worker::conformance::{Findings, Level};

pub(super) use buildtrack_arena::socket::reading::{NAME_MAX, PING_ID_MAX};
use serde_json::{Map, Value};

/// The characters of a value that a finding shows.
const SHOWN: usize = 60;

/// A member of a message.
struct Member {
    name: &'static str,
    /// How a message without it counts.
    if_missing: Option<Level>,
    /// What is wrong with a value, and how much that matters.
    fault: fn(&Value) -> Option<(Level, String)>,
}

const fn required(name: &'static str, fault: fn(&Value) -> Option<(Level, String)>) -> Member {
    Member { name, if_missing: Some(Level::Fault), fault }
}

const fn usual(name: &'static str, fault: fn(&Value) -> Option<(Level, String)>) -> Member {
    Member { name, if_missing: Some(Level::Warning), fault }
}

const fn optional(name: &'static str, fault: fn(&Value) -> Option<(Level, String)>) -> Member {
    Member { name, if_missing: None, fault }
}

const PING: &[Member] = &[usual("id", ping_id)];
const DESCRIPTION: &[Member] = &[usual("name", name), usual("model", name)];
const QUEUE: &[Member] = &[usual("mode", mode)];
const RESPONSE: &[Member] = &[
    required("match_id", text),
    required("turn_id", text),
    // Whether it answers the task is examined with the task.
    required("output", |_| None),
    optional("metadata", object),
];
const METADATA: &[Member] = &[
    optional("model", words),
    optional("strategy_name", words),
    optional("public_rationale", rationale),
    optional("key_decision", words),
    optional("confidence", confidence),
    optional("risk_notes", words),
];

/// Examines a message. A message of an unknown type has no members to examine.
pub(super) fn examine(findings: &mut Findings<'_>, check: &str, message: &Map<String, Value>) {
    let members = match message.get("type").and_then(Value::as_str) {
        Some("evalduel.ping") => PING,
        Some("evalduel.agent.metadata") => DESCRIPTION,
        Some("evalduel.queue.join" | "evalduel.queue.status" | "evalduel.queue.leave") => QUEUE,
        Some("evalduel.match.response") => RESPONSE,
        _ => return,
    };
    compare(findings, check, ("", message), members);
    if let Some(Value::Object(metadata)) = message.get("metadata") {
        compare(findings, check, ("metadata.", metadata), METADATA);
    }
}

fn compare(
    findings: &mut Findings<'_>,
    check: &str,
    (prefix, object): (&str, &Map<String, Value>),
    members: &[Member],
) {
    for member in members {
        let field = format!("{prefix}{}", member.name);
        match (object.get(member.name), member.if_missing) {
            (None, Some(level)) => findings.add(level, check, Some(&field), "missing"),
            (None, None) => {}
            (Some(value), _) => {
                if let Some((level, fault)) = (member.fault)(value) {
                    findings.add(level, check, Some(&field), fault);
                }
            }
        }
    }
    let is_known =
        |name: &String| prefix.is_empty() && name == "type" || members.iter().any(|member| member.name == name);
    for name in object.keys().filter(|name| !is_known(name)) {
        let name: String = name.chars().take(SHOWN).collect();
        findings.warn(check, Some(&format!("{prefix}{name}")), "no member of this message: the server ignores it");
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(SHOWN).collect()
}

fn text(value: &Value) -> Option<(Level, String)> {
    (!value.is_string()).then(|| (Level::Fault, format!("expected a string, not {}", short(value))))
}

/// A text that the server does not read.
fn words(value: &Value) -> Option<(Level, String)> {
    let is_usable = value.is_string() || value.is_null();
    (!is_usable).then(|| (Level::Warning, format!("expected a string, not {}", short(value))))
}

fn object(value: &Value) -> Option<(Level, String)> {
    let is_usable = value.is_object() || value.is_null();
    (!is_usable).then(|| (Level::Fault, format!("expected an object, not {}", short(value))))
}

fn ping_id(value: &Value) -> Option<(Level, String)> {
    let bytes = value.to_string().len();
    (bytes > PING_ID_MAX).then(|| (Level::Fault, format!("{bytes} bytes; the maximum is {PING_ID_MAX}")))
}

fn name(value: &Value) -> Option<(Level, String)> {
    let fault = match value {
        Value::String(text) if text.trim().is_empty() => "empty".to_owned(),
        Value::String(text) if text.contains('\0') => "contains the character U+0000".to_owned(),
        Value::String(text) if text.chars().count() > NAME_MAX => {
            format!("{} characters; the maximum is {NAME_MAX}", text.chars().count())
        }
        Value::Null | Value::String(_) => return None,
        other => format!("expected a string, not {}", short(other)),
    };
    Some((Level::Fault, fault))
}

fn mode(value: &Value) -> Option<(Level, String)> {
    (value != "ranked").then(|| (Level::Fault, format!("expected \"ranked\", not {}", short(value))))
}

fn rationale(value: &Value) -> Option<(Level, String)> {
    match value {
        Value::String(text) if text.chars().count() > RATIONALE_MAX => {
            Some((Level::Warning, format!("the server keeps the first {RATIONALE_MAX} characters")))
        }
        Value::Null | Value::String(_) => None,
        other => Some((Level::Fault, format!("expected a string, not {}", short(other)))),
    }
}

fn confidence(value: &Value) -> Option<(Level, String)> {
    let is_usable = value.is_null() || value.as_f64().is_some_and(|number| (0.0..=1.0).contains(&number));
    (!is_usable).then(|| (Level::Fault, format!("expected a number from 0 to 1, not {}", short(value))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(message: &Value) -> Vec<String> {
        let mut lines = Vec::new();
        let mut report = |finding: buildtrack_worker::conformance::Finding| {
            let level = if finding.level == Level::Fault { "fault" } else { "warning" };
            lines.push(format!("{level} {}: {}", finding.field.unwrap_or_default(), finding.message));
        };
        examine(&mut Findings::new(&mut report), "check", message.as_object().unwrap());
        lines
    }

    #[test]
    fn messages_of_the_protocol_have_no_finding() {
        for message in [
            json!({ "type": "evalduel.ping", "id": "ping-1" }),
            json!({ "type": "evalduel.agent.metadata", "name": "My Arena Agent", "model": "gpt-4.1" }),
            json!({ "type": "evalduel.queue.join", "mode": "ranked" }),
            json!({
                "type": "evalduel.match.response", "match_id": "match_123", "turn_id": "turn_1", "output": "Agent answer",
                "metadata": {
                    "model": "your-agent-name", "strategy_name": "schema-first", "public_rationale": "I covered every key.",
                    "key_decision": "Return strict JSON.", "confidence": 0.82, "risk_notes": "May be conservative."
                }
            }),
        ] {
            assert_eq!(lines(&message), <[String; 0]>::default(), "{message}");
        }
    }

    #[test]
    fn each_wrong_member_is_named() {
        let message = json!({
            "type": "evalduel.match.response", "match_id": 7, "output": "x", "answer": "x",
            "metadata": { "confidence": "high", "public_rationale": ["a"], "model": 7, "thoughts": "secret" }
        });
        let expected = [
            "fault match_id: expected a string, not 7",
            "fault turn_id: missing",
            "warning answer: no member of this message: the server ignores it",
            "warning metadata.model: expected a string, not 7",
            "fault metadata.public_rationale: expected a string, not [\"a\"]",
            "fault metadata.confidence: expected a number from 0 to 1, not \"high\"",
            "warning metadata.thoughts: no member of this message: the server ignores it",
        ];
        assert_eq!(lines(&message), expected);
        let message = json!({ "type": "evalduel.queue.join", "mode": "casual" });
        assert_eq!(lines(&message), ["fault mode: expected \"ranked\", not \"casual\""]);
        let message = json!({ "type": "evalduel.agent.metadata", "name": " " });
        assert_eq!(lines(&message), ["fault name: empty", "warning model: missing"]);
    }
}
