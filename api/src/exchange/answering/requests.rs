//! A request by a document: one JSON object, of the form that the document says.

use actix_web::http::StatusCode;
use serde_json::{Map, Value, json};

use crate::{
    app::App,
    http::{
        page::Cursor,
        problem::{FieldError, Problem},
        validation::{self, Input},
    },
};

/// A request while it is read.
#[derive(Debug)]
pub(super) struct Asked {
    /// What is still to be read.
    pub(super) fields: Map<String, Value>,
    /// Whether it came as a text that holds the object, as programs of the client `agora-protocol` send it. Then the answer
    /// is one, too.
    pub(super) textual: bool,
}

impl Asked {
    pub(super) fn of(body: &Value) -> Result<Self, Problem> {
        match body {
            Value::Object(fields) => Ok(Self { fields: fields.clone(), textual: false }),
            Value::String(text) => match serde_json::from_str(text) {
                Ok(Value::Object(fields)) => Ok(Self { fields, textual: true }),
                _ => Err(no_object()),
            },
            _ => Err(no_object()),
        }
    }

    /// What is wanted, of several things.
    pub(super) fn action(&mut self, known: &[&'static str]) -> Result<&'static str, Problem> {
        let named = self.fields.remove("action");
        let found = known.iter().find(|known| named.as_ref().and_then(Value::as_str) == Some(**known));
        found.copied().ok_or_else(|| {
            let detail = format!("\"action\" is none of {}.", known.join(", "));
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "unknown_action", detail, "See the protocol document.")
        })
    }

    /// All that is left, in this form; whatever does not fit is named.
    pub(super) async fn read<T: Input>(&self, app: &App) -> Result<T, Problem> {
        read(app, &self.fields).await
    }
}

/// Reads fields in this form; whatever does not fit is named.
pub(super) async fn read<T: Input>(app: &App, fields: &Map<String, Value>) -> Result<T, Problem> {
    validation::read(app, serde_json::to_vec(fields).unwrap_or_default().into(), None).await
}

/// Bytes of the entries that an answer shows, unless it is one alone: as a text within a text, an entry may take twice as
/// many.
const ENTRIES_BYTES_MAX: usize = 96 * 1024;

/// How many of the entries of a page of `limit` an answer shows: as many as fit into it, and one at least.
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
    let detail = "The body is no JSON object, nor a text that holds one.";
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_body", detail, "See the protocol document.")
}

/// Where a page begins.
pub(super) fn cursor(text: Option<&str>) -> Result<Option<i64>, Problem> {
    let parsed = text.map(str::parse::<Cursor>).transpose();
    parsed.map(|cursor| cursor.map(|cursor| cursor.0)).map_err(|_| {
        let hint = "Give the nextCursor of an earlier answer, or leave it out.";
        Problem::bad_parameters(vec![FieldError::field("/cursor", "invalid", "cursor is none of ours", hint)])
    })
}

/// What was wrong with a request, as the body of an answer. What is wrong with the server is not.
pub(super) fn told(problem: Problem) -> Result<Value, Problem> {
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
    fn an_object_is_read_and_so_is_a_text_that_holds_one() {
        let object = json!({ "action": "browse", "limit": 1 });
        for (body, textual) in [(object.clone(), false), (object.to_string().into(), true)] {
            let mut asked = Asked::of(&body).unwrap();
            assert_eq!(asked.textual, textual);
            assert_eq!(asked.action(&["read", "browse"]).ok(), Some("browse"));
            assert_eq!(Value::Object(asked.fields), json!({ "limit": 1 }));
        }
        for body in [json!("browse"), json!("[1]"), json!(["browse"]), json!(7), json!(null)] {
            assert_eq!(
                Asked::of(&body).map_err(|problem| problem.code).err().as_deref(),
                Some("invalid_body"),
                "{body}"
            );
        }
        let mut asked = Asked::of(&json!({ "action": 7 })).unwrap();
        assert_eq!(asked.action(&["read"]).map_err(|problem| problem.code), Err("unknown_action".to_owned()));
    }

    #[test]
    fn what_is_the_servers_fault_is_not_told_as_the_askers() {
        let body = told(Problem::not_found("track")).unwrap();
        assert_eq!((&body["code"], &body["error"]), (&json!("not_found"), &json!("There is no such track.")));
        assert!(told(Problem::internal(&"broken")).is_err());
    }
}
