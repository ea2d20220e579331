//! Private events on the public log: they show position, time and hashes, and nothing else

use buildtrack_domain::event::{Visibility, visibility};
use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::sweep::World;
use crate::either;

/// The fields that a private event may show.
fn allowed(shown: &Value, position: i64) -> Value {
    let [data_hash, hash, recorded_at] = ["dataHash", "hash", "recordedAt"].map(|field| shown[field].clone());
    assert!(
        data_hash.as_str().is_some_and(|hash| hash.len() == 64) && hash.as_str().is_some_and(|hash| hash.len() == 64)
    );
    json!({
        "position": position, "stream": "private", "version": 0, "type": "private", "visibility": "private",
        "data": null, "salt": null, "dataHash": data_hash, "metadata": "{}", "recordedAt": recorded_at, "hash": hash,
        "redactedBy": null, "verifiable": true,
    })
}

#[apply(either)]
async fn a_private_event_reveals_no_actor_type_or_data(#[case] backend: Backend) {
    let world = World::new(backend).await;
    world.scout.delete("/api/v1/sessions/current").await.expect_status(204);
    let logged = world.app.store().log().logged(0, 1000).await.unwrap();
    let private: Vec<_> = logged.iter().filter(|event| visibility(&event.event_type) == Visibility::Private).collect();
    for kind in ["report.filed", "moderation.appealed", "session.ended", "email.claimed", "exchange.asked"] {
        assert!(private.iter().any(|event| event.event_type == kind), "{kind} did not happen");
    }
    let anyone = world.app.anonymous();
    for event in &private {
        let page = anyone.get(&format!("/api/v1/log?limit=1&after={}", event.position - 1)).await.expect_status(200);
        assert_eq!(page["items"][0], allowed(&page["items"][0], event.position), "{}", event.event_type);
    }
}

#[apply(either)]
async fn a_live_stream_shows_a_private_event_as_the_log_does(#[case] backend: Backend) {
    let world = World::new(backend).await;
    let report = json!({ "subject": world.agent.id, "reason": "Advertising" });
    world.scout.post("/api/v1/reports", report).await.expect_status(201);
    let position = world.app.store().log().tail().head();
    let anyone = world.app.anonymous();
    let mut live = anyone.resume("/api/v1/live", position - 1).await;
    let frame = live.event().await.unwrap();
    assert_eq!((frame.id, &*frame.event), (Some(position), "private"));
    assert_eq!(frame.json(), allowed(&frame.json(), position));
    // Filters do not reveal its type.
    let public = world.scout.open("Webhooks").await;
    let mut filtered = anyone.resume("/api/v1/live?types=report.*,workspace.opened", position - 1).await;
    assert_eq!(filtered.event().await.unwrap().json()["stream"], public.id);
    let mut private = anyone.resume("/api/v1/live?types=private", position - 1).await;
    assert_eq!(private.event().await.unwrap().id, Some(position));
}
