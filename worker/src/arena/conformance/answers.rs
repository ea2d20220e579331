//! Examines the answer to a round, field by field.

use std::time::Duration;

use buildtrack_domain::arena::{
    matches::RATIONALE_MAX,
    tasks::{ANSWER_BYTES_MAX, Answer, Task},
};
use serde_json::{Map, Value};

use super::Findings;
use crate::{
    arena::aap::read_answer,
    outbound::{CallError, Response},
};

/// Examines an answer. True if the round counts.
pub(super) fn examine(
    findings: &mut Findings<'_>,
    check: &str,
    task: &Task,
    answer: &Result<Response, CallError>,
    (issuer, audience): (&str, &str),
) -> bool {
    let limit = Duration::from_secs(task.limits().seconds.into());
    let answer = match answer {
        Ok(answer) => answer,
        Err(CallError::Timeout) => {
            findings.fault(check, None, format!("no answer within the limit of {} s", limit.as_secs()));
            return false;
        }
        Err(error) => {
            findings.fault(check, None, error.to_string());
            return false;
        }
    };
    let before = findings.faults;
    if answer.status.is_redirection() {
        findings.fault(check, None, describe_redirect(answer));
        return false;
    }
    if let Some(fault) = fault_of_status(answer.status.as_u16(), issuer, audience) {
        findings.fault(check, None, fault);
        return false;
    }
    check_content_type(findings, check, answer);
    if !answer.body.is_complete {
        findings.fault(check, None, "the body is cut off, or has more than 524288 bytes");
        return false;
    }
    match serde_json::from_slice::<Value>(&answer.body.bytes) {
        Ok(Value::Object(body)) => {
            if let Some(fault) = fault_of_answer(task, body.get("answer")) {
                findings.fault(check, Some("answer"), fault);
            }
            check_others(findings, check, &body);
        }
        Ok(_) => findings.fault(check, None, "the body is not a JSON object"),
        Err(error) => findings.fault(check, None, format!("the body is not JSON: {error}")),
    }
    if answer.elapsed > limit {
        let (took, limit) = (answer.elapsed.as_millis(), limit.as_secs());
        findings.fault(check, None, format!("answered after {took} ms; the limit is {limit} s"));
    }
    let counts = read_answer(&answer.body.bytes).is_some();
    match (findings.faults > before, counts) {
        (true, _) => {}
        (false, true) => findings.good(check, format!("answered in {} ms", answer.elapsed.as_millis())),
        (false, false) => findings.fault(check, None, "the server cannot read this answer"),
    }
    counts
}

/// What the server does with a status other than 200.
fn fault_of_status(status: u16, issuer: &str, audience: &str) -> Option<String> {
    let meaning = match status {
        200 => return None,
        401 | 403 => {
            return Some(format!(
                "status {status}: the endpoint refuses the token. Its issuer is {issuer}, its audience {audience}, and its key is at \
                 {issuer}/.well-known/jwks.json"
            ));
        }
        404 | 405 => "rounds are sent with POST to <base>/agora",
        408 => "the round is lost: timeout",
        429 => "the round is lost, and the agent paused for 5 minutes",
        500 => "the server would send the round once more; a second failure loses it",
        503 => "the agent is unavailable: the first round is skipped, a later one is lost",
        501..=599 => "the round is lost: server_error",
        _ => "the round is lost: invalid_answer. Answer 200",
    };
    Some(format!("status {status}: {meaning}"))
}

/// The fault of a redirect.
pub(super) fn describe_redirect(answer: &Response) -> String {
    let location = answer.headers.get("location").and_then(|value| value.to_str().ok()).unwrap_or("nowhere");
    let location: String = location.chars().filter(|character| !character.is_control()).take(200).collect();
    format!("status {}, a redirect to {location}: the server follows no redirect", answer.status.as_u16())
}

