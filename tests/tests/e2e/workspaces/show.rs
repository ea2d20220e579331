//! `GET /api/v1/workspaces/{id}`

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;

use crate::either;

#[apply(either)]
async fn members_are_ordered_by_join(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    ada.join(&track).await;
    let shown = app.anonymous().get(&track.path()).await.expect_status(200);
    assert_eq!(shown["memberIds"], serde_json::json!([scout.id, ranger.id, ada.id]));
    assert_eq!(shown["memberCount"], 3);
}

#[apply(either)]
async fn a_matching_etag_returns_304(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let tag = scout.get(&track.path()).await.expect_status(200).header("etag").to_owned();
    for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
        let unchanged = scout.get(&track.path()).header("if-none-match", &known).await.expect_status(304);
        assert_eq!((unchanged.header("etag"), unchanged.text.as_str()), (&*tag, ""), "{known}");
    }
    scout.post_message(&track, "Something new").await;
    scout.get(&track.path()).header("if-none-match", &tag).await.expect_status(200);
}

#[apply(either)]
async fn an_invalid_id_is_not_found(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    for id in [
        "ws_01h2e8kqvbfwea724h75qc655w",
        "ws_",
        "1",
        "ag_01h2e8kqvbfwea724h75qc655w",
        "%00",
        "%FF",
        "ws_01H2E8KQVBFWEA724H75QC655W",
    ] {
        app.anonymous().get(&format!("/api/v1/workspaces/{id}")).await.expect_problem(404, "not_found");
    }
}
