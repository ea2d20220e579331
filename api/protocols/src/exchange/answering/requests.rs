//! Parsing of requests by a protocol document: one JSON object in the form that the document defines.

use actix_web::http::StatusCode;
use buildtrack_domain::exchange::conversations::Body;
use buildtrack_http::{
    app::App,
    page::Cursor,
    problem::{FieldError, Problem},
    validation::{self, Input},
};
use serde_json::{Map, Value, json};

/// A request while it is being read.
#[derive(Debug)]
pub(super) struct Asked {
    /// The fields that have not been read yet.
    pub(super) fields: Map<String, Value>,
    /// Whether the request is a string that holds the object, as clients of `agora-protocol` send it. The answer then
    /// is a string, too.
    pub(super) textual: bool,
}

impl Asked {
    /// A number that neither a 64-bit integer nor a double can hold is rounded here.
    pub(super) fn of(body: &Body) -> Result<Self, Problem> {
        match body.value() {
            Value::Object(fields) => Ok(Self { fields, textual: false }),
            Value::String(text) => match serde_json::from_str(&text) {
                Ok(Value::Object(fields)) => Ok(Self { fields, textual: true }),
                _ => Err(no_object()),
            },
            _ => Err(no_object()),
        }
    }

    /// Removes and returns the requested action, which must be one of `known`.
    pub(super) fn action(&mut self, known: &[&'static str]) -> Result<&'static str, Problem> {
        let named = self.fields.remove("action");
        let found = known.iter().find(|known| named.as_ref().and_then(Value::as_str) == Some(**known));
        found.copied().ok_or_else(|| {
            let detail = format!("\"action\" is not one of {}.", known.join(", "));
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "unknown_action", detail, "See the protocol document.")
        })
    }

    /// Validates the remaining fields. Errors name every fault.
    pub(super) async fn read<T: Input>(&self, app: &App) -> Result<T, Problem> {
        read(app, &self.fields).await
    }
}

/// Validates fields as a `T`. Errors name every fault.
pub(super) async fn read<T: Input>(app: &App, fields: &Map<String, Value>) -> Result<T, Problem> {
    validation::read(app, serde_json::to_vec(fields).unwrap_or_default().into(), None).await
}

/// Maximum bytes of the entries of an answer; a single entry may exceed it. As a string within a string, an entry may
/// take twice as many bytes.
const ENTRIES_BYTES_MAX: usize = 96 * 1024;

/// How many entries of a page of `limit` fit into an answer; at least one.
pub(super) fn fitting<R: Clone>(rows: &[R], limit: i64, show: impl Fn(R) -> Value) -> i64 {
    let mut left = ENTRIES_BYTES_MAX;
    let fits = |row: &&R| {
        let rest = left.checked_sub(show((*row).clone()).to_string().len());
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let count = rows.iter().take_while(fits).count().max(1);
    limit.min(i64::try_from(count).unwrap_or(limit))
}

fn no_object() -> Problem {
    let detail = "The body is neither a JSON object nor a string that holds one.";
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_body", detail, "See the protocol document.")
}

/// Parses the cursor that a page begins after.
pub(super) fn cursor(text: Option<&str>) -> Result<Option<i64>, Problem> {
    let parsed = text.map(str::parse::<Cursor>).transpose();
    parsed.map(|cursor| cursor.map(|cursor| cursor.0)).map_err(|_| {
        let hint = "Give the nextCursor of an earlier answer, or omit the cursor.";
        Problem::bad_parameters(vec![FieldError::field(
            "/cursor",
            "invalid",
            "cursor is not a cursor of this server",
            hint,
        )])
    })
}

/// The error body of an answer to an invalid request. Returns server errors (500 and above) as errors.
pub(super) fn error_body(problem: Problem) -> Result<Value, Problem> {
    if problem.status >= 500 {
        return Err(problem);
    }
    let mut body = json!({ "error": problem.detail, "code": problem.code, "hint": problem.hint });
    if !problem.errors.is_empty() {
        body["errors"] = json!(problem.errors);
    }
    if let Some(more) = problem.more_errors {
        body["moreErrors"] = json!(more);
    }
    if let Some(original) = &problem.original {
        body["original"] = json!(original);
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_and_a_string_that_holds_one_are_read() {
        let object = json!({ "action": "browse", "limit": 1 });
        for (body, textual) in [(object.clone(), false), (object.to_string().into(), true)] {
            let mut asked = Asked::of(&Body::try_from(body).unwrap()).unwrap();
            assert_eq!(asked.textual, textual);
            assert_eq!(asked.action(&["read", "browse"]).ok(), Some("browse"));
            assert_eq!(Value::Object(asked.fields), json!({ "limit": 1 }));
        }
        for body in ["browse", "[1]", "7", "null"] {
            assert_eq!(
                Asked::of(&Body::from(body)).map_err(|problem| problem.code).err().as_deref(),
                Some("invalid_body"),
                "{body}"
            );
        }
        let mut asked = Asked::of(&Body::read(r#"{"action":7}"#).unwrap()).unwrap();
        assert_eq!(asked.action(&["read"]).map_err(|problem| problem.code), Err("unknown_action".to_owned()));
    }

    #[test]
    fn a_server_error_is_not_reported_as_a_client_error() {
        let body = error_body(Problem::not_found("track")).unwrap();
        assert_eq!((&body["code"], &body["error"]), (&json!("not_found"), &json!("There is no such track.")));
        assert!(error_body(Problem::internal(&"broken")).is_err());
    }
}
