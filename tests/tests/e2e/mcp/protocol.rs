//! Revisions, methods, resources and prompts

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{PATH, STATELESS, ask, ask_alone, metadata};
use crate::either;

#[apply(either)]
async fn clients_of_every_revision_are_served(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    for (requested, agreed) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1900-01-01", "2025-11-25"),
    ] {
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": requested, "capabilities": {}, "clientInfo": client });
        let reply = ask(&anyone, "initialize", params).await.expect_status(200);
        assert_eq!((&reply["id"], &reply["result"]["protocolVersion"]), (&json!(1), &json!(agreed)), "{}", reply.text);
        assert_eq!(reply["result"]["capabilities"], json!({ "tools": {}, "resources": {}, "prompts": {} }));
        assert!(reply["result"].get("resultType").is_none() && reply.header("mcp-session-id").is_empty());
        assert_eq!(reply.header("mcp-protocol-version"), agreed);
        let notified = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let accepted = anyone.post(PATH, notified).header("mcp-protocol-version", agreed).await.expect_status(202);
        assert_eq!(accepted.text, "");
        let pong = ask(&anyone, "ping", json!({})).header("mcp-protocol-version", agreed).await.expect_status(200);
        assert_eq!((&pong["result"], pong.header("mcp-protocol-version")), (&json!({}), agreed));
    }
    let unnamed = ask(&anyone, "tools/list", json!({})).await.expect_status(200);
    assert_eq!(unnamed.header("mcp-protocol-version"), "2025-03-26");
    let discovered = ask_alone(&anyone, "server/discover", json!({})).await.expect_status(200);
    let result = &discovered["result"];
    assert_eq!(result["supportedVersions"], json!([STATELESS, "2025-11-25", "2025-06-18", "2025-03-26"]));
    assert_eq!((&result["resultType"], &result["cacheScope"]), (&json!("complete"), &json!("public")));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "buildtrack");
    assert_eq!(discovered.header("mcp-protocol-version"), STATELESS);
    // A client may ask before it knows of any revision.
    assert_eq!(ask(&anyone, "server/discover", json!({})).await.expect_status(200)["result"], *result);
    let next = json!({ "name": "find_tracks", "arguments": {} });
    let called = ask_alone(&anyone, "tools/call", next).await.expect_status(200);
    assert_eq!((&called["result"]["isError"], &called["result"]["resultType"]), (&json!(false), &json!("complete")));
}

#[apply(either)]
async fn messages_that_break_the_protocol_are_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let message = |fields: Value| anyone.post(PATH, fields);
    let list = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list" });
    let tools = |name: &str| json!({ "name": name });
    for (request, status, code, what) in [
        (anyone.act(PATH).body("application/json", "{"), 400, -32700, "no JSON"),
        (message(json!([list])), 400, -32600, "a batch"),
        (message(json!({ "id": 7, "method": "ping" })), 400, -32600, "no version of JSON-RPC"),
        (message(list.clone()).header("mcp-protocol-version", "1900-01-01"), 400, -32022, "an unknown revision"),
        (message(list.clone()).header("mcp-protocol-version", STATELESS), 400, -32602, "no metadata"),
        (ask(&anyone, "logging/setLevel", json!({})), 200, -32601, "an unknown method"),
        (ask_alone(&anyone, "ping", json!({})), 404, -32601, "a method of an earlier revision"),
        (ask(&anyone, "tools/call", tools("none")), 200, -32602, "an unknown tool"),
        (ask(&anyone, "prompts/get", tools("none")), 200, -32602, "an unknown prompt"),
        (
            ask(&anyone, "tools/list", json!({ "_meta": metadata() })).header("mcp-protocol-version", STATELESS),
            400,
            -32020,
            "no headers",
        ),
        (ask(&anyone, "resources/read", json!({ "uri": "https://x.example/" })), 200, -32602, "an unknown address"),
        (anyone.act(PATH).body("text/plain", list.to_string()), 415, 415, "no JSON by its type"),
        (anyone.act(PATH).body("application/json", "x".repeat(320 * 1024 + 1)), 413, 413, "too many bytes"),
        (message(list.clone()).header("origin", "https://evil.example"), 403, -32600, "another site"),
    ] {
        let reply = request.await.expect_status(status);
        assert_eq!(reply["error"]["code"], code, "{what}: {}", reply.text);
    }
    let unsupported = message(list.clone()).header("mcp-protocol-version", "1900-01-01").await;
    assert_eq!((&unsupported["id"], &unsupported["error"]["data"]["requested"]), (&json!(7), &json!("1900-01-01")));
    for origin in ["https://build.example", "http://localhost:6274"] {
        message(list.clone()).header("origin", origin).await.expect_status(200);
    }
    // The endpoint has no stream and no sessions.
    for method in ["GET", "DELETE"] {
        let refused = anyone.send(method, PATH).await.expect_problem(405, "method_not_allowed");
        assert_eq!(refused.header("allow"), "POST");
    }
}

#[apply(either)]
async fn tracks_and_messages_are_resources(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, anyone) = (app.agent("Scout").await, app.anonymous());
    let mut tracks = Vec::new();
    for number in 0..51 {
        tracks.push(scout.open(&format!("Track {number}")).await);
    }
    let track = &tracks[50];
    let message = scout.post_message(track, "Let us sign every push.").await.text_at("/id");

    let first = ask(&anyone, "resources/list", json!({})).await.expect_status(200);
    assert_eq!(first["result"]["resources"].as_array().unwrap().len(), 50);
    let address = first.text_at("/result/resources/0/uri");
    assert_eq!(address, format!("buildtrack://tracks/{}", track.id));
    let cursor = json!({ "cursor": first["result"]["nextCursor"] });
    let second = ask(&anyone, "resources/list", cursor).await.expect_status(200);
    assert_eq!(second["result"]["resources"][0]["title"], "Track 0");
    assert!(second["result"].get("nextCursor").is_none(), "{}", second.text);
    let wrong = ask(&anyone, "resources/list", json!({ "cursor": "?" })).await.expect_status(400);
    assert_eq!(wrong["error"]["data"]["code"], "invalid_parameter");

    let templates = ask(&anyone, "resources/templates/list", json!({})).await.expect_status(200);
    assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 3);
    for (below, text) in
        [("", "Track 50"), ("/messages", "sign every push"), (&*format!("/messages/{message}"), "sign every")]
    {
        let uri = format!("{address}{below}");
        let read = ask_alone(&anyone, "resources/read", json!({ "uri": uri })).await.expect_status(200);
        assert_eq!((&read["result"]["contents"][0]["uri"], &read["result"]["ttlMs"]), (&json!(uri), &json!(0)));
        assert!(read.text_at("/result/contents/0/text").contains(text), "{}", read.text);
    }
    let unknown = json!({ "uri": "buildtrack://tracks/ws_01h2e8kqvbfwea724h75qc655w" });
    assert_eq!(ask(&anyone, "resources/read", unknown.clone()).await["error"]["code"], -32002);
    assert_eq!(ask_alone(&anyone, "resources/read", unknown).await["error"]["code"], -32602);

    let prompts = ask(&anyone, "prompts/list", json!({})).await.expect_status(200);
    assert_eq!(prompts["result"]["prompts"].as_array().unwrap().len(), 2);
    let review = json!({ "name": "review", "arguments": { "track": track.id } });
    let review = ask(&anyone, "prompts/get", review).await.expect_status(200);
    assert!(review.text_at("/result/messages/0/content/text").contains(&track.id), "{}", review.text);
}
