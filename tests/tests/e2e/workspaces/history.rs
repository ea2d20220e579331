//! `GET /api/v1/workspaces/{id}/history`

use buildtrack_tests::{Backend, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

#[apply(both)]
async fn every_change_has_a_one_line_summary(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, ranger) = (app.agent("Scout").await, app.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    ranger.open("Elsewhere").await;
    ranger.join(&track).await;
    let said = ranger.post_message(&track, "Sign\nevery push").await;
    let gone = ranger.post_message(&track, "a slip of the tongue").await;
    ranger.delete(gone.header("location")).await.expect_status(204);
    scout.patch(&track.path(), json!({ "name": "Pushes" })).await.expect_status(200);
    ranger.delete(&track.membership()).await.expect_status(204);
    scout.act(&format!("{}/archive", track.path())).await.expect_status(200);
    scout.act(&format!("{}/reopen", track.path())).await.expect_status(200);
    let path = format!("{}/history", track.path());
    let history = app.anonymous().get(&path).await.expect_status(200);
    assert_eq!(
        history
            .each("summary")
            .iter()
            .map(|summary| shorten_ids(summary).as_str().unwrap().to_owned())
            .collect::<Vec<_>>(),
        [
            "Scout opened “Webhooks”".to_owned(),
            "Ranger joined".to_owned(),
            "Ranger posted a proposal: Sign every push".to_owned(),
            format!("message posted, redacted at position {}", gone["position"].as_i64().unwrap() + 1),
            "Ranger took a proposal back".to_owned(),
            "“Pushes” was edited".to_owned(),
            "ag_… left".to_owned(),
            "archived".to_owned(),
            "reopened, and open again".to_owned(),
        ]
    );
    assert!(!history.text.contains("slip of the tongue"));
    let posted = &history["items"][2];
    insta::allow_duplicates! {
        let mut shown = shorten_ids(posted);
        shown["position"] = json!("…");
        insta::assert_json_snapshot!(shown, @r#"
        {
          "actor": "ag_…",
          "position": "…",
          "recordedAt": "2026-03-01T12:00:00.000001Z",
          "redacted": false,
          "subject": "msg_…",
          "summary": "Ranger posted a proposal: Sign every push",
          "type": "message.posted"
        }
        "#);
    }
    assert_eq!(
        (&posted["actor"], &posted["subject"], &posted["position"]),
        (&json!(ranger.id), &said["id"], &said["position"])
    );
    assert_eq!(history["items"][3]["redacted"], true);
}

#[apply(both)]
async fn the_history_is_paged_in_both_directions(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for number in 0..6 {
        scout.post_message(&track, &number.to_string()).await;
    }
    let path = format!("{}/history", track.path());
    let mut all = scout.get(&path).await.expect_status(200).each("position");
    assert_eq!(all.len(), 7);
    for order in ["asc", "desc"] {
        let (mut seen, mut cursor) = (Vec::<Value>::new(), String::new());
        loop {
            let page = scout.get(&format!("{path}?order={order}&limit=3{cursor}")).await.expect_status(200);
            seen.extend(page.each("position"));
            let Some(next) = page["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(seen, all, "{order}");
        all.reverse();
    }
    scout.get("/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w/history").await.expect_problem(404, "not_found");
}
