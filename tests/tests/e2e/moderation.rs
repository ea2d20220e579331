//! `/api/v1/reports` and `/api/v1/moderation`

use buildtrack_tests::{Backend, Owner, Receiver, Reply, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, faults};

const ACTIONS: &str = "/api/v1/moderation/actions";
const APPEALS: &str = "/api/v1/moderation/appeals";
const REPORTS: &str = "/api/v1/reports";
const WORDS: &str = "Buy this now";

async fn decide(operator: &Owner, subject: &str, action: &str) -> Reply {
    operator.post(ACTIONS, json!({ "subject": subject, "action": action, "reason": "Advertising" })).await
}

#[apply(both)]
async fn a_hidden_message_leaves_every_response_until_restored(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (olga, scout) = (app.operator("Olga").await, app.agent("Scout").await);
    let track = scout.open("Webhooks").await;
    let message = scout.post_message(&track, WORDS).await;
    let (id, position) = (message.text_at("/id"), message["position"].as_i64().unwrap());
    app.deliver().await;
    let addresses = [
        track.messages(),
        track.message(&id),
        format!("{}?asOf={position}", track.messages()),
        format!("{}/history", track.path()),
        format!("{}/export", track.path()),
        format!("{}/export?format=md", track.path()),
        format!("/api/v1/log?after={}", position - 1),
    ];
    let anyone = app.anonymous();
    let search = async || anyone.get("/api/v1/search?q=buy").await.expect_status(200).each("id");
    for address in &addresses {
        assert!(anyone.get(address).await.expect_status(200).text.contains("Buy this"), "{address}");
    }
    assert_eq!(search().await, [&*id]);

    decide(&olga, &id, "hide").await.expect_status(201);
    for address in &addresses {
        assert!(!anyone.get(address).await.expect_status(200).text.contains("Buy this"), "{address}");
    }
    assert_eq!(search().await, [] as [Value; 0]);
    let shown = anyone.get(&track.message(&id)).await;
    assert_eq!((&shown["hidden"], &shown["content"], &shown["redacted"]), (&json!(true), &json!(""), &json!(false)));
    let log = anyone.get(&format!("/api/v1/log?after={}&limit=1", position - 1)).await;
    let event = &log["items"][0];
    assert_eq!((&event["visibility"], &event["data"], &event["salt"]), (&json!("hidden"), &Value::Null, &Value::Null));
    assert_eq!(event["dataHash"].as_str().map(str::len), Some(64));

    decide(&olga, &id, "restore").await.expect_status(201);
    app.deliver().await;
    for address in &addresses {
        assert!(anyone.get(address).await.expect_status(200).text.contains("Buy this"), "{address}");
    }
    assert_eq!(search().await, [&*id]);
    let decisions = anyone.get(&format!("{ACTIONS}?subject={id}")).await.expect_status(200);
    assert_eq!(decisions.each("action"), ["restore", "hide"]);
    assert_eq!(
        (&decisions["items"][0]["reason"], &decisions["items"][0]["operatorName"]),
        (&json!("Advertising"), &json!("Olga"))
    );
}

#[apply(both)]
async fn hidden_posts_and_replies_stay_in_lists_without_text(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (olga, scout) = (app.operator("Olga").await, app.agent("Scout").await);
    let question = scout.ask(WORDS).await;
    let reply = scout.answer(&question, WORDS).await;
    for id in [question.text_at("/id"), reply.text_at("/id")] {
        decide(&olga, &id, "hide").await.expect_status(201);
    }
    let path = question.header("location");
    for address in [path.to_owned(), format!("{path}/replies"), format!("{path}/history"), "/api/v1/forum/posts".into()]
    {
        let shown = app.anonymous().get(&address).await.expect_status(200);
        assert!(!shown.text.contains("Buy this"), "{address}: {}", shown.text);
    }
    assert_eq!(app.anonymous().get(path).await["hidden"], true);
    assert_eq!(app.anonymous().get("/api/v1/forum/posts?q=buy").await.each("id"), [] as [Value; 0]);
}

#[apply(both)]
async fn hidden_texts_are_not_pushed(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let (olga, ada) = (app.operator("Olga").await, app.owner("Ada").await);
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent_at("Ranger", &receiver.url).await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    let message = scout.post_message(&track, WORDS).await;
    decide(&olga, &message.text_at("/id"), "hide").await.expect_status(201);
    scout.post_message(&track, "Something else").await;
    app.deliver().await;
    let pushed: Vec<_> = receiver.take().iter().map(|push| push.json()["data"]["content"].clone()).collect();
    assert_eq!(pushed, ["Something else"]);
    let events = ranger.get(&format!("/api/v1/agents/{}/events?after=0", ranger.id)).await.expect_status(200);
    assert!(!events.text.contains(WORDS), "{}", events.text);
}

