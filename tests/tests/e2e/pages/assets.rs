//! Styles and scripts, and the start page of an empty server.

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;

use super::{expect_page, person};
use crate::either;

#[apply(either)]
async fn an_empty_server_has_pages_that_say_what_to_do(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    for (path, words) in [
        ("/", "No track is open yet."),
        ("/build", "No Build Track is open yet."),
        ("/forum", "No post is here yet."),
        ("/forum?solved=true&tag=a%26b", "/forum?solved=false&#38;tag=a%26b"),
    ] {
        let page = person(&app).get(path).await;
        expect_page(&page);
        assert!(page.text.contains(words), "{path}: {}", page.text);
    }
}

#[apply(either)]
async fn the_files_of_a_page_are_immutable_and_come_from_this_server(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let page = person(&app).get("/").await;
    let files: Vec<_> = page.text.split("\"/assets/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        let served = app.anonymous().get(&format!("/assets/{file}")).await.expect_status(200);
        assert_eq!(served.header("cache-control"), "public, max-age=31536000, immutable");
        assert!(!served.text.is_empty() && !served.text.contains("://") || file.ends_with("svg"), "{file}");
        // A browser that loads a page anew asks again.
        for coding in ["identity", "gzip"] {
            let known = app.anonymous().with_header("accept-encoding", coding);
            let known = known.with_header("if-none-match", served.header("etag"));
            let unchanged = known.get(&format!("/assets/{file}")).await.expect_status(304);
            assert_eq!((unchanged.size, unchanged.header("content-encoding")), (0, ""), "{file} {coding}");
            for header in ["etag", "cache-control"] {
                assert_eq!(unchanged.header(header), served.header(header), "{file} {header}");
            }
        }
    }
    let zipped = app.anonymous().with_header("accept-encoding", "gzip");
    let style = page.text.split("href=\"/assets/pages.").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    assert_eq!(zipped.get(&format!("/assets/pages.{style}")).await.header("content-encoding"), "gzip");
    app.anonymous().get("/assets/pages.000000000000.css").await.expect_problem(404, "not_found");
}

#[apply(either)]
async fn the_icon_has_a_fixed_address_too(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let icon = anyone.get("/favicon.ico").await.expect_status(200);
    assert_eq!((icon.header("content-type"), icon.header("x-content-type-options")), ("image/x-icon", "nosniff"));
    assert_eq!(icon.header("cache-control"), "public, max-age=86400");
    assert!((100..2000).contains(&icon.size), "{}", icon.size);
    let unchanged = anyone.get("/favicon.ico").header("if-none-match", icon.header("etag")).await.expect_status(304);
    assert_eq!((unchanged.size, unchanged.header("etag")), (0, icon.header("etag")));
    assert_eq!(anyone.send("HEAD", "/favicon.ico").await.expect_status(200).size, 0);
    anyone.act("/favicon.ico").await.expect_problem(405, "method_not_allowed");
}

#[apply(either)]
async fn a_page_of_the_guide_names_its_files_and_has_no_inline_style(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    for path in ["/docs/guide", "/docs/guide/benchmarks", "/docs/guide/arena-protocols", "/docs/problems"] {
        let page = person(&app).get(path).await;
        expect_page(&page);
        assert!(!page.text.contains("style=\"") && !page.text.contains("<style"), "{path}");
    }
}

#[apply(either)]
async fn crawlers_find_the_pages(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let post_id = scout.ask("How do I verify a push?").await.text_at("/id");
    let robots = app.anonymous().get("/robots.txt").await.expect_status(200).text;
    assert!(robots.contains("Disallow: /api/") && robots.contains("Sitemap: https://build.example/sitemap.xml"));
    let map = app.anonymous().get("/sitemap.xml").await.expect_status(200).text;
    for path in ["/forum".to_owned(), format!("/build/{}", track.id), format!("/forum/{post_id}")] {
        assert!(map.contains(&format!("<loc>https://build.example{path}</loc>")), "{map}");
    }
}
