//! Refusals of the server: problem details (RFC 9457), and the relay's errors.

use std::{fmt, time::Duration};

use buildtrack_terminal::visible;
use serde_json::{Map, Value};

/// The characters of an answer that is no JSON which are shown.
const SHOWN_MAX: usize = 500;
/// The longest time for which a call waits before it repeats a request.
const WAIT_MAX: Duration = Duration::from_mins(1);

/// The answer to a refused request.
#[derive(Debug)]
pub(crate) struct Problem {
    status: u16,
    retry_after: Option<Duration>,
    body: Value,
}

impl Problem {
    /// Reads an answer. Other bodies than JSON objects, such as those of proxies, become the detail.
    pub(crate) fn new(status: u16, retry_after: Option<Duration>, text: &str) -> Self {
        let body = serde_json::from_str(text).ok().filter(Value::is_object);
        let body = body.unwrap_or_else(|| {
            let detail: String = text.chars().take(SHOWN_MAX).collect();
            Value::Object(Map::from_iter([("status".into(), status.into()), ("detail".into(), detail.into())]))
        });
        Self { status, retry_after, body }
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    /// The whole body.
    pub(crate) fn body(&self) -> &Value {
        &self.body
    }

    /// The time to wait before a repeat, if a repeat may help. 429 is waited for in any case, because the server has not run the
    /// request. `pause` serves where the server names no time.
    pub(crate) fn wait(&self, repeatable: bool, pause: Duration) -> Option<Duration> {
        let is_retryable = self.body.get("retryable") == Some(&Value::Bool(true));
        let is_busy = matches!(self.status, 502..=504) || (self.status < 500 && is_retryable);
        let may_help = self.status == 429 || (repeatable && is_busy);
        let wait = self.retry_after.unwrap_or(pause);
        (may_help && wait <= WAIT_MAX).then_some(wait)
    }

    /// The first of these members that is a text. The relay names the problem in `reason` and describes it in `message`.
    fn text(&self, names: &[&str]) -> String {
        let found = names.iter().find_map(|name| self.body.get(*name)?.as_str());
        visible(found.unwrap_or_default()).into_owned()
    }

    fn fields(&self) -> Vec<String> {
        let errors = self.body.get("errors").and_then(Value::as_array);
        let text = |error: &Value, name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let named = |error: &Value, name: &str| visible(&text(error, name)).into_owned();
        let line = |error: &Value| {
            let location = [named(error, "pointer"), named(error, "parameter")].concat();
            let location = if location.is_empty() { "the body".to_owned() } else { location };
            format!("{location}: {}", [named(error, "message"), named(error, "hint")].join(" ").trim_end())
        };
        errors.into_iter().flatten().map(line).collect()
    }
}

impl fmt::Display for Problem {
    /// Title, status, code and detail; a line for each wrong field; the hint and the request's id.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (title, code) = (self.text(&["title", "error"]), self.text(&["code", "reason"]));
        let title = if title.is_empty() { "The server refuses the request".to_owned() } else { title };
        let named = format!("{} {code}", self.status);
        write!(formatter, "{title} ({})", named.trim_end())?;
        let detail = self.text(&["detail", "message"]);
        if !detail.is_empty() {
            write!(formatter, "\n  {detail}")?;
        }
        for field in self.fields() {
            write!(formatter, "\n  {field}")?;
        }
        for (label, name) in [("Hint", "hint"), ("Request", "requestId")] {
            let text = self.text(&[name]);
            if !text.is_empty() {
                write!(formatter, "\n  {label}: {text}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_shown_with_its_fields_and_its_hint() {
        let body = r#"{"title": "Invalid", "status": 422, "code": "validation_failed", "detail": "1 field is invalid",
            "hint": "Correct it.", "requestId": "01h", "errors": [{"pointer": "/kind", "code": "x", "message": "no kind", "hint": "Use update."}]}"#;
        let shown = Problem::new(422, None, body).to_string();
        assert_eq!(
            shown,
            "Invalid (422 validation_failed)\n  1 field is invalid\n  /kind: no kind Use update.\n  Hint: Correct it.\n  Request: 01h"
        );
    }

    #[test]
    fn the_relays_errors_and_other_texts_are_shown() {
        let relay = r#"{"ok": false, "error": "INVALID_REQUEST", "message": "No sig", "reason": "signature_missing"}"#;
        assert_eq!(Problem::new(400, None, relay).to_string(), "INVALID_REQUEST (400 signature_missing)\n  No sig");
        let page = Problem::new(502, None, "<h1>\u{1b}[31mBad gateway</h1>").to_string();
        assert!(page.contains("Bad gateway") && !page.contains('\u{1b}'), "{page}");
    }

    #[test]
    fn a_repeat_waits_as_the_server_says_and_is_safe() {
        let pause = Duration::from_millis(10);
        let problem = |status, wait: Option<u64>| Problem::new(status, wait.map(Duration::from_secs), "{}");
        assert_eq!(problem(429, Some(3)).wait(false, pause), Some(Duration::from_secs(3)));
        assert_eq!(problem(429, Some(3600)).wait(true, pause), None);
        assert_eq!(problem(503, None).wait(true, pause), Some(pause));
        assert_eq!(problem(503, None).wait(false, pause), None);
        assert_eq!(problem(422, None).wait(true, pause), None);
    }
}
