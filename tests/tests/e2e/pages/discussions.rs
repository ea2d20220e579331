//! Pages of Build Tracks, the forum and agents.

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use super::{HOSTILE, expect_page, person};
use crate::either;

#[apply(either)]
async fn a_track_shows_its_messages_in_threads_and_its_solution_on_top(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let first = scout.post_message(&track, "# Plan\n\nSign **every** push.").await;
    let second = scout.post_message(&track, "Another thought.").await;
    let reply = json!({ "kind": "critique", "content": "Too late.", "upvotes": 0, "replyTo": first["id"] });
    let reply = scout.post(&track.messages(), reply).await.expect_status(201);
    let page = person(&app).get(&format!("/build/{}", track.id)).await;
    expect_page(&page);
    assert!(page.text.contains("<h3>Plan</h3>") && page.text.contains("<strong>every</strong>"), "{}", page.text);
    let offset = |id: &str| page.text.find(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("{id}: {}", page.text));
    let (first, second, reply) = (first.text_at("/id"), second.text_at("/id"), reply.text_at("/id"));
    assert!(offset(&first) < offset(&reply) && offset(&reply) < offset(&second));
    let solution = scout.solve(&track).await;
    scout.accept(&track, &solution).await.expect_status(200);
    let solved = person(&app).get(&format!("/build/{}", track.id)).await;
    let (title, messages) = (solved.text.find("Accepted solution"), solved.text.find("id=\"messages\""));
    assert!(title.is_some() && title < messages, "{}", solved.text);
    let listed = person(&app).get("/build").await;
    expect_page(&listed);
    assert!(listed.text.contains(&format!("/build/{}", track.id)));
    let critiques = person(&app).get(&format!("/build/{}?kind=critique", track.id)).await;
    assert!(critiques.text.contains("Too late.") && !critiques.text.contains("Another thought."));
}

#[apply(either)]
async fn a_track_can_be_seen_as_of_an_earlier_position(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let position = app.store().log().tail().head();
    scout.post_message(&track, "Said later.").await;
    let past = person(&app).get(&format!("/build/{}?asOf={position}", track.id)).await;
    expect_page(&past);
    assert!(past.text.contains(&format!("as of position {position}")) && !past.text.contains("Said later."));
    let earlier = person(&app).get(&format!("/build/{}?asOf=0", track.id)).await;
    assert_eq!((earlier.status, earlier.header("content-type")), (404, "text/html; charset=utf-8"));
}

#[apply(either)]
async fn a_program_gets_the_data_of_a_page_at_the_pages_own_address(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let post_id = scout.ask("How do I verify a push?").await.text_at("/id");
    app.deliver().await;
    app.count().await;
    let head = app.store().log().tail().head();
    for (page, data) in [
        (format!("/build/{}", track.id), track.path()),
        (format!("/build/{}?kind=proposal&cursor=p1", track.id), track.path()),
        (format!("/build/{}?asOf={head}", track.id), format!("{}?asOf={head}", track.path())),
        (format!("/forum/{post_id}"), format!("/api/v1/forum/posts/{post_id}")),
        ("/forum?limit=1".to_owned(), "/api/v1/forum/posts?limit=1".to_owned()),
        (format!("/agents/{}", scout.id), format!("/api/v1/agents/{}", scout.id)),
        ("/people".to_owned(), "/api/v1/leaderboard".to_owned()),
        (format!("/build/{}/members?limit=1", track.id), format!("{}/members?limit=1", track.path())),
        (format!("/agents/{}/reputation/changes", scout.id), format!("/api/v1/agents/{}/reputation/changes", scout.id)),
        ("/search?q=push".to_owned(), "/api/v1/search?q=push".to_owned()),
        ("/log?limit=2".to_owned(), "/api/v1/log?limit=2".to_owned()),
        ("/tournaments".to_owned(), "/api/v1/arena/tournaments".to_owned()),
    ] {
        let expected = app.anonymous().get(&data).await.expect_status(200);
        for accept in ["*/*", "application/json", "application/json, text/html;q=0.9"] {
            let shown = app.anonymous().with_header("accept", accept).get(&page).await.expect_status(200);
            assert_eq!(shown.json, expected.json, "{page} {accept}");
            assert_eq!(shown.header("content-type"), "application/json", "{page}");
            assert_eq!(shown.header("vary"), "authorization, accept", "{page}");
            let known = app.anonymous().with_header("if-none-match", shown.header("etag"));
            assert_eq!(known.get(&page).await.expect_status(304).header("vary"), "authorization, accept", "{page}");
        }
    }
    let event = app.anonymous().get("/log/1").await.expect_status(200);
    assert_eq!(event.json, app.anonymous().get("/api/v1/log?limit=1").await["items"][0]);
    for path in ["/log/0", "/log/999999", "/build/ws_x", "/forum/post_x", "/agents/ag_x", "/tournaments/tn_x"] {
        app.anonymous().get(path).await.expect_problem(404, "not_found");
    }
    // An agent sees what is for it alone, too.
    let own = scout.get(&format!("/agents/{}", scout.id)).await.expect_status(200);
    assert_eq!(own.json, scout.get(&format!("/api/v1/agents/{}", scout.id)).await.json);
}

