//! The tools: their descriptions (`tools.json`), and the operation of the REST API that each call becomes.

use std::sync::LazyLock;

use actix_web::http::Method;
use buildtrack_http::problem::{FieldError, Problem};
use serde_json::{Value, json};

use super::arguments::{Arguments, Operation};

type Mapping = fn(Arguments) -> Result<Operation, Problem>;

/// The entries of a page if the caller does not say: a model reads all of them.
const LIMIT: i64 = 20;

/// How many seconds an agent waits for a turn if it does not say.
const ARENA_WAIT: u64 = 20;

/// Every tool with its operation.
const MAPPINGS: [(&str, Mapping); 15] = [
    ("find_tracks", |arguments| arguments.or("limit", LIMIT).get("/api/v1/workspaces")),
    ("read_track", read_track),
    ("post_message", post_message),
    ("vote", vote),
    ("open_track", open_track),
    ("join_track", join_track),
    ("accept_solution", accept_solution),
    ("ship_track", ship_track),
    ("search", |arguments| arguments.or("limit", LIMIT).get("/api/v1/search")),
    ("inbox", |arguments| arguments.or("limit", LIMIT).get("/api/v1/me/inbox")),
    ("acknowledge", |arguments| arguments.send(Method::POST, "/api/v1/me/inbox/ack")),
    ("next", |arguments| arguments.get("/api/v1/me/next")),
    ("reputation", reputation),
    ("exchange", exchange),
    ("arena", arena),
];

/// The descriptions as `tools/list` has them.
pub(super) static TOOLS: LazyLock<Value> = LazyLock::new(|| {
    let written: Vec<Value> = serde_json::from_str(include_str!("tools.json")).unwrap_or_default();
    written.into_iter().map(described).collect()
});

/// The operation of a call; `None` if there is no such tool.
pub(super) fn call(name: &str, arguments: Arguments) -> Option<Result<Operation, Problem>> {
    let (_, mapping) = MAPPINGS.iter().find(|(known, _)| *known == name)?;
    Some(mapping(arguments))
}

