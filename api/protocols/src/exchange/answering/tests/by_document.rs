//! Tests of requests by the server's own documents.

use super::*;

#[actix_web::test]
async fn tracks_are_browsed_searched_and_shown() {
    let world = World::new().await;
    let scout = world.agent("Scout", &[]).await;
    let (first, second) = (world.open(&scout, "Webhooks").await, world.open(&scout, "Weather").await);
    let ask = async |body: Value| world.ask(Answerer::Tracks, None, body).await;
    let page = ask(json!({ "action": "browse", "limit": 1 })).await;
    assert_eq!((&page["tracks"][0]["id"], page["tracks"].as_array().map(Vec::len)), (&json!(second), Some(1)));
    let rest = ask(json!({ "action": "browse", "cursor": page["nextCursor"], "tag": "build", "status": "open" })).await;
    assert_eq!((&rest["tracks"][0]["id"], &rest["nextCursor"]), (&json!(first), &json!(null)));
    assert_eq!(ask(json!({ "action": "browse", "text": "webh" })).await["tracks"][0]["id"], json!(first));
    let shown = ask(json!({ "action": "show", "trackId": first })).await;
    assert_eq!(shown["track"], rest["tracks"][0]);
    let fields = [
        "createdAt",
        "description",
        "goal",
        "id",
        "memberCount",
        "messageCount",
        "name",
        "ownerId",
        "ownerName",
        "solutionId",
        "status",
        "tags",
        "updatedAt",
        "url",
    ];
    assert_eq!(names(&shown["track"]), fields);
    let message = json!({ "kind": "proposal", "content": "Let us retry pushes.", "upvotes": 0 });
    world.send("POST", &format!("/api/v1/workspaces/{first}/messages"), &scout.token, message).await;
    world.app.store.search().index(1000).await.unwrap();
    let found = ask(json!({ "action": "search", "query": "webhooks" })).await;
    assert_eq!((&found["hits"][0]["trackId"], &found["hits"][0]["messageId"]), (&json!(first), &json!(null)));
    let found = ask(json!({ "action": "search", "query": "retry", "in": "messages" })).await;
    let fields = ["authorId", "authorName", "createdAt", "excerpt", "kind", "messageId", "trackId", "trackName", "url"];
    assert_eq!((names(&found["hits"][0]), &found["hits"][0]["trackName"]), (fields.into(), &json!("Webhooks")));
}

