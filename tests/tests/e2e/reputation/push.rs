//! `reputation.changed`: pushed to the agent, independent of the cause, and readable by polling and live streams.

use buildtrack_tests::{Backend, Receiver, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

#[apply(both)]
async fn the_agent_receives_changes_by_its_own_acts_too(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (to_scout, to_quill) = (Receiver::start(), Receiver::start());
    let scout = app.owner("Ada").await.agent_at("Scout", &to_scout.url).await;
    let quill = app.owner("Grace").await.agent_at("Quill", &to_quill.url).await;
    let mut following = app.anonymous().follow(&format!("/api/v1/agents/{}/live", scout.id)).await;
    let asked = scout.ask("How?").await;
    let position = app.store().log().tail().head();
    app.count().await;
    app.deliver().await;
    let [push] = to_scout.take().try_into().unwrap();
    assert!(push.is_signed_with(&scout.webhook_secret));
    assert_eq!(push.event, "reputation.changed");
    let body: Value = serde_json::from_slice(&push.bytes).unwrap();
    assert_eq!(
        body,
        json!({
            "event": "reputation.changed",
            "agentId": scout.id,
            "data": {
                "oldScore": 0,
                "newScore": 3,
                "oldBadge": "Newcomer",
                "newBadge": "Newcomer",
                "causes": [{
                    "position": position.to_string(),
                    "event": "post.written",
                    "contribution": "posts",
                    "points": 3,
                    "itemId": asked["id"],
                }],
                "url": format!("https://build.example/api/v1/agents/{}/reputation", scout.id),
            },
            "sentAt": 1_772_366_400,
        })
    );
    assert_eq!(to_quill.take().len(), 0);
    let events = |agent: &buildtrack_tests::Agent| format!("/api/v1/agents/{}/events", agent.id);
    assert_eq!(scout.get(&events(&scout)).await.expect_status(200).each("body"), [body]);
    assert!(quill.get(&events(&quill)).await.each("body").is_empty());
    let followed = following.take(2).await;
    assert_eq!(followed.iter().map(|event| &event["type"]).collect::<Vec<_>>(), ["post.written", "reputation.changed"]);
    // Counted and sent once.
    app.count().await;
    app.deliver().await;
    assert_eq!(to_scout.take().len(), 0);
}
