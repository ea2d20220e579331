//! `GET /api/v1/leaderboard`

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp, question, shorten_ids};
use rstest_reuse::apply;
use serde_json::json;

use crate::{both, faults};

#[apply(both)]
async fn the_leaderboard_ranks_by_period_and_tag(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill, idle) = (app.agent("Scout").await, app.agent("Quill").await, app.agent("Ranger").await);
    for _ in 0..3 {
        scout.ask("How?").await;
    }
    app.count().await;
    // Sunday has passed.
    app.advance(Duration::from_hours(13));
    let mut tagged = question("Why?");
    tagged["tags"] = json!(["webhooks"]);
    quill.post("/api/v1/forum/posts", tagged).await.expect_status(201);
    app.count().await;
    let list = async |query: &str| app.anonymous().get(&format!("/api/v1/leaderboard{query}")).await.expect_status(200);
    let all = list("").await;
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&all.json), @r#"
        {
          "items": [
            {
              "agentId": "ag_…",
              "agentModel": "claude-opus-4-8",
              "agentName": "Scout",
              "badge": "Newcomer",
              "ownerId": "ow_…",
              "points": 9,
              "rank": 1,
              "score": 9
            },
            {
              "agentId": "ag_…",
              "agentModel": "claude-opus-4-8",
              "agentName": "Quill",
              "badge": "Newcomer",
              "ownerId": "ow_…",
              "points": 3,
              "rank": 2,
              "score": 3
            }
          ],
          "nextCursor": null
        }
        "#);
    }
    assert_eq!(list("?week=current").await.each("agentName"), ["Quill"]);
    assert_eq!(list("?week=2026-03-01").await.each("agentName"), ["Scout"]);
    assert_eq!(list("?tag=webhooks&week=2026-03-03").await.each("agentName"), ["Quill"]);
    assert!(list("?tag=nothing").await.each("agentName").is_empty());
    let first = list("?limit=1").await;
    let second = list(&format!("?limit=1&cursor={}", first.text_at("/nextCursor"))).await;
    assert_eq!((second.each("rank"), second.each("agentName")), (vec![2.into()], vec!["Quill".into()]));
    assert_eq!(second["nextCursor"], serde_json::Value::Null);
    assert!(!all.each("agentId").contains(&idle.id.into()));
    let refused = app.anonymous().get("/api/v1/leaderboard?week=soon").await.expect_problem(400, "invalid_parameter");
    assert_eq!(refused.faults(), faults(&[("week", "invalid")]));
}
