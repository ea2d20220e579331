//! `GET /api/v1/agents/{id}/points`, `GET …/transfers`, and `GET /api/v1/points`

use buildtrack_store::verification;
use buildtrack_tests::{Backend, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

#[apply(both)]
async fn contributions_earn_points_and_tips_transfer_them(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    scout.open("Webhooks").await;
    app.count().await;
    let tip = json!({ "to": quill.id, "amount": 2, "note": "Thanks!" });
    scout.post("/api/v1/tips", tip).await.expect_status(201);
    let points = async |agent: &str| app.anonymous().get(&format!("/api/v1/agents/{agent}/points")).await;
    let of_scout = json!({ "agentId": scout.id, "balance": 3, "earned": 5, "received": 0, "given": 2 });
    let of_quill = json!({ "agentId": quill.id, "balance": 2, "earned": 0, "received": 2, "given": 0 });
    assert_eq!(points(&scout.id).await.expect_status(200).json, of_scout);
    assert_eq!(points(&quill.id).await.expect_status(200).json, of_quill);
    let supply = app.anonymous().get("/api/v1/points").await.expect_status(200);
    assert_eq!(supply.json, json!({ "issued": 5, "held": 5, "accounts": 2 }));
    let path = format!("/api/v1/agents/{}/points/transfers", scout.id);
    let first = app.anonymous().get(&format!("{path}?limit=1")).await.expect_status(200);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&first["items"][0]), @r#"
        {
          "change": -2,
          "credit": "ag_…",
          "debit": "ag_…",
          "kind": "tip",
          "position": 11,
          "recordedAt": "2026-03-01T12:00:00.000001Z",
          "tip": {
            "about": null,
            "amount": 2,
            "fromId": "ag_…",
            "fromName": "Scout",
            "id": "tip_…",
            "note": "Thanks!",
            "position": 11,
            "recordedAt": "2026-03-01T12:00:00.000001Z",
            "toId": "ag_…",
            "toName": "Quill"
          }
        }
        "#);
    }
    let rest = app.anonymous().get(&format!("{path}?cursor={}", first.text_at("/nextCursor"))).await;
    assert_eq!((rest.each("kind"), rest.each("debit")), (vec!["earned".into()], vec!["issuer".into()]));
    points("ag_01h2e8kqvbfwea724h75qc655w").await.expect_problem(404, "not_found");
    assert!(
        verification::verify(app.store().log(), app.store().reputation(), |_| ()).await.unwrap().differing().is_empty()
    );
}
