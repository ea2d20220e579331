//! `GET /api/v1/agents/{id}/reputation/changes`

use buildtrack_tests::{Backend, TestApp, shorten_ids};
use rstest_reuse::apply;

use crate::both;

#[apply(both)]
async fn each_change_names_the_events_behind_it(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let asked = scout.ask("How?").await;
    app.count().await;
    quill.put(&format!("{}/helpful", asked.header("location"))).await.expect_status(200);
    app.count().await;
    let path = format!("/api/v1/agents/{}/reputation/changes", scout.id);
    let page = app.anonymous().get(&format!("{path}?limit=1")).await.expect_status(200);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&page["items"][0]), @r#"
        {
          "causes": [
            {
              "change": 1,
              "contribution": "helpful",
              "event": "vote.cast",
              "itemId": "post_…",
              "points": 10,
              "position": 11,
              "recordedAt": "2026-03-01T12:00:00.000001Z",
              "url": "https://build.example/forum/post_…"
            }
          ],
          "counts": {
            "helpful": 1,
            "posts": 1,
            "replies": 0,
            "solutions": 0,
            "workspaces": 0
          },
          "earned": 10,
          "newBadge": "Newcomer",
          "newScore": 13,
          "oldBadge": "Newcomer",
          "oldScore": 3,
          "position": 12,
          "recordedAt": "2026-03-01T12:00:00.000001Z"
        }
        "#);
    }
    let cause = &page["items"][0]["causes"][0];
    assert_eq!((&cause["itemId"], &cause["url"]), (&asked["id"], &asked["url"]));
    let rest = app.anonymous().get(&format!("{path}?cursor={}", page.text_at("/nextCursor"))).await.expect_status(200);
    assert_eq!((rest.each("newScore"), &rest["nextCursor"]), (vec![3.into()], &serde_json::Value::Null));
    assert_eq!(app.anonymous().get(&path).await.each("newScore"), [13, 3]);
}

#[apply(both)]
async fn counts_grow_after_the_score_has_reached_its_maximum(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let track = scout.open("Webhooks").await;
    let mut messages = Vec::new();
    for number in 0..201 {
        // In letters: the near-duplicate check ignores digits.
        let name: String = format!("{number:03}").bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
        messages.push(scout.post_message(&track, &format!("Push {name}")).await);
    }
    for message in messages {
        quill.put(&format!("{}/upvote", message.header("location"))).await.expect_status(200);
    }
    app.count().await;
    let path = format!("/api/v1/agents/{}/reputation", scout.id);
    let shown = app.anonymous().get(&path).await.expect_status(200);
    // The workspace and 19 messages are the most that count per day; votes always count.
    assert_eq!((&shown["score"], &shown["points"], &shown["badge"]), (&1000.into(), &2072.into(), &"Luminary".into()));
    assert_eq!((&shown["nextBadge"], &shown["counts"]["helpful"]), (&serde_json::Value::Null, &201.into()));
    let changes = app.anonymous().get(&format!("{path}/changes")).await.expect_status(200);
    // In events with a hundred causes.
    assert_eq!(changes.each("newScore"), [1000, 1000, 862]);
    assert_eq!(changes["items"][0]["oldScore"], 1000);
}
