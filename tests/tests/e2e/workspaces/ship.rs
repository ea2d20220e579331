//! `POST /api/v1/workspaces/{id}/ship`

use buildtrack_tests::{Agent, Backend, Receiver, Reply, TestApp, Track, shorten_ids};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{either, faults};

/// A resolved track of this owner.
async fn resolved(scout: &Agent) -> Track {
    let track = scout.open("Webhooks").await;
    let solution = scout.solve(&track).await;
    scout.accept(&track, &solution).await.expect_status(200);
    track
}

fn path(track: &Track) -> String {
    format!("{}/ship", track.path())
}

fn shipment() -> Value {
    json!({ "note": "Pushes are signed and out.", "links": ["https://build.example/releases/1"] })
}

async fn ship(scout: &Agent, track: &Track) -> Reply {
    scout.post(&path(track), shipment()).await
}

#[apply(either)]
async fn the_shipment_is_shown(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = resolved(&scout).await;
    let shipped = ship(&scout, &track).await.expect_status(200);
    let mut body = shipped.json.clone();
    body["position"] = 42.into();
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&body), @r#"
        {
          "links": [
            "https://build.example/releases/1"
          ],
          "note": "Pushes are signed and out.",
          "position": 42,
          "shippedAt": "2026-03-01T12:00:00.000001Z",
          "shippedBy": {
            "id": "ag_…",
            "model": "claude-opus-4-8",
            "name": "Scout",
            "type": "ai-agent"
          },
          "solutionId": "msg_…",
          "workspaceId": "ws_…"
        }
        "#);
    }
    let shown = app.anonymous().get(&track.path()).await.expect_status(200);
    assert_eq!((&shown["status"], &shown["shipment"]), (&json!("shipped"), &shipped.json));
    assert_eq!(shipped["position"], app.store().log().tail().head());
    // An archived workspace still shows it.
    let archived = scout.act(&format!("{}/archive", track.path())).await.expect_status(200);
    assert_eq!((&archived["status"], &archived["shipment"]), (&json!("archived"), &shipped.json));
}

#[apply(either)]
async fn only_a_resolved_workspace_is_shipped_and_only_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let open = scout.open("Votes").await;
    ship(&scout, &open).await.expect_problem(409, "workspace_not_resolved");
    let track = resolved(&scout).await;
    let first = scout.post(&path(&track), shipment()).key("one").await.expect_status(200);
    let again = scout.post(&path(&track), shipment()).key("one").await.expect_status(200);
    assert_eq!((&again.json, again.header("idempotency-replayed")), (&first.json, "true"));
    ship(&scout, &track).await.expect_problem(409, "workspace_shipped");
    let solution = scout.solve(&track).await;
    scout.accept(&track, &solution).await.expect_problem(409, "workspace_shipped");
    scout.delete(&format!("{}/solution", track.path())).await.expect_problem(409, "workspace_shipped");
    let archived = resolved(&scout).await;
    scout.act(&format!("{}/archive", archived.path())).await.expect_status(200);
    ship(&scout, &archived).await.expect_problem(409, "workspace_archived");
}

#[apply(either)]
async fn every_wrong_field_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = resolved(&scout).await;
    let long = format!("https://{}", "a".repeat(493));
    let links = json!(["ftp://a.example", "https://", "https://a b.example", long, "https://a.example/"]);
    let refused = scout.post(&path(&track), json!({ "note": " ", "links": links, "to": "all" })).await;
    assert_eq!(
        refused.expect_problem(422, "validation_failed").faults().iter().map(|(at, _)| at.as_str()).collect::<Vec<_>>(),
        ["/links/0", "/links/1", "/links/2", "/links/3", "/note", "/to"]
    );
    let refused = scout.post(&path(&track), json!({})).await.expect_problem(422, "validation_failed");
    assert_eq!(refused.faults(), faults(&[("/note", "required")]));
}

#[apply(either)]
async fn maintainers_ship_and_members_cannot(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, quill) = (ada.agent("Scout").await, ada.agent("Quill").await);
    let track = resolved(&scout).await;
    quill.join(&track).await;
    ship(&quill, &track).await.expect_problem(403, "not_maintainer");
    scout.appoint(&track, &quill.id, "maintainer").await.expect_status(200);
    assert_eq!(ship(&quill, &track).await.expect_status(200)["shippedBy"]["name"], "Quill");
}

#[apply(either)]
async fn a_shipment_is_pushed_to_members_except_the_actor(#[case] backend: Backend) {
    let (app, readers, own) = (TestApp::start(backend).await, Receiver::start(), Receiver::start());
    let ada = app.owner("Ada").await;
    let (scout, quill) = (ada.agent_at("Scout", &own.url).await, ada.agent_at("Quill", &readers.url).await);
    let (track, other) = (resolved(&scout).await, resolved(&scout).await);
    scout.patch(&other.path(), json!({ "tags": ["tools"] })).await.expect_status(200);
    for track in [&track, &other] {
        quill.join(track).await;
        ship(&scout, track).await.expect_status(200);
    }
    app.deliver().await;
    let pushes: Vec<_> = readers.take().into_iter().filter(|push| push.event == "track.shipped").collect();
    let [push] = &pushes[..] else { panic!("{pushes:?}") };
    let solution = app.anonymous().get(&track.path()).await.text_at("/solutionId");
    assert_eq!(
        push.json()["data"],
        json!({
            "workspaceId": track.id,
            "workspaceName": "Webhooks",
            "note": "Pushes are signed and out.",
            "links": ["https://build.example/releases/1"],
            "solutionId": solution,
            "shipperId": scout.id,
            "shipperName": "Scout",
            "shipperType": "ai-agent",
            "shipperModel": "claude-opus-4-8",
            "url": format!("https://build.example/build/{}", track.id),
        })
    );
    assert!(own.take().iter().all(|push| push.event != "track.shipped"));
    // Polling returns the same event.
    let asked = quill.get(&format!("/api/v1/agents/{}/events", quill.id)).await.expect_status(200);
    assert_eq!(asked.each("event"), [json!("track.shipped")]);
}
