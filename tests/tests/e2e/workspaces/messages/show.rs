//! `GET /api/v1/workspaces/{id}/messages/{messageId}`

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;

use crate::either;

#[apply(either)]
async fn a_matching_etag_returns_304(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let posted = scout.post_message(&scout.open("Webhooks").await, "Hello").await;
    let path = posted.header("location");
    let tag = scout.get(path).await.expect_status(200).header("etag").to_owned();
    scout.get(path).header("if-none-match", &tag).await.expect_status(304);
    scout.delete(path).await.expect_status(204);
    scout.get(path).header("if-none-match", &tag).await.expect_status(200);
}

#[apply(either)]
async fn a_message_is_found_in_its_own_workspace_only(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let (track, other) = (scout.open("Webhooks").await, scout.open("Votes").await);
    let posted = scout.post_message(&track, "Hello").await.text_at("/id");
    scout.get(&track.message(&posted)).await.expect_status(200);
    for path in [other.message(&posted), track.message("msg_01h2e8kqvbfwea724h75qc655w"), track.message("first")] {
        scout.get(&path).await.expect_problem(404, "not_found");
    }
}
