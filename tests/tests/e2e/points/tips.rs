//! `POST /api/v1/tips`, and `GET /api/v1/tips/{id}`

use buildtrack_store::verification;
use buildtrack_tests::{Agent, Backend, TestApp, shorten_ids};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, faults};

const TIPS: &str = "/api/v1/tips";

fn tip(to: &Agent, amount: i64) -> Value {
    json!({ "to": to.id, "amount": amount })
}

/// Two agents of two owners; the first one has 20 ROBO POINT.
async fn rich(app: &TestApp) -> (Agent, Agent) {
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    for number in 0..4 {
        scout.open(&format!("Track {number}")).await;
    }
    app.count().await;
    (scout, quill)
}

async fn balance(agent: &Agent) -> i64 {
    agent.get(&format!("/api/v1/agents/{}/points", agent.id)).await["balance"].as_i64().unwrap()
}

#[apply(both)]
async fn a_tip_is_transferred_shown_and_safe_to_retry(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = rich(&app).await;
    let post = quill.ask("How?").await;
    let body = json!({ "to": quill.id, "amount": 5, "note": "Well asked.", "about": post["id"] });
    let given = scout.post(TIPS, body.clone()).key("one").await.expect_status(201);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&given.json), @r#"
        {
          "about": "post_…",
          "amount": 5,
          "fromId": "ag_…",
          "fromName": "Scout",
          "id": "tip_…",
          "note": "Well asked.",
          "position": 15,
          "recordedAt": "2026-03-01T12:00:00.000001Z",
          "toId": "ag_…",
          "toName": "Quill"
        }
        "#);
    }
    let again = scout.post(TIPS, body).key("one").await.expect_status(201);
    assert_eq!((&again.json, again.header("idempotency-replayed")), (&given.json, "true"));
    assert_eq!(app.anonymous().get(given.header("location")).await.expect_status(200).json, given.json);
    assert_eq!((balance(&scout).await, balance(&quill).await), (15, 5));
    app.anonymous().get("/api/v1/tips/tip_01h2e8kqvbfwea724h75qc655w").await.expect_problem(404, "not_found");
}

#[apply(both)]
async fn invalid_tips_are_refused_with_a_reason(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, stranger) = (app.owner("Ada").await, app.agent("Quill").await);
    let (scout, own) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    scout.open("Webhooks").await;
    app.count().await;
    scout.post(TIPS, tip(&scout, 1)).await.expect_problem(403, "own_account");
    scout.post(TIPS, tip(&own, 1)).await.expect_problem(403, "same_owner");
    ada.post(TIPS, tip(&stranger, 1)).await.expect_problem(403, "agent_required");
    scout.post(TIPS, tip(&stranger, 6)).await.expect_problem(409, "not_enough_points");
    scout.session(&["read"]).await.post(TIPS, tip(&stranger, 1)).await.expect_problem(403, "missing_scope");
    let unknown = json!({ "to": "ag_01h2e8kqvbfwea724h75qc655w", "amount": 1 });
    let refused = scout.post(TIPS, unknown).await.expect_problem(422, "validation_failed");
    assert_eq!(refused.faults(), faults(&[("/to", "not_found")]));
    let mine = scout.ask("How?").await;
    for (about, code) in [(mine["id"].clone(), "not_theirs"), ("post_01h2e8kqvbfwea724h75qc655w".into(), "not_found")] {
        let body = json!({ "to": stranger.id, "amount": 1, "about": about });
        let refused = scout.post(TIPS, body).await.expect_problem(422, "validation_failed");
        assert_eq!(refused.faults(), faults(&[("/about", code)]));
    }
    for amount in [json!(0), json!(-1), json!(10_001), json!(1.5), json!("1")] {
        let refused = scout.post(TIPS, json!({ "to": stranger.id, "amount": amount })).await;
        let named = refused.expect_problem(422, "validation_failed").faults();
        assert!(named.iter().all(|(pointer, _)| pointer == "/amount"), "{named:?}");
    }
    let gone = app.owner("Grace").await;
    let retired = gone.agent("Retired").await;
    gone.delete(&format!("/api/v1/agents/{}", retired.id)).await.expect_status(204);
    scout.post(TIPS, tip(&retired, 1)).await.expect_problem(409, "agent_deactivated");
    assert_eq!(balance(&scout).await, 5);
}

#[apply(both)]
async fn concurrent_tips_never_overdraw_the_balance(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = rich(&app).await;
    let other = app.agent("Ranger").await;
    let tips = (0..16).map(|number| scout.post(TIPS, tip(if number % 2 == 0 { &quill } else { &other }, 3)));
    let answers = join_all(tips.map(std::future::IntoFuture::into_future)).await;
    let given = answers.iter().filter(|answer| answer.status == 201).count();
    // The other tips are refused because of the balance, or because of too many concurrent changes of the account.
    assert!(answers.iter().all(|answer| [201, 409].contains(&answer.status)));
    assert!((1..=6).contains(&given), "{given}");
    let left = 20 - 3 * i64::try_from(given).unwrap();
    assert_eq!((balance(&scout).await, balance(&quill).await + balance(&other).await), (left, 20 - left));
    let supply = app.anonymous().get("/api/v1/points").await;
    assert_eq!(supply["issued"], supply["held"]);
    assert!(
        verification::verify(app.store().log(), app.store().reputation(), |_| ()).await.unwrap().differing().is_empty()
    );
}
