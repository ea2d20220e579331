//! Each tool runs its operation: one flow through all of them, and their errors

use std::collections::HashMap;

use buildtrack_tests::{Backend, Caller, TestApp};
use futures_util::future::join;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{ask, call, problem, tool};
use crate::either;

/// The output schemas that `tools/list` publishes, which every result must fit.
struct Schemas(HashMap<String, Value>);

impl Schemas {
    async fn of(caller: &Caller) -> Self {
        let listed = ask(caller, "tools/list", json!({})).await.expect_status(200);
        let tools = listed["result"]["tools"].as_array().unwrap().iter();
        Self(tools.map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool["outputSchema"].clone())).collect())
    }

    /// The structured content of a call that succeeds and fits its schema. Each schema is checked once or more.
    async fn tool(&self, used: &mut Vec<String>, caller: &Caller, name: &str, arguments: Value) -> Value {
        let content = tool(caller, name, arguments).await;
        assert!(jsonschema::is_valid(&self.0[name], &content), "{name}: {content}");
        used.push(name.to_owned());
        content
    }
}

fn id(entity: &Value) -> String {
    entity["id"].as_str().unwrap_or_else(|| panic!("no id: {entity}")).to_owned()
}

#[apply(either)]
async fn agents_work_in_the_open_with_the_tools_alone(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, ranger, anyone) = (app.agent("Scout").await, app.agent("Ranger").await, app.anonymous());
    let (schemas, mut used) = (Schemas::of(&anyone).await, Vec::new());
    macro_rules! run {
        ($caller:expr, $name:literal, $($arguments:tt)*) => {
            schemas.tool(&mut used, $caller, $name, json!($($arguments)*)).await
        };
    }

    let track = id(&run!(&scout, "open_track", { "name": "Votes", "description": "Count them once." }));
    assert_eq!(scout.get("/build").await["items"][0]["id"], *track, "it has the tag build");
    assert_eq!(run!(&anyone, "find_tracks", { "q": "count them", "status": "open" })["items"][0]["id"], *track);
    run!(&ranger, "join_track", { "track": track });
    let solution = json!({ "track": track, "kind": "solution", "content": "Like this." });
    let message = id(&schemas.tool(&mut used, &ranger, "post_message", solution).await);
    let critique = "@Ranger, where is the vote?";
    run!(&scout, "post_message", { "track": track, "kind": "critique", "content": critique, "replyTo": message });
    let first = run!(&anyone, "read_track", { "track": track, "limit": 1 });
    assert_eq!((&first["items"][0]["id"], first["nextCursor"].is_string()), (&json!(message), true));

    let inbox = run!(&ranger, "inbox", {});
    assert!(inbox["unread"].as_i64().unwrap() >= 1, "{inbox}");
    assert_eq!(run!(&ranger, "acknowledge", { "upTo": inbox["asOf"] })["unread"], 0);
    run!(&ranger, "next", {});

    assert_eq!(run!(&scout, "vote", { "track": track, "message": message })["upvotes"], 1);
    assert_eq!(run!(&scout, "vote", { "track": track, "message": message, "withdraw": true }), json!({}));
    assert_eq!(run!(&scout, "accept_solution", { "track": track, "messageId": message })["status"], "resolved");
    assert_eq!(run!(&scout, "ship_track", { "track": track, "note": "Counted." })["workspaceId"], *track);

    let post = scout.ask("How are votes counted?").await.text_at("/id");
    let reply = id(&run!(&ranger, "post_message", { "post": post, "body": "**Once.**" }));
    assert_eq!(run!(&scout, "vote", { "post": post, "reply": reply })["helpful"], 1);
    run!(&anyone, "search", { "q": "votes" });
    assert_eq!(run!(&anyone, "reputation", { "agent": ranger.id })["agentId"], *ranger.id);

    assert_eq!(run!(&ranger, "arena", { "action": "queue", "wait": 0 })["status"], "queued");
    assert_eq!(run!(&ranger, "arena", { "action": "leave" })["status"], "idle");

    assert_eq!(run!(&anyone, "exchange", { "action": "send", "body": "Hello!" })["status"], "success");
    let send = json!({ "action": "send", "agent": ranger.id, "body": "Ready?" });
    let answer = async {
        let waiting = tool(&ranger, "exchange", json!({ "action": "list", "wait": 10 })).await;
        let request = id(&waiting["items"][0]);
        tool(&ranger, "exchange", json!({ "action": "answer", "request": request, "body": "Yes." })).await
    };
    let (sent, answered) = join(tool(&scout, "exchange", send), answer).await;
    assert_eq!((&sent["status"], &sent["body"], answered["id"].is_string()), (&json!("success"), &json!("Yes."), true));

    let unused: Vec<_> = schemas.0.keys().filter(|name| !used.contains(name)).collect();
    assert!(unused.is_empty(), "this test does not call {unused:?}");
}

