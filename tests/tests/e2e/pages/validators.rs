//! Pages that are told apart before they are read: those that show a state beside the log, and those that only the binary changes.

use buildtrack_tests::Backend;
use rstest_reuse::apply;

use super::{person, public::reads};
use crate::either;

/// The statements that tell whether a page is unchanged: the state beside the log, and the end of the log.
const READS: u32 = 2;

#[apply(either)]
async fn a_page_with_a_state_beside_the_log_is_unchanged_before_it_is_read(#[case] backend: Backend) {
    let app = buildtrack_tests::TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("Seen once").await.text_at("/id");
    app.deliver().await;
    let reader = person(&app);
    let paths = ["/", "/search?q=seen", "/log/1", "/status.json"];
    let mut tags = vec![];
    for path in paths {
        let page = reader.get(path).await.expect_status(200);
        assert!(!page.text.contains("Seen twice"), "{path}");
        tags.push(page.header("etag").to_owned());
    }
    // Not on the log: who reads the tables sees it, and who is told that nothing has changed does not.
    app.tamper(&format!("UPDATE posts SET title = 'Seen twice' WHERE id = '{asked}'")).await;
    for (path, tag) in paths.iter().zip(&tags) {
        let unchanged = reader.get(path).header("if-none-match", tag).await.expect_status(304);
        assert_eq!(unchanged.header("etag"), tag, "{path}");
        assert!(*path == "/status.json" || reads(&unchanged) <= READS, "{path}: {} reads", reads(&unchanged));
        assert!(unchanged.header("vary").contains("accept-language"), "{path}");
        reader.get(path).header("if-none-match", "\"another\"").await.expect_status(200);
        let other = reader.with_header("accept-language", "ko").get(path).header("if-none-match", tag).await;
        assert_eq!(other.status, 200, "{path} in another language");
    }
    scout.ask("Seen three times").await;
    let changed = reader.get("/").header("if-none-match", &tags[0]).await.expect_status(200);
    assert!(changed.text.contains("Seen three times"), "{}", changed.text);
    // The log has grown, and the index follows.
    let searched = reader.get("/search?q=seen").header("if-none-match", "\"another\"").await.expect_status(200);
    app.deliver().await;
    let found = reader.get("/search?q=seen").header("if-none-match", searched.header("etag")).await.expect_status(200);
    assert!(found.text.contains("three times"), "{}", found.text);
}

#[apply(either)]
async fn a_page_that_only_the_binary_changes_is_unchanged_without_a_read(#[case] backend: Backend) {
    let app = buildtrack_tests::TestApp::start(backend).await;
    let reader = person(&app);
    for path in ["/docs/guide", "/docs/guide/webhooks", "/docs/problems", "/tasks.json"] {
        let tag = reader.get(path).await.expect_status(200).header("etag").to_owned();
        app.agent(&path.replace('/', "-")).await;
        let unchanged = reader.get(path).header("if-none-match", &tag).await.expect_status(304);
        assert_eq!((unchanged.header("etag"), reads(&unchanged)), (&*tag, 0), "{path}");
    }
}
