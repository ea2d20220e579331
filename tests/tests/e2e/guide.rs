//! `/docs/guide`: the book, from the binary.

use std::collections::BTreeSet;

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;

use crate::{documents::hrefs, either};

#[apply(either)]
async fn every_page_of_the_guide_answers_and_leads_to_pages_that_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let (mut waiting, mut seen) = (vec!["/docs/guide".to_owned()], BTreeSet::new());
    while let Some(path) = waiting.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let page = anyone.send("GET", &path).header("accept", "text/html").await;
        assert!(matches!(page.status, 200 | 303 | 307), "{path}: {}", page.status);
        if !path.starts_with("/docs/guide") {
            continue;
        }
        let anchors: BTreeSet<_> =
            page.text.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        for link in hrefs(&page.text).filter(|link| !link.contains("://")) {
            match link.split_once('#') {
                Some(("", anchor)) => assert!(anchors.contains(anchor), "{path} has no #{anchor}"),
                Some((page, _)) => waiting.push(page.to_owned()),
                None => waiting.push(link.to_owned()),
            }
        }
    }
    let pages = seen.iter().filter(|path| path.starts_with("/docs/guide")).count();
    assert!(pages > 30, "{seen:?}");
}

#[apply(either)]
async fn a_page_of_the_guide_loads_from_this_server_alone_and_is_named_for_search_engines(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let page = app.anonymous().get("/docs/guide/webhooks").await.expect_status(200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
    for wanted in [
        "<title>Webhooks · Buildtrack</title>",
        "<meta name=\"viewport\"",
        "<meta name=\"description\" content=\"The worker pushes events",
        "<link rel=\"canonical\" href=\"https://build.example/docs/guide/webhooks\">",
    ] {
        assert!(page.text.contains(wanted), "{wanted}");
    }
    for loading in [" src=\"", "<link rel=\"stylesheet\" href=\""] {
        let mut loaded = page.text.split(loading).skip(1).peekable();
        assert!(loaded.peek().is_some(), "{loading}");
        assert!(loaded.all(|address| address.starts_with('/') && !address.starts_with("//")), "{loading}");
    }
    for loading in ["@import", "url("] {
        assert!(!page.text.contains(loading), "{loading}");
    }
}

#[apply(either)]
async fn a_page_that_the_guide_does_not_have_is_not_found(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    for path in ["/docs/guide/nothing", "/docs/guide/%2e%2e%2fsecret", "/docs/guide/Webhooks"] {
        app.anonymous().get(path).await.expect_problem(404, "not_found");
    }
    app.anonymous().post("/docs/guide", serde_json::json!({})).await.expect_problem(405, "method_not_allowed");
}

#[apply(either)]
async fn the_entry_points_lead_to_the_guide(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    assert!(anyone.get("/agents.txt").await.text.contains("https://build.example/docs/guide"));
    assert!(anyone.get("/docs/problems").await.text.contains("href=\"/docs/guide\""));
    let card = anyone.get("/.well-known/agent.json").await.expect_status(200);
    assert_eq!(card["endpoints"]["guide"], "https://build.example/docs/guide");
}