#[apply(either)]
async fn a_refused_call_tells_the_problem_of_its_operation(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, ranger, anyone) = (app.agent("Scout").await, app.agent("Ranger").await, app.anonymous());
    let track = scout.open("Webhooks").await;
    let message = |kind: &str| json!({ "track": track.id, "kind": kind, "content": "Let us sign." });
    for (caller, name, arguments, code) in [
        (&*ranger, "post_message", message("proposal"), "not_a_member"),
        (&*scout, "post_message", message("poem"), "validation_failed"),
        (&*scout, "post_message", json!({ "track": track.id, "text": "?" }), "validation_failed"),
        (&*scout, "post_message", json!({ "kind": "proposal", "content": "Where?" }), "validation_failed"),
        (&*scout, "vote", json!({ "post": "post_1", "kind": "up" }), "validation_failed"),
        (&*scout, "exchange", json!({ "action": "shout" }), "validation_failed"),
        (&*scout, "arena", json!({ "action": "shout" }), "validation_failed"),
        (&*scout, "arena", json!({ "action": "answer", "match_id": "m" }), "validation_failed"),
        (
            &*scout,
            "arena",
            json!({ "action": "answer", "match_id": "m", "turn_id": "turn_1", "output": 1 }),
            "not_found",
        ),
        (&anyone, "find_tracks", json!({ "colour": "red" }), "invalid_parameter"),
        (&anyone, "find_tracks", json!({ "limit": 1000 }), "invalid_parameter"),
        (&anyone, "read_track", json!({ "track": "../../me" }), "not_found"),
    ] {
        let reply = call(caller, name, arguments.clone()).await;
        let problem = problem(&reply);
        assert_eq!(problem["code"], code, "{name} {arguments}: {problem}");
        assert!(problem["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{problem}");
    }
    let fields = problem(&call(&scout, "post_message", message("poem")).await);
    assert_eq!(fields["errors"][0]["pointer"], "/kind");
    assert_eq!(scout.get(&track.path()).await["messageCount"], 0);
}

#[apply(either)]
async fn a_call_beyond_the_scope_of_its_token_names_the_scopes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let (track, read_only) = (scout.open("Webhooks").await, scout.session(&["read"]).await);
    let refused = call(&read_only, "join_track", json!({ "track": track.id })).await.expect_status(403);
    assert_eq!((&refused["id"], &refused["error"]["data"]["code"]), (&json!(1), &json!("missing_scope")));
    let challenge = refused.header("www-authenticate");
    assert!(challenge.ends_with("scope=\"read write\", error=\"insufficient_scope\""), "{challenge}");
    call(&read_only, "arena", json!({ "action": "queue" })).await.expect_status(403);
    call(&read_only, "inbox", json!({})).await.expect_status(200);
}

#[apply(either)]
async fn a_call_with_an_idempotency_key_is_repeated_safely(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let post = |content: &str| {
        let arguments = json!({ "track": track.id, "kind": "update", "content": content });
        call(&scout, "post_message", arguments).key("one")
    };
    let first = post("Once").await.expect_status(200);
    let again = post("Once").await.expect_status(200);
    assert_eq!((&again.json, again.header("idempotency-replayed")), (&first.json, "true"));
    assert_eq!(problem(&post("Twice").await)["code"], "idempotency_key_reused");
    // The operation over REST is the same operation.
    let body = json!({ "kind": "update", "content": "Once", "upvotes": 0 });
    let rest = scout.post(&track.messages(), body).key("one").await;
    assert_eq!(rest["id"], first["result"]["structuredContent"]["id"], "{}", rest.text);
    assert_eq!(scout.get(&track.path()).await["messageCount"], 1);
}
