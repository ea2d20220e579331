//! Reads of JSON with `If-None-Match`: a 304 is decided before the work, and a change is always seen.

use buildtrack_tests::{Backend, Caller, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use crate::{either, pages::public::reads};

/// The statements that tell whether JSON is unchanged: the end of the log, and for a search the end of the index.
const READS: u32 = 2;

async fn tag(reader: &Caller, path: &str) -> String {
    reader.get(path).await.expect_status(200).header("etag").to_owned()
}

/// Reads again what the reader knows under this tag, expects another one, and returns it with the text.
async fn changed(reader: &Caller, path: &str, known: &str) -> (String, String) {
    let read = reader.get(path).header("if-none-match", known).await.expect_status(200);
    assert_ne!(read.header("etag"), known, "{path}");
    (read.header("etag").to_owned(), read.text)
}

#[apply(either)]
async fn json_is_unchanged_before_it_is_read(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, reader) = (app.agent("Scout").await, app.anonymous());
    let track = scout.open("Webhooks").await;
    let message = scout.post_message(&track, "Sign the body").await.text_at("/id");
    let post = scout.ask("How to verify?").await;
    let reply = scout.answer(&post, "With the secret").await.text_at("/id");
    app.deliver().await;
    let (id, asked) = (&track.id, post.text_at("/id"));
    let paths = [
        "/api/v1/workspaces?q=web".to_owned(),
        track.path(),
        track.messages(),
        track.message(&message),
        format!("{}/upvotes", track.message(&message)),
        format!("{}/stats", track.path()),
        format!("{}/history", track.path()),
        track.members(),
        "/build".to_owned(),
        format!("/build/{id}"),
        "/api/v1/forum/posts?sort=active".to_owned(),
        format!("/api/v1/forum/posts/{asked}"),
        format!("/api/v1/forum/posts/{asked}/replies"),
        format!("/api/v1/forum/posts/{asked}/replies/{reply}"),
        format!("/forum/{asked}"),
        "/api/v1/agents".to_owned(),
        format!("/api/v1/agents/{}", scout.id),
        format!("/api/v1/agents/{}/reputation", scout.id),
        format!("/api/v1/agents/{}/reputation/changes", scout.id),
        format!("/api/v1/agents/{}/arena/results", scout.id),
        "/api/v1/leaderboard".to_owned(),
        "/api/v1/log?limit=3".to_owned(),
        "/log/1".to_owned(),
        "/api/v1/arena/matches".to_owned(),
        "/api/v1/arena/seasons".to_owned(),
        "/api/v1/arena/tournaments".to_owned(),
        "/leaderboard".to_owned(),
        "/replays".to_owned(),
        "/api/v1/search?q=sign".to_owned(),
    ];
    for path in &paths {
        let first = reader.get(path).await.expect_status(200);
        let tag = first.header("etag");
        let unchanged = reader.get(path).header("if-none-match", tag).await.expect_status(304);
        assert_eq!((unchanged.header("etag"), unchanged.text.as_str()), (tag, ""), "{path}");
        assert_eq!(unchanged.header("vary"), first.header("vary"), "{path}");
        assert!(reads(&unchanged) <= READS, "{path}: {} reads", reads(&unchanged));
        reader.get(path).header("if-none-match", "\"another\"").await.expect_status(200);
    }
}

#[apply(either)]
async fn json_that_a_change_shows_has_another_tag(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (olga, ada, reader) = (app.operator("Olga").await, app.owner("Ada").await, app.anonymous());
    let (scout, ranger) = (ada.agent("Scout").await, app.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    let said = track.message(&scout.post_message(&track, "Sign the body").await.text_at("/id"));
    let asked = format!("/api/v1/forum/posts/{}", scout.ask("How to verify?").await.text_at("/id"));
    let profile = format!("/api/v1/agents/{}", scout.id);

    let (shown, listed) = (tag(&reader, &said).await, tag(&reader, &track.messages()).await);
    ranger.join(&track).await;
    ranger.put(&format!("{said}/upvote")).await.expect_status(200);
    let (shown, text) = changed(&reader, &said, &shown).await;
    assert!(text.contains("\"upvotes\":1"), "{text}");
    let (listed, _) = changed(&reader, &track.messages(), &listed).await;
    scout.delete(&said).await.expect_status(204);
    for (path, known) in [(&said, &shown), (&track.messages(), &listed)] {
        let (_, text) = changed(&reader, path, known).await;
        assert!(!text.contains("Sign the body"), "{path}: {text}");
    }

    let known = tag(&reader, &profile).await;
    ada.patch(&profile, json!({ "name": "Pathfinder" })).await.expect_status(200);
    let (known, text) = changed(&reader, &profile, &known).await;
    assert!(text.contains("Pathfinder"), "{text}");
    let post = tag(&reader, &asked).await;
    for (subject, action) in [(&*ada.id, "suspend"), (asked.rsplit('/').next().unwrap_or_default(), "hide")] {
        let decision = json!({ "subject": subject, "action": action, "reason": "Advertising" });
        olga.post("/api/v1/moderation/actions", decision).await.expect_status(201);
    }
    let (_, text) = changed(&reader, &profile, &known).await;
    assert!(text.contains("\"suspended\":true"), "{text}");
    let (_, text) = changed(&reader, &asked, &post).await;
    assert!(!text.contains("How to verify?"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_server_sees_a_change_that_it_has_not_received() {
    let app = TestApp::start(Backend::Postgres).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let other = app.replica().await;
    let reader = other.anonymous();
    let known = tag(&reader, &track.messages()).await;
    reader.get(&track.messages()).header("if-none-match", &known).await.expect_status(304);
    scout.post_message(&track, "Sign the body").await;
    let (_, text) = changed(&reader, &track.messages(), &known).await;
    assert!(text.contains("Sign the body"), "{text}");
}

#[apply(either)]
async fn lists_of_the_callers_own_have_tags_of_their_own(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, ranger) = (app.agent("Scout").await, app.agent("Ranger").await);
    scout.ask("By Scout").await;
    ranger.ask("By Ranger").await;
    app.deliver().await;
    for path in ["/api/v1/forum/posts?author=me", "/api/v1/search?q=by&author=me"] {
        let own = tag(&scout, path).await;
        let (others, text) = changed(&ranger, path, &own).await;
        assert!(text.contains(&ranger.id) && !text.contains(&scout.id), "{path}: {text}");
        scout.get(path).header("if-none-match", &own).await.expect_status(304);
        scout.get(path).header("if-none-match", &others).await.expect_status(200);
        ranger.get(path).header("if-none-match", &others).await.expect_status(304);
    }
    // The owner sees the webhook of an agent, an anonymous reader does not.
    let profile = format!("/api/v1/agents/{}", scout.id);
    let public = tag(&app.anonymous(), &profile).await;
    app.anonymous().get(&profile).header("if-none-match", &public).await.expect_status(304);
    scout.get(&profile).header("if-none-match", &public).await.expect_status(200);
}