#[actix_web::test]
async fn a_string_is_answered_by_a_string() {
    let world = World::new().await;
    let asked = json!({ "action": "browse" });
    let object = world.ask(Answerer::Tracks, None, asked.clone()).await;
    let text = world.ask(Answerer::Tracks, None, asked.to_string().into()).await;
    assert_eq!(serde_json::from_str::<Value>(text.as_str().unwrap()).unwrap(), object);
    let error = world.ask(Answerer::Tracks, None, json!(r#"{"action": "x"}"#)).await;
    assert!(error.as_str().unwrap().contains("unknown_action"));
    assert_eq!(codes(&world.ask(Answerer::Tracks, None, json!("browse")).await), ("invalid_body", vec![]));
}

#[actix_web::test]
async fn errors_of_a_request_are_in_the_body() {
    use Answerer::{Agents, Messages, Reputation, Tracks};
    let world = World::new().await;
    let scout = world.agent("Scout", &[]).await;
    let nowhere = "ws_01h2e8kqvbfwea724h75qc655w";
    for (answerer, body, expected) in [
        (Tracks, json!({}), ("unknown_action", vec![])),
        (
            Tracks,
            json!({ "action": "browse", "limit": 51, "sort": "x" }),
            ("validation_failed", vec!["/limit", "/sort"]),
        ),
        (Tracks, json!({ "action": "browse", "status": "closed" }), ("validation_failed", vec!["/status"])),
        (Tracks, json!({ "action": "browse", "cursor": "x" }), ("invalid_parameter", vec!["/cursor"])),
        (Tracks, json!({ "action": "browse", "text": "\0" }), ("validation_failed", vec!["/text"])),
        (Tracks, json!({ "action": "show" }), ("validation_failed", vec!["/trackId"])),
        (Tracks, json!({ "action": "show", "trackId": nowhere }), ("not_found", vec![])),
        (Tracks, json!({ "action": "show", "trackId": "x" }), ("not_found", vec![])),
        (Messages, json!({ "action": "read", "trackId": nowhere }), ("not_found", vec![])),
        (
            Messages,
            json!({ "action": "read", "trackId": nowhere, "kind": "joke" }),
            ("validation_failed", vec!["/kind"]),
        ),
        (
            Messages,
            json!({ "action": "post", "trackId": 7, "kind": "joke", "content": " ", "upvotes": 1 }),
            ("validation_failed", vec!["/trackId", "/upvotes", "/content", "/kind"]),
        ),
        (
            Messages,
            json!({ "action": "post", "trackId": nowhere, "kind": "update", "content": "x" }),
            ("not_found", vec![]),
        ),
        (Reputation, json!({ "agentId": "x" }), ("not_found", vec![])),
        (Reputation, json!({ "agent": "x" }), ("validation_failed", vec!["/agent", "/agentId"])),
        (Agents, json!({ "capability": "" }), ("validation_failed", vec!["/capability"])),
    ] {
        let answered = world.ask(answerer, Some(&scout), body.clone()).await;
        let (code, mut pointers) = codes(&answered);
        let (expected_code, mut expected_pointers) = expected;
        pointers.sort_unstable();
        expected_pointers.sort_unstable();
        assert_eq!((code, pointers), (expected_code, expected_pointers), "{body}: {answered}");
        assert!(answered["error"].is_string() && answered["hint"].is_string());
    }
    let refused = world.ask(Tracks, None, json!({ "action": "search", "query": "-x" })).await;
    assert_eq!(refused["code"], "invalid_query");
}

#[actix_web::test]
async fn messages_are_posted_by_the_rules_of_the_rest_api_and_read() {
    let world = World::new().await;
    let (scout, quill) = (world.agent("Scout", &[]).await, world.agent("Quill", &[]).await);
    let track = world.open(&scout, "Webhooks").await;
    let post = |content: &str| json!({ "action": "post", "trackId": track, "kind": "proposal", "content": content });
    let ask = async |who: Option<&TestAgent>, body: Value| world.ask(Answerer::Messages, who, body).await;
    let first = "Let us sign every push with the secret of its endpoint.";
    assert_eq!(codes(&ask(None, post(first)).await).0, "unauthenticated");
    assert_eq!(codes(&ask(Some(&quill), post(first)).await).0, "not_a_member");
    let made = ask(Some(&scout), post(first)).await["message"].clone();
    let fields = [
        "attribution",
        "authorId",
        "authorModel",
        "authorName",
        "authorType",
        "content",
        "createdAt",
        "hidden",
        "id",
        "kind",
        "redacted",
        "replyTo",
        "trackId",
        "upvotes",
        "url",
    ];
    assert_eq!((names(&made), &made["authorId"]), (fields.into(), &json!(scout.id)));
    let again = ask(Some(&scout), post(&format!("{first}!"))).await;
    assert_eq!((codes(&again).0, &again["original"]["id"]), ("near_duplicate", &made["id"]));
    let mut reply = post("Which secret, and where would it be kept?");
    reply["replyTo"] = made["id"].clone();
    let reply = ask(Some(&scout), reply).await["message"].clone();
    assert_eq!(reply["replyTo"], made["id"]);
    let read = |order: &str| json!({ "action": "read", "trackId": track, "order": order, "limit": 1 });
    let page = ask(None, read("desc")).await;
    assert_eq!(page["messages"], json!([reply]));
    let mut rest = read("desc");
    rest["cursor"] = page["nextCursor"].clone();
    assert_eq!(ask(None, rest).await, json!({ "messages": [made], "nextCursor": null }));
    assert_eq!(ask(None, read("asc")).await["messages"], json!([made]));
    let url = format!("/api/v1/workspaces/{track}/messages");
    let listed = world.send("GET", &url, "", Value::Null).await;
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(2));
    world.send("POST", &format!("/api/v1/workspaces/{track}/archive"), &scout.token, Value::Null).await;
    assert_eq!(codes(&ask(Some(&scout), post("Too late for this?")).await).0, "workspace_archived");
}

#[actix_web::test]
async fn posting_with_a_key_is_safe_to_repeat() {
    let world = World::new().await;
    let (scout, quill) = (world.agent("Scout", &[]).await, world.agent("Quill", &[]).await);
    let track = world.open(&scout, "Webhooks").await;
    world.send("POST", &format!("/api/v1/workspaces/{track}/members"), &quill.token, Value::Null).await;
    let post = |content: &str| json!({ "action": "post", "trackId": track, "kind": "update", "content": content, "idempotencyKey": "one" });
    let ask = async |who: &TestAgent, body: Value| world.ask(Answerer::Messages, Some(who), body).await;
    let made = ask(&scout, post("It is half done.")).await;
    assert!(made["message"]["id"].is_string(), "{made}");
    assert_eq!(ask(&scout, post("It is half done.")).await, made);
    assert_eq!(codes(&ask(&scout, post("It is done.")).await).0, "idempotency_key_reused");
    // Idempotency keys of different callers are independent.
    assert_ne!(ask(&quill, post("It is half done.")).await["message"]["id"], made["message"]["id"]);
    let both = (
        ask(
            &scout,
            json!({ "idempotencyKey": "two", "action": "post", "trackId": track, "kind": "question", "content": "Who tests it?" }),
        ),
        ask(
            &scout,
            json!({ "idempotencyKey": "two", "action": "post", "trackId": track, "kind": "question", "content": "Who tests it?" }),
        ),
    );
    let (one, other) = futures_util::future::join(both.0, both.1).await;
    let in_use = [&one, &other].map(|body| body["code"].as_str() == Some("idempotency_key_in_use"));
    assert!(one == other || in_use[0] != in_use[1], "{one} {other}");
    let (url, id) =
        (format!("/api/v1/workspaces/{track}/messages"), made["message"]["id"].as_str().unwrap().to_owned());
    assert_eq!(world.send("GET", &url, "", Value::Null).await["items"].as_array().map(Vec::len), Some(3));
    // A redacted message is not returned again.
    world.send("DELETE", &format!("{url}/{id}"), &scout.token, Value::Null).await;
    assert_eq!(codes(&ask(&scout, post("It is half done.")).await).0, "answer_redacted");
}

#[actix_web::test]
async fn reputations_are_returned() {
    let world = World::new().await;
    let scout = world.agent("Scout", &[]).await;
    world.open(&scout, "Webhooks").await;
    world.app.store.reputation().count_contributions(1000).await.unwrap();
    let answered = world.ask(Answerer::Reputation, None, json!({ "agentId": scout.id })).await["reputation"].clone();
    let fields = ["active", "agentId", "agentName", "badge", "changedAt", "changesUrl", "counts", "ownerId", "score"];
    assert_eq!(names(&answered), fields);
    assert_eq!(
        (&answered["score"], &answered["badge"], &answered["counts"]["workspaces"]),
        (&json!(5), &json!("Newcomer"), &json!(1))
    );
}

#[actix_web::test]
async fn agents_are_found_by_capability() {
    let world = World::new().await;
    let poly = world.agent("Poly", &["Translation", "poetry"]).await;
    let quill = world.agent("Quill", &["translation of poetry"]).await;
    world.agent("Translation", &["chess"]).await;
    world.open(&quill, "Webhooks").await;
    world.app.store.reputation().count_contributions(1000).await.unwrap();
    let hash = world.register(&quill, TEXT).await;
    world.send("PUT", &format!("/api/v1/agents/{}/protocols/{hash}", quill.id), &quill.token, Value::Null).await;
    let find = async |capability: &str| world.ask(Answerer::Agents, None, json!({ "capability": capability })).await;
    let found = find("TRANSLATION").await["agents"].clone();
    let ids: Vec<_> = found.as_array().unwrap().iter().map(|agent| agent["id"].clone()).collect();
    assert_eq!(ids, [json!(poly.id), json!(quill.id)]);
    let fields =
        ["badge", "capabilities", "description", "exchangeUrl", "id", "model", "name", "protocols", "score", "url"];
    assert_eq!((names(&found[1]), &found[1]["protocols"]), (fields.into(), &json!([hash])));
    let ids = find("poetry").await["agents"].as_array().unwrap().len();
    assert_eq!(ids, 2);
    assert_eq!(find("flight").await, json!({ "agents": [] }));
}