#[apply(either)]
async fn hostile_texts_are_inert_on_every_page(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let description = format!("{HOSTILE}\n\n<script>alert(1)</script>\n\n![x](https://elsewhere.example/x.png)");
    let owner = app.owner(HOSTILE).await;
    // The longest capability.
    let capability: String = HOSTILE.chars().take(64).collect();
    let about = json!({ "description": description, "capabilities": [capability] });
    let scout = owner.agent_with(HOSTILE, about).await;
    let agent = format!("/agents/{}", scout.id);
    owner.patch(&format!("/api/v1{agent}"), json!({ "model": HOSTILE })).await.expect_status(200);
    let body = json!({
        "name": HOSTILE, "description": description, "goal": HOSTILE, "tags": ["build", "<b>&\"'"], "status": "open",
        "messageCount": 0
    });
    let track = scout.post("/api/v1/workspaces", body).await.expect_status(201).text_at("/id");
    let message = json!({ "kind": "proposal", "content": format!("[x](javascript:alert(1)) {HOSTILE}"), "upvotes": 0 });
    scout.post(&format!("/api/v1/workspaces/{track}/messages"), message).await.expect_status(201);
    let asked = scout.ask(HOSTILE).await;
    scout.answer(&asked, &format!("<svg onload=alert(1)> {HOSTILE}")).await;
    let post_id = asked.text_at("/id");
    let own = owner.open(HOSTILE).await;
    let solution = owner.solve(&own).await;
    owner.accept(&own, &solution).await.expect_status(200);
    let shipment = json!({ "note": HOSTILE, "links": ["https://build.example/?q=%22%3E<b>"] });
    owner.post(&format!("{}/ship", own.path()), shipment).await.expect_status(200);
    app.count().await;
    app.deliver().await;
    for path in [
        "/".to_owned(),
        "/people".to_owned(),
        "/search?q=onerror".to_owned(),
        "/log".to_owned(),
        format!("/build/{}", own.id),
        format!("/build/{}/members", own.id),
        format!("{agent}/reputation/changes"),
        "/build".to_owned(),
        format!("/build/{track}"),
        "/forum".to_owned(),
        format!("/forum/{post_id}"),
        agent,
    ] {
        let page = person(&app).get(&path).await;
        expect_page(&page);
        for forbidden in ["href=\"javascript:", "<svg onload", "<script>alert"] {
            assert!(!page.text.contains(forbidden), "{path}: {}", page.text);
        }
    }
}

#[apply(either)]
async fn a_withdrawn_text_is_not_shown(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let said = scout.post_message(&track, "A regret.").await;
    scout.delete(said.header("location")).await.expect_status(204);
    let page = person(&app).get(&format!("/build/{}", track.id)).await;
    expect_page(&page);
    assert!(!page.text.contains("A regret.") && page.text.contains("Its author has withdrawn this text."));
}
