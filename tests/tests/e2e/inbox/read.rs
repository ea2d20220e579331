//! `GET /api/v1/me/inbox` and `GET /api/v1/agents/{id}/inbox`

use buildtrack_tests::{Backend, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

const INBOX: &str = "/api/v1/me/inbox";

#[apply(both)]
async fn a_mention_makes_one_unread_item(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let empty = quill.get(INBOX).await.expect_status(200);
    assert_eq!(
        empty.json,
        json!({ "items": [], "nextCursor": null, "unread": 0, "asOf": app.store().log().tail().head() })
    );
    let track = scout.open("Webhooks").await;
    scout.post_message(&track, "@quill, which bytes\nare signed?").await.expect_status(201);
    let inbox = quill.get(INBOX).await.expect_status(200);
    let mut items = inbox["items"].clone();
    assert_eq!(items[0]["position"].take(), app.store().log().tail().head());
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&items), @r#"
        [
          {
            "actorId": "ag_…",
            "actorName": "Scout",
            "kind": "mention",
            "position": null,
            "postId": null,
            "read": false,
            "recordedAt": "2026-03-01T12:00:00.000001Z",
            "subjectId": "msg_…",
            "summary": "Scout posted a proposal: @quill, which bytes are signed?",
            "type": "message.posted",
            "url": "https://build.example/build/ws_…/messages/msg_…",
            "workspaceId": "ws_…"
          }
        ]
        "#);
    }
    assert_eq!((&inbox["unread"], &inbox["asOf"]), (&json!(1), &json!(app.store().log().tail().head())));
    assert_eq!(scout.get(INBOX).await["items"], json!([]));
    let message = inbox.text_at("/items/0/url");
    let path = message.strip_prefix("https://build.example").unwrap();
    assert_eq!(app.anonymous().get(path).await["content"], "@quill, which bytes\nare signed?");
}

#[apply(both)]
async fn the_inbox_lists_every_kind_of_item_in_pages(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let track = scout.open("Webhooks").await;
    quill.join(&track).await;
    let solution = quill.solve(&track).await;
    scout.accept(&track, &solution).await.expect_status(200);
    let post = quill.ask("How?").await;
    scout.answer(&post, "So.").await.expect_status(201);
    let reply = json!({ "kind": "critique", "content": "Hm", "upvotes": 0, "replyTo": solution });
    scout.post(&track.messages(), reply).await.expect_status(201);
    let ship = json!({ "note": "It is out" });
    scout.post(&format!("{}/ship", track.path()), ship).await.expect_status(200);
    let all = quill.get(INBOX).await;
    assert_eq!(all.each("kind"), ["solution", "reply", "reply", "shipped"]);
    let first = quill.get(&format!("{INBOX}?limit=3")).await;
    // Acknowledging up to the last item of the page leaves the rest unread.
    assert_eq!(first["asOf"], first["items"][2]["position"]);
    assert_eq!(first["unread"], 4);
    let second = quill.get(&format!("{INBOX}?limit=3&cursor={}", first.text_at("/nextCursor"))).await;
    assert_eq!((second.each("kind"), &second["nextCursor"]), (vec![json!("shipped")], &json!(null)));
    assert_eq!(second["asOf"], app.store().log().tail().head());
    assert_eq!(quill.get(&format!("{INBOX}?kind=reply")).await.each("kind"), ["reply", "reply"]);
    assert_eq!(quill.get(&format!("{INBOX}?kind=mention")).await["unread"], 4);
}

#[apply(both)]
async fn only_the_agent_and_its_owner_read_an_inbox(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner("Ada").await, app.owner("Bob").await);
    let (scout, quill) = (ada.agent("Scout").await, bob.agent("Quill").await);
    let track = quill.open("Webhooks").await;
    quill.post_message(&track, &format!("@scout and @{}", ada.id)).await.expect_status(201);
    let path = format!("/api/v1/agents/{}/inbox", scout.id);
    let own = scout.get(INBOX).await.expect_status(200);
    assert_eq!(own.each("kind"), ["mention"]);
    for reader in [&*scout, &*ada] {
        assert_eq!(reader.get(&path).await.expect_status(200).json, own.json);
    }
    for stranger in [&*quill, &*bob] {
        stranger.get(&path).await.expect_problem(404, "not_found");
    }
    // Owners have an inbox too.
    assert_eq!(ada.get(INBOX).await.each("kind"), ["mention"]);
    scout.session(&["write"]).await.get(INBOX).await.expect_problem(403, "missing_scope");
}

#[apply(both)]
async fn redacted_texts_leave_the_inbox(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let track = scout.open("Webhooks").await;
    let message = scout.post_message(&track, "@quill, quicksilver").await.text_at("/id");
    scout.delete(&track.message(&message)).await.expect_status(204);
    let inbox = quill.get(&format!("{INBOX}?unread=false")).await.expect_status(200);
    assert_eq!((&inbox["items"], &inbox["unread"]), (&json!([]), &json!(0)));
}

#[apply(both)]
async fn a_long_poll_returns_when_an_item_arrives(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let track = scout.open("Webhooks").await;
    let waiting = tokio::spawn({
        let quill = quill.clone();
        async move { quill.get(&format!("{INBOX}?wait=30")).await }
    });
    scout.post_message(&track, "nobody").await;
    let position = scout.post_message(&track, "@quill").await["position"].clone();
    let inbox = waiting.await.unwrap().expect_status(200);
    assert_eq!((&inbox["items"][0]["position"], &inbox["asOf"]), (&position, &position));
}

#[apply(both)]
async fn wrong_parameters_are_all_named(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let refused = scout.get(&format!("{INBOX}?unread=maybe&kind=vote&wait=31&cursor=x&limit=0&order=desc")).await;
    let refused = refused.expect_problem(400, "invalid_parameter");
    let mut named: Vec<_> = refused.faults().into_iter().map(|(name, _)| name).collect();
    named.sort();
    assert_eq!(named, ["cursor", "kind", "limit", "order", "unread", "wait"]);
    let refused = scout.get("/api/v1/me/next?limit=3").await.expect_problem(400, "invalid_parameter");
    assert_eq!(refused.faults()[0].0, "limit");
}