#[apply(both)]
async fn an_agent_is_suspended_until_its_owners_appeal_is_granted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (olga, ada) = (app.operator("Olga").await, app.owner("Ada").await);
    let scout = ada.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    decide(&olga, &scout.id, "suspend").await.expect_status(201);
    let body = json!({ "kind": "update", "content": "Still here", "upvotes": 0 });
    let refused = scout.post(&track.messages(), body).await.expect_problem(403, "suspended");
    assert!(refused.text_at("/hint").contains("/api/v1/moderation/appeals"), "{}", refused.text);
    scout.log_in(&scout.key, json!(null)).await.expect_problem(403, "suspended");
    let shown = ada.get(&format!("/api/v1/agents/{}", scout.id)).await;
    assert_eq!((&shown["active"], &shown["suspended"]), (&json!(false), &json!(true)));

    let appeal = json!({ "subject": scout.id, "statement": "It is mended" });
    app.owner("Bob").await.post(APPEALS, appeal.clone()).await.expect_problem(403, "not_your_case");
    ada.post(APPEALS, appeal.clone()).await.expect_status(201);
    ada.post(APPEALS, appeal).await.expect_problem(409, "already_appealed");
    let waiting = olga.get(&format!("{APPEALS}?open=true")).await.expect_status(200);
    assert_eq!(
        (waiting.each("subject"), waiting.each("statement")),
        (vec![json!(scout.id)], vec![json!("It is mended")])
    );
    decide(&olga, &scout.id, "reinstate").await.expect_status(201);
    assert_eq!(ada.get(&format!("{APPEALS}?open=true")).await.each("subject"), [] as [Value; 0]);
    // Its earlier sessions are revoked.
    scout.get("/api/v1/me").await.expect_problem(401, "invalid_token");
    let again = scout.log_in(&scout.key, json!(null)).await.expect_status(200);
    app.anonymous().with_token(&again.text_at("/token")).get("/api/v1/me").await.expect_status(200);
}

#[apply(both)]
async fn suspending_an_owner_suspends_its_agents_and_permits_an_appeal(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (olga, ada) = (app.operator("Olga").await, app.owner("Ada").await);
    let scout = ada.agent("Scout").await;
    decide(&olga, &ada.id, "suspend").await.expect_status(201);
    ada.get("/api/v1/me").await.expect_problem(403, "suspended");
    scout.get("/api/v1/me").await.expect_problem(403, "suspended");
    scout.log_in(&scout.key, json!(null)).await.expect_problem(403, "suspended");
    let anyone = app.anonymous();
    let login = json!({ "email": ada.email, "password": ada.password });
    let refused = anyone.post("/api/v1/sessions", login.clone()).await.expect_problem(403, "suspended");
    assert!(refused.text_at("/hint").contains("/api/v1/moderation/own-appeal"), "{}", refused.text);
    let wrong = json!({ "email": ada.email, "password": "not it", "statement": "Please" });
    anyone.post("/api/v1/moderation/own-appeal", wrong).await.expect_problem(401, "wrong_credentials");
    let appeal = json!({ "email": ada.email, "password": ada.password, "statement": "Please" });
    anyone.post("/api/v1/moderation/own-appeal", appeal.clone()).await.expect_status(201);
    decide(&olga, &ada.id, "uphold").await.expect_status(201);
    anyone.post("/api/v1/sessions", login.clone()).await.expect_problem(403, "suspended");
    anyone.post("/api/v1/moderation/own-appeal", appeal.clone()).await.expect_status(201);
    decide(&olga, &ada.id, "reinstate").await.expect_status(201);
    anyone.post("/api/v1/sessions", login).await.expect_status(201);
    scout.log_in(&scout.key, json!(null)).await.expect_status(200);
    anyone.post("/api/v1/moderation/own-appeal", appeal).await.expect_problem(409, "nothing_in_force");
    decide(&olga, &olga.id, "suspend").await.expect_problem(409, "operator_stays");
}

#[apply(both)]
async fn operators_read_reports_and_a_decision_closes_them(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (olga, ada) = (app.operator("Olga").await, app.owner("Ada").await);
    let scout = ada.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let report = json!({ "subject": track.id, "reason": "It is empty" });
    let filed = scout.post(REPORTS, report.clone()).await.expect_status(201);
    scout.post(REPORTS, report.clone()).await.expect_problem(409, "already_reported");
    ada.post(REPORTS, report.clone()).await.expect_status(201);
    for caller in [&*ada, &*scout] {
        assert_eq!(caller.get(REPORTS).await.status, 403);
    }
    ada.get(REPORTS).await.expect_problem(403, "operator_required");
    let listed = olga.get(&format!("{REPORTS}?open=true&subject={}", track.id)).await.expect_status(200);
    assert_eq!(listed.each("reporterName"), ["Ada", "Scout"]);
    assert_eq!(listed["items"][1], filed.json);
    decide(&olga, &track.id, "dismiss").await.expect_status(201);
    assert_eq!(olga.get(&format!("{REPORTS}?open=true")).await.each("subject"), [] as [Value; 0]);
    scout.post(REPORTS, report).await.expect_status(201);
    // The reporter stays private.
    assert!(!app.anonymous().get("/api/v1/log").await.text.contains("It is empty"));
}

#[apply(both)]
async fn invalid_decisions_are_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (olga, ada) = (app.operator("Olga").await, app.owner("Ada").await);
    let scout = ada.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let message = scout.post_message(&track, WORDS).await;
    let id = message.text_at("/id");
    decide(&ada, &id, "hide").await.expect_problem(403, "operator_required");
    let body = json!({ "subject": id, "action": "hide", "reason": "No" });
    scout.post(ACTIONS, body).await.expect_problem(403, "owner_required");
    for (subject, action, code) in [
        (&*id, "suspend", ("/action", "does_not_fit")),
        ("msg_01h2e8kqvbfwea724h75qc655w", "hide", ("/subject", "not_found")),
        ("dlv_01h2e8kqvbfwea724h75qc655w", "hide", ("/subject", "wrong_form")),
    ] {
        let refused = decide(&olga, subject, action).await.expect_problem(422, "validation_failed");
        assert_eq!(refused.faults(), faults(&[code]), "{subject} {action}");
    }
    decide(&olga, &id, "restore").await.expect_problem(409, "already_so");
    decide(&olga, &id, "uphold").await.expect_problem(409, "not_appealed");
    scout.delete(message.header("location")).await.expect_status(204);
    decide(&olga, &id, "hide").await.expect_problem(409, "redacted");
    let appeal = json!({ "subject": id, "statement": "Why?" });
    ada.post(APPEALS, appeal).await.expect_problem(409, "nothing_in_force");
}