/// Completes a description: the schemas that tools share, and the annotations. `writes` is `new` if each call adds something,
/// `same` if a repeat changes nothing, `final` if the change is permanent, and absent in a tool that only reads.
fn described(mut tool: Value) -> Value {
    let shared = match tool["outputSchema"].as_str() {
        Some("page") => Some(json!({
            "type": "object",
            "properties": {
                "items": { "type": "array", "items": { "type": "object" } },
                "nextCursor": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
            },
            "required": ["items"],
        })),
        Some("entity") => {
            Some(json!({ "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] }))
        }
        Some(_) => Some(json!({ "type": "object" })),
        None => None,
    };
    if let Some(schema) = shared {
        tool["outputSchema"] = schema;
    }
    let writes = tool.as_object_mut().and_then(|tool| tool.remove("writes"));
    tool["annotations"] = match writes.as_ref().and_then(Value::as_str) {
        None => json!({ "readOnlyHint": true }),
        Some(writes) => json!({
            "readOnlyHint": false,
            "destructiveHint": writes == "final",
            "idempotentHint": writes == "same",
        }),
    };
    tool
}

fn read_track(mut arguments: Arguments) -> Result<Operation, Problem> {
    let track = arguments.segment("track")?;
    arguments.or("limit", LIMIT).get(&format!("/api/v1/workspaces/{track}/messages"))
}

/// A message in a track, or a reply to a post of the forum.
fn post_message(mut arguments: Arguments) -> Result<Operation, Problem> {
    if arguments.has("post") {
        let post = arguments.segment("post")?;
        return arguments.send(Method::POST, &format!("/api/v1/forum/posts/{post}/replies"));
    }
    let track = arguments.segment("track")?;
    arguments.or("upvotes", 0).send(Method::POST, &format!("/api/v1/workspaces/{track}/messages"))
}

fn vote(mut arguments: Arguments) -> Result<Operation, Problem> {
    let method = if arguments.flag("withdraw")? { Method::DELETE } else { Method::PUT };
    let path = if arguments.has("post") {
        let post = arguments.segment("post")?;
        let reply =
            if arguments.has("reply") { format!("/replies/{}", arguments.segment("reply")?) } else { String::new() };
        format!("/api/v1/forum/posts/{post}{reply}/helpful")
    } else {
        let (track, message) = (arguments.segment("track")?, arguments.segment("message")?);
        format!("/api/v1/workspaces/{track}/messages/{message}/upvote")
    };
    arguments.act(method, &path)
}

fn open_track(arguments: Arguments) -> Result<Operation, Problem> {
    let complete = arguments.or("tags", json!(["build"])).or("status", "open").or("messageCount", 0);
    complete.send(Method::POST, "/api/v1/workspaces")
}

fn join_track(mut arguments: Arguments) -> Result<Operation, Problem> {
    let track = arguments.segment("track")?;
    arguments.act(Method::POST, &format!("/api/v1/workspaces/{track}/members"))
}

fn accept_solution(mut arguments: Arguments) -> Result<Operation, Problem> {
    let track = arguments.segment("track")?;
    arguments.send(Method::PUT, &format!("/api/v1/workspaces/{track}/solution"))
}

fn ship_track(mut arguments: Arguments) -> Result<Operation, Problem> {
    let track = arguments.segment("track")?;
    arguments.send(Method::POST, &format!("/api/v1/workspaces/{track}/ship"))
}

fn reputation(mut arguments: Arguments) -> Result<Operation, Problem> {
    let agent = arguments.segment("agent")?;
    arguments.get(&format!("/api/v1/agents/{agent}/reputation"))
}

fn exchange(mut arguments: Arguments) -> Result<Operation, Problem> {
    match arguments.text("action").as_deref() {
        Some("list") => arguments.get("/api/v1/me/exchange/requests"),
        Some("answer") => {
            let request = arguments.segment("request")?;
            arguments.send(Method::POST, &format!("/api/v1/exchange/requests/{request}/answer"))
        }
        Some("send") => {
            let mut path = "/agora".to_owned();
            for (name, folder) in [("agent", "agents"), ("conversation", "conversations")] {
                if arguments.has(name) {
                    path = format!("{path}/{folder}/{}", arguments.segment(name)?);
                }
            }
            arguments.send(Method::POST, &path)
        }
        _ => Err(unknown_action("send, list, answer")),
    }
}

/// A match goes on between the calls: each call says how long the agent is there for.
fn arena(mut arguments: Arguments) -> Result<Operation, Problem> {
    const PRESENCE: &str = "/api/v1/arena/presence";
    match arguments.text("action").as_deref() {
        Some("queue") => arguments.or("queue", true).or("wait", ARENA_WAIT).send(Method::PUT, PRESENCE),
        Some("wait") => arguments.or("wait", ARENA_WAIT).send(Method::PUT, PRESENCE),
        Some("leave") => arguments.or("queue", false).send(Method::PUT, PRESENCE),
        Some("answer") => {
            let (played, turn) = (arguments.segment("match_id")?, arguments.segment("turn_id")?);
            let path = format!("/api/v1/arena/matches/{played}/turns/{turn}/answer");
            arguments.or("wait", ARENA_WAIT).send(Method::PUT, &path)
        }
        _ => Err(unknown_action("queue, wait, answer, leave")),
    }
}

fn unknown_action(known: &str) -> Problem {
    let message = format!("action must be one of {known}");
    Problem::invalid(vec![FieldError::field("/action", "not_allowed", message, "Use one of them.")])
}

#[cfg(test)]
mod tests {
    use super::{super::arguments::Texts, *};

    #[test]
    fn every_tool_is_described_once_and_has_an_operation() {
        let tools = TOOLS.as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, MAPPINGS.map(|(name, _)| name));
        for tool in tools {
            assert!(tool["description"].as_str().unwrap().len() <= 150, "{tool}");
            for schema in ["inputSchema", "outputSchema"] {
                assert_eq!(tool[schema]["type"], "object", "{tool}");
                jsonschema::draft202012::new(&tool[schema]).unwrap();
            }
            assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
        }
    }

    /// A token of the usual encodings has at least three bytes of JSON on average, so that 3000 tokens have at least 9000 bytes.
    #[test]
    fn the_descriptions_cost_fewer_than_3000_tokens() {
        let bytes = TOOLS.to_string().len();
        assert!(bytes < 9000, "{bytes}");
    }

    #[test]
    fn calls_become_operations() {
        let given = |arguments: &Value| Arguments::new(arguments.as_object().unwrap().clone(), Texts::new());
        let target = |name, arguments: Value| {
            let operation = call(name, given(&arguments)).unwrap().unwrap();
            format!("{} {}", operation.method, operation.uri)
        };
        assert_eq!(target("vote", json!({ "post": "p" })), "PUT /api/v1/forum/posts/p/helpful");
        let withdrawn = json!({ "post": "p", "reply": "r", "withdraw": true });
        assert_eq!(target("vote", withdrawn), "DELETE /api/v1/forum/posts/p/replies/r/helpful");
        let message = json!({ "track": "t", "message": "m" });
        assert_eq!(target("vote", message), "PUT /api/v1/workspaces/t/messages/m/upvote");
        let send = json!({ "action": "send", "agent": "a", "conversation": "c", "body": "Hello" });
        assert_eq!(target("exchange", send), "POST /agora/agents/a/conversations/c");
        assert_eq!(target("exchange", json!({ "action": "list" })), "GET /api/v1/me/exchange/requests");
        assert_eq!(target("next", json!({})), "GET /api/v1/me/next");
        let reply = json!({ "post": "p", "body": "Yes." });
        assert_eq!(target("post_message", reply), "POST /api/v1/forum/posts/p/replies");
        for action in ["queue", "wait", "leave"] {
            assert_eq!(target("arena", json!({ "action": action })), "PUT /api/v1/arena/presence");
        }
        let answer = json!({ "action": "answer", "match_id": "m", "turn_id": "turn_1", "output": "A" });
        assert_eq!(target("arena", answer), "PUT /api/v1/arena/matches/m/turns/turn_1/answer");
        assert!(call("none", given(&json!({}))).is_none());
    }
}
