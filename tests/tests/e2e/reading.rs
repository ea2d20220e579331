//! Reads of public data: from pages of other sites (CORS), page by page (`Link`), and again with an `ETag`.

use buildtrack_tests::{Backend, Caller, Reply, TestApp};
use rstest_reuse::apply;

use crate::both;

const ORIGIN: &str = "access-control-allow-origin";

/// The answer to a browser that asks before it sends a request of another site's page.
async fn preflight(caller: &Caller, path: &str, method: &str) -> Reply {
    caller
        .send("OPTIONS", path)
        .header("origin", "https://elsewhere.example")
        .header("access-control-request-method", method)
        .header("access-control-request-headers", "if-none-match")
        .await
}

#[apply(both)]
async fn a_page_of_another_site_reads_public_data_alone(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let anyone = app.anonymous();
    let page = format!("/build/{}", track.id);
    let files = ["/openapi.json", "/feeds/build.atom", "/llms.txt", "/.well-known/oauth-authorization-server"];
    for path in ["/build", &page, "/", "/v1/messages", &*track.path(), &*track.messages()].into_iter().chain(files) {
        for method in ["GET", "HEAD"] {
            let allowed = preflight(&anyone, path, method).await.expect_status(204);
            assert_eq!((allowed.header(ORIGIN), allowed.text.as_str()), ("*", ""), "{path}");
            assert_eq!(allowed.header("access-control-allow-methods"), "GET, HEAD");
            assert_eq!(allowed.header("access-control-allow-headers"), "If-None-Match, Last-Event-ID");
            assert_eq!(allowed.header("access-control-allow-credentials"), "");
        }
    }
    // Not a preflight of a public read.
    for (path, method) in [
        (&*track.messages(), "POST"),
        (&*track.path(), "PATCH"),
        ("/api/v1/me", "GET"),
        ("/api/v1/sessions", "POST"),
        ("/metrics", "GET"),
        ("/portal", "GET"),
        ("/a2a/tasks", "GET"),
    ] {
        let refused = preflight(&anyone, path, method).await;
        assert_eq!((refused.status, refused.header(ORIGIN)), (405, ""), "{method} {path}");
    }
    let shown = anyone.get(&track.path()).await.expect_status(200);
    assert_eq!(shown.header(ORIGIN), "*");
    assert!(shown.header("access-control-expose-headers").contains("ETag, Link, RateLimit"));
    let head = anyone.send("HEAD", &track.path()).await.expect_status(200);
    assert_eq!(head.header(ORIGIN), "*");
    // Errors of public reads as well.
    let missing = anyone.get("/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w").await.expect_problem(404, "not_found");
    let guessed = anyone.with_token("bts_guessed").get("/build").await.expect_problem(401, "invalid_token");
    assert_eq!((missing.header(ORIGIN), guessed.header(ORIGIN)), ("*", "*"));
    for private in
        [scout.get("/api/v1/me").await, scout.post_message(&track, "Hello").await, anyone.get("/livez").await]
    {
        assert_eq!(private.header(ORIGIN), "", "{}", private.line);
    }
}

#[apply(both)]
async fn the_header_link_leads_through_all_pages(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for name in ["First", "Second", "Third"] {
        scout.open(name).await;
    }
    for (list, count) in
        [("/api/v1/workspaces?tag=build&limit=1", 3), ("/build?limit=2", 2), ("/api/v1/log?limit=2", 3)]
    {
        let (mut path, mut pages) = (list.to_owned(), 1);
        loop {
            let page = app.anonymous().get(&path).await.expect_status(200);
            let Some((address, _)) = page.header("link").split_once(">; rel=\"next\"") else { break };
            path = address.strip_prefix("<https://build.example").unwrap().to_owned();
            pages += 1;
        }
        assert!(pages >= count, "{list}: {pages} pages, the last one at {path}");
    }
    let filtered = app.anonymous().get("/api/v1/workspaces?cursor=p9999&tag=build&limit=1").await;
    let next = filtered["nextCursor"].as_str().unwrap();
    let link = format!("<https://build.example/api/v1/workspaces?tag=build&limit=1&cursor={next}>; rel=\"next\"");
    assert_eq!(filtered.header("link"), link);
}
