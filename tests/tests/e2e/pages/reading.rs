//! Pages of the search, of people and of the log.

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;

use super::{HOSTILE, browser::Browser, expect_page, person};
use crate::either;

#[apply(either)]
async fn the_search_shows_where_texts_are_and_marks_the_words(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let said = scout.post_message(&track, &format!("Sign every push. {HOSTILE}")).await;
    let asked = scout.ask("A push that nobody signed").await;
    let replied = scout.answer(&asked, "Push it again.").await;
    app.deliver().await;
    let empty = person(&app).get("/search").await;
    expect_page(&empty);
    assert!(empty.text.contains("name=\"q\"") && !empty.text.contains("Nothing matches"));
    let page = person(&app).get("/search?q=push&type=").await;
    expect_page(&page);
    assert!(page.text.contains("<mark>push</mark>"), "{}", page.text);
    let position = said["position"].as_i64().unwrap() - 1;
    let message = format!("/build/{}?cursor=p{position}#{}", track.id, said.text_at("/id"));
    assert!(page.text.contains(&message), "{message}: {}", page.text);
    let position = replied["position"].as_i64().unwrap() - 1;
    let reply = format!("/forum/{}?cursor=p{position}#{}", asked.text_at("/id"), replied.text_at("/id"));
    assert!(page.text.contains(&reply), "{reply}: {}", page.text);
    let target = person(&app).get(&message).await;
    assert!(target.text.contains(&format!("id=\"{}\"", said.text_at("/id"))), "{}", target.text);
    let none = person(&app).get("/search?q=nowhere&type=post").await;
    assert!(none.text.contains("Nothing matches."), "{}", none.text);
    let refused = person(&app).get("/search?q=push&type=house").await;
    assert_eq!((refused.status, refused.header("content-type")), (400, "text/html; charset=utf-8"));
}

#[apply(either)]
async fn people_are_ranked_by_their_points(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    assert!(person(&app).get("/people").await.text.contains("No agent has points yet."));
    let (scout, other) = (app.agent(HOSTILE).await, app.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    scout.post_message(&track, "A thought.").await;
    other.ask("A question").await;
    app.count().await;
    for path in ["/people", "/people?week=current"] {
        let page = person(&app).get(path).await;
        expect_page(&page);
        let offset =
            |id: &str| page.text.find(&format!("/agents/{id}")).unwrap_or_else(|| panic!("{id}: {}", page.text));
        assert!(offset(&scout.id) < offset(&other.id), "{}", page.text);
    }
    person(&app).get("/people?week=2026-01-01").await.expect_status(400);
}

#[apply(either)]
async fn a_browser_verifies_the_log_and_notices_a_change(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let said = scout.post_message(&track, "Sign every push. Ünïcödé ✓").await;
    let gone = scout.post_message(&track, HOSTILE).await;
    scout.delete(gone.header("location")).await.expect_status(204);
    let position = said["position"].as_i64().unwrap();
    for path in ["/log".to_owned(), format!("/log?until={position}"), format!("/log/{position}")] {
        expect_page(&person(&app).get(&path).await);
    }
    for path in ["/log/0", "/log/999999", "/log/-1", "/log/x"] {
        person(&app).get(path).await.expect_status(404);
    }
    person(&app).get("/log?until=0").await.expect_status(400);
    let event = app.anonymous().get(&format!("/log/{position}")).await.expect_status(200);
    assert_eq!((&event["position"], &event["type"]), (&position.into(), &"message.posted".into()));
    let mut browser = Browser::run("log.mjs", &[&app.url(), &position.to_string()]);
    let one = browser.step().await;
    let right = "✓ The content matches its hash, and the event follows from the one before it.";
    // The first event claims an e-mail address, which is private.
    let first = "✓ The event follows from the one before it.";
    assert_eq!((&one["verdict"], &one["first"]), (&right.into(), &first.into()), "{one}");
    let since = browser.step().await;
    assert!(
        since["verdict"].as_str().is_some_and(|text| text.contains("events follow from your checkpoint")),
        "{since}"
    );
    let changed = browser.step().await;
    assert!(changed["verdict"].as_str().is_some_and(|text| text.contains("has another hash now")), "{changed}");
    let forged = browser.step().await;
    assert_eq!(forged["verdict"], "✗ The hash contradicts its content.", "{forged}");
    assert_eq!(browser.step().await["complaints"], serde_json::json!([]));
}

#[apply(either)]
async fn a_slash_after_the_path_of_a_page_leads_to_the_page(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let track = app.agent("Scout").await.open("Webhooks").await;
    let page = format!("/build/{}", track.id);
    for address in [page.as_str(), "/forum?tag=build", "/docs/guide", "/portal", "/leaderboard"] {
        let asked = match address.split_once('?') {
            Some((path, query)) => format!("{path}/?{query}"),
            None => format!("{address}/"),
        };
        let moved = person(&app).get(&asked).await.expect_status(308);
        assert_eq!(moved.header("location"), address);
        assert!(moved.header("vary").contains("Accept"), "{asked}");
        // A program has no use for it.
        app.anonymous().get(&asked).await.expect_problem(404, "not_found");
    }
    for nowhere in ["/nowhere/", "/build//", "//example.org/", "/\\example.org/", "/%2Fexample.org/"] {
        assert_eq!(person(&app).get(nowhere).await.status, 404, "{nowhere}");
    }
    assert_eq!(person(&app).put("/forum/").await.status, 404);
}
