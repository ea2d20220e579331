//! The results of methods: the parts that the stateless revision adds to each, and the answers of operations as results.

use std::borrow::Cow;

use buildtrack_http::problem::Problem;
use serde::Serialize;
use serde_json::{Map, Value, json, value::RawValue};

use super::{
    resources,
    versions::Era,
    wire::{Answer, INVALID_PARAMS, Refusal},
};

/// The code of a resource that does not exist, in the revisions with a handshake.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// How long a client may keep a result («Caching»).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifetime {
    /// Not a result that clients keep.
    None,
    /// The same for every caller until the server is updated: an hour.
    Fixed,
    /// Each read is a new one.
    Stale,
}

/// What the answer of an operation becomes.
#[derive(Debug)]
pub(super) enum Shape {
    /// The result of a tool.
    Tool,
    /// A page of resources.
    Resources,
    /// The contents of the resource with this address.
    Contents(String),
}

/// The name and the version of the server.
pub(super) fn server_info() -> Value {
    json!({ "name": "buildtrack", "title": "Buildtrack", "version": env!("CARGO_PKG_VERSION") })
}

fn server_meta() -> Value {
    json!({ "io.modelcontextprotocol/serverInfo": server_info() })
}

/// Completes a result, as the era of the request has it.
pub(super) fn completed(era: Era, mut result: Map<String, Value>, lifetime: Lifetime) -> Value {
    if era == Era::Stateless {
        result.insert("resultType".into(), "complete".into());
        result.insert("_meta".into(), server_meta());
        let hints: Option<(u32, &str)> = match lifetime {
            Lifetime::None => None,
            Lifetime::Fixed => Some((3_600_000, "public")),
            Lifetime::Stale => Some((0, "private")),
        };
        if let Some((milliseconds, scope)) = hints {
            result.insert("ttlMs".into(), milliseconds.into());
            result.insert("cacheScope".into(), scope.into());
        }
    }
    Value::Object(result)
}

/// The answer for an operation that succeeded with this body.
pub(super) fn succeeded(era: Era, id: &Value, shape: &Shape, body: &str) -> String {
    match shape {
        Shape::Tool => Answer::text(id, ToolResult::of(era, body)),
        Shape::Resources => {
            let result = resources::page(&serde_json::from_str(body).unwrap_or_default());
            Answer::text(id, completed(era, result, Lifetime::Stale))
        }
        Shape::Contents(address) => {
            let result = resources::contents(address, body);
            Answer::text(id, completed(era, result, Lifetime::Stale))
        }
    }
}

/// Whether the token lacks a scope, so that its client has to ask the owner for more.
pub(super) fn is_missing_scope(problem: &Problem) -> bool {
    problem.code == "missing_scope"
}

/// The answer for an operation that was refused. A tool tells its caller, which can correct the call; a caller without a session, or
/// without the scope for the tool, has to log in first.
pub(super) fn failed(era: Era, id: &Value, shape: &Shape, problem: &Problem) -> Result<String, Refusal> {
    match shape {
        Shape::Tool if problem.status != 401 && !is_missing_scope(problem) => {
            Ok(Answer::text(id, ToolResult::failed(era, problem)))
        }
        Shape::Contents(address) if problem.status == 404 => {
            let code = if era == Era::Stateless { INVALID_PARAMS } else { RESOURCE_NOT_FOUND };
            let refusal = Refusal { code, ..Refusal::of(problem) };
            Err(refusal.with_data(json!({ "uri": address })).in_band())
        }
        _ => Err(Refusal::of(problem)),
    }
}

/// The maximum number of bytes of an answer that is repeated as text, so that a result has at most 1 MiB.
const REPEATED_MAX: usize = 330 * 1024;
/// The text in place of a longer one.
const TOO_LONG: &str =
    "The answer is too long to be repeated here: read structuredContent, or ask for fewer entries with limit.";

/// The result of a tool. The text repeats the structured content for models whose clients read text alone.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolResult<'a> {
    content: [Content<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a RawValue>,
    is_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Value>,
}

#[derive(Debug, Serialize)]
struct Content<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: Cow<'a, str>,
}

impl<'a> ToolResult<'a> {
    /// The body of the operation's answer, `{}` if it has none.
    fn of(era: Era, body: &'a str) -> Self {
        let body = if body.is_empty() { "{}" } else { body };
        let structured_content = serde_json::from_str(body).ok();
        // As JSON in JSON, a text may be twice as long.
        let is_repeated = body.len() <= REPEATED_MAX || structured_content.is_none();
        let text = if is_repeated { body } else { TOO_LONG };
        Self { structured_content, ..Self::new(era, text.into(), false) }
    }

    /// A problem, as its problem details.
    pub(super) fn failed(era: Era, problem: &Problem) -> Self {
        Self::new(era, problem.words(Problem::clone).into(), true)
    }

    fn new(era: Era, text: Cow<'a, str>, is_error: bool) -> Self {
        let is_stateless = era == Era::Stateless;
        Self {
            content: [Content { kind: "text", text }],
            structured_content: None,
            is_error,
            result_type: is_stateless.then_some("complete"),
            meta: is_stateless.then(server_meta),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_long_answer_is_not_repeated_as_text() {
        let repeated = |quotes: usize| {
            let body = json!({ "id": "\"".repeat(quotes) }).to_string();
            let text = succeeded(Era::Handshake, &json!(1), &Shape::Tool, &body);
            assert!(text.len() < 1024 * 1024, "{} bytes", text.len());
            let result = value(&text)["result"].clone();
            assert_eq!(result["structuredContent"], value(&body));
            result["content"][0]["text"] == body
        };
        assert!(repeated(160 * 1024) && !repeated(170 * 1024) && !repeated(250 * 1024));
    }

    #[test]
    fn a_tool_answers_with_the_body_of_its_operation() {
        let answer = value(&succeeded(Era::Handshake, &json!(1), &Shape::Tool, r#"{"id":"ws_1"}"#));
        let content = json!([{ "type": "text", "text": "{\"id\":\"ws_1\"}" }]);
        let result = json!({ "content": content, "structuredContent": { "id": "ws_1" }, "isError": false });
        assert_eq!(answer, json!({ "jsonrpc": "2.0", "id": 1, "result": result }));
        let empty = value(&succeeded(Era::Stateless, &json!(1), &Shape::Tool, ""));
        assert_eq!(
            (&empty["result"]["structuredContent"], &empty["result"]["resultType"]),
            (&json!({}), &json!("complete"))
        );
    }

    #[test]
    fn a_refused_operation_is_an_error_of_its_tool_unless_the_caller_must_log_in() {
        let problem = Problem::not_found("workspace");
        let answer = value(&failed(Era::Handshake, &json!(1), &Shape::Tool, &problem).unwrap());
        assert_eq!(answer["result"]["isError"], true);
        assert_eq!(value(answer["result"]["content"][0]["text"].as_str().unwrap())["code"], "not_found");
        let login = failed(Era::Handshake, &json!(1), &Shape::Tool, &buildtrack_http::auth::unauthenticated());
        assert_eq!((login.as_ref().unwrap_err().code, login.unwrap_err().status.as_u16()), (401, 401));
        let missing = |era| failed(era, &json!(1), &Shape::Contents("x".into()), &problem).unwrap_err().code;
        assert_eq!((missing(Era::Stateless), missing(Era::Handshake)), (INVALID_PARAMS, RESOURCE_NOT_FOUND));
    }
}