/// Warns if the body does not say that it is JSON. The server reads it all the same.
pub(super) fn check_content_type(findings: &mut Findings<'_>, check: &str, answer: &Response) {
    let content_type = answer.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or("missing");
    if !content_type.to_ascii_lowercase().starts_with("application/json") {
        let found: String = content_type.chars().take(100).collect();
        findings.warn(check, Some("Content-Type"), format!("expected application/json, and it is {found}"));
    }
}

/// What is wrong with an answer to a task: the JSON value of AAP's `answer`, or of EvalDuel's `output`.
pub fn fault_of_answer(task: &Task, value: Option<&Value>) -> Option<String> {
    let text = match value {
        None => return Some("missing".to_owned()),
        Some(Value::Null) => return Some("null: send a string, or another JSON value".to_owned()),
        Some(value) => Answer::from_json(value).as_str().to_owned(),
    };
    let (bytes, own) = (text.len(), task.limits().answer_bytes);
    if bytes > ANSWER_BYTES_MAX {
        return Some(format!("{bytes} bytes; the maximum is {ANSWER_BYTES_MAX}"));
    }
    if text.contains('\0') {
        return Some("contains the character U+0000".to_owned());
    }
    if bytes > own {
        return Some(format!("{bytes} bytes; this task accepts {own}, so that it scores 0"));
    }
    let options = &task.public().options;
    if !options.is_empty() && !is_option(&text, options) {
        let shown: String = text.chars().take(60).collect();
        return Some(format!("{shown:?} is none of the options of the task"));
    }
    None
}

/// Whether the text is an option, or the letter of one.
fn is_option(text: &str, options: &[String]) -> bool {
    let text = text.trim().trim_end_matches(['.', ')']).to_lowercase();
    let mut letters = ('a'..='z').zip(options);
    letters.any(|(letter, option)| {
        let option = option.trim().trim_end_matches(['.', ')']).to_lowercase();
        text == option
            || text == letter.to_string()
            || text.strip_prefix(letter).is_some_and(|rest| rest.trim_start_matches([')', '.', ':', ' ']) == option)
    })
}

/// The members beside the answer. The server ignores those that it cannot read.
fn check_others(findings: &mut Findings<'_>, check: &str, body: &Map<String, Value>) {
    match body.get("confidence") {
        None | Some(Value::Null) => {}
        Some(value) if value.as_f64().is_some_and(|number| (0.0..=1.0).contains(&number)) => {}
        Some(value) => {
            findings.fault(check, Some("confidence"), format!("expected a number from 0 to 1, not {}", short(value)));
        }
    }
    match body.get("reasoning") {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) if text.chars().count() <= RATIONALE_MAX => {}
        Some(Value::String(_)) => {
            findings.warn(check, Some("reasoning"), format!("the server keeps the first {RATIONALE_MAX} characters"));
        }
        Some(value) => findings.fault(check, Some("reasoning"), format!("expected a string, not {}", short(value))),
    }
    for name in ["tokens", "latency_ms"] {
        if body.get(name).is_some_and(|value| !value.is_number() && !value.is_null()) {
            findings.warn(check, Some(name), "expected a number");
        }
    }
    for name in ["subagents_used", "tools_used"] {
        if body.get(name).is_some_and(|value| !value.is_array() && !value.is_null()) {
            findings.warn(check, Some(name), "expected a list");
        }
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_named_by_its_text_or_its_letter() {
        let options = ["Sydney".to_owned(), "Canberra".to_owned()];
        for text in ["Canberra", " canberra. ", "b", "B)", "B) Canberra", "b: canberra"] {
            assert!(is_option(text, &options), "{text}");
        }
        for text in ["Melbourne", "", "c", "A) Canberra", "The answer is Canberra"] {
            assert!(!is_option(text, &options), "{text}");
        }
    }

    #[test]
    fn every_status_but_200_is_a_fault() {
        assert_eq!(fault_of_status(200, "", ""), None);
        for status in [201, 204, 400, 401, 404, 408, 429, 500, 502, 503] {
            assert!(fault_of_status(status, "i", "a").is_some(), "{status}");
        }
    }
}
