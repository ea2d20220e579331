//! The operator's pages: who reaches them, moderation, users, dead letters and breakers.

use std::time::Duration;

use buildtrack_bus::Notice;
use buildtrack_domain::{
    ids::{DeliveryId, WebhookId},
    webhooks::PushType,
};
use buildtrack_store::{NewDelivery, WebhookChange};
use buildtrack_tests::{Backend, Caller, Owner, Reply, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use super::{
    HOSTILE,
    browser::Browser,
    person,
    portal::{form_token, own, send, start},
};
use crate::either;

/// Every page of operators. `{user}` and `{subject}` stand for ids.
const PAGES: [&str; 10] = [
    "",
    "/users",
    "/users/{user}",
    "/reports",
    "/appeals",
    "/cases/{subject}",
    "/dead-letters",
    "/breakers",
    "/settings",
    "/audit",
];
/// Every form of operators.
const FORMS: [&str; 4] = ["/users/{user}/limit", "/users/{user}/tier", "/decisions", "/dead-letters"];
const ROOT: &str = "/portal/operator";
const WORDS: &str = "Buy this now";

/// A browser in which this owner is signed in.
fn signed_in(app: &TestApp, owner: &Owner) -> Caller {
    own(&person(app)).with_header("cookie", &format!("buildtrack_session={}", owner.token))
}

/// An operator's browser, and the form token of its session.
async fn operating(app: &TestApp, operator: &Owner) -> (Caller, String) {
    let browser = signed_in(app, operator);
    let token = form_token(&browser.get(ROOT).await.expect_status(200));
    (browser, token)
}

/// Sends a form of an operator's page.
async fn sent((browser, token): &(Caller, String), path: &str, fields: &[(&str, &str)]) -> Reply {
    let fields = [fields, &[("form-token", token.as_str())][..]].concat();
    send(browser, &format!("{ROOT}{path}"), &fields).await
}

#[track_caller]
fn expect_inert(page: &Reply) {
    assert!(!page.text.contains("<img") && !page.text.contains("<script>"), "{}", page.text);
}

#[apply(either)]
async fn only_operators_reach_the_operators_pages(#[case] backend: Backend) {
    let app = start(backend).await;
    let (olga, ada) = (app.operator("Olga").await, app.owner("Ada").await);
    let scout = ada.agent("Scout").await;
    let path = |page: &str| format!("{ROOT}{page}").replace("{user}", &ada.id).replace("{subject}", &scout.id);
    let (stranger, owner) = (own(&person(&app)), signed_in(&app, &ada));
    let agent = own(&person(&app)).with_header("cookie", &format!("buildtrack_session={}", scout.token));
    let token = form_token(&owner.get("/portal/account").await.expect_status(200));
    assert!(!owner.get("/portal").await.text.contains(ROOT));
    for page in PAGES.map(path) {
        for caller in [&stranger, &agent] {
            let sent = caller.get(&page).await.expect_status(303);
            assert!(sent.header("location").starts_with("/portal/sign-in?next="), "{page}");
        }
        let refused = owner.get(&page).await.expect_status(403);
        assert!(refused.text.contains("/docs/problems#operator_required"), "{page}: {}", refused.text);
    }
    let fields = [("subject", &*scout.id), ("action", "suspend"), ("reason", "Mine"), ("form-token", &*token)];
    for form in FORMS.map(path) {
        send(&stranger, &form, &fields).await.expect_status(303);
        let refused = send(&owner, &form, &fields).await.expect_status(403);
        assert!(refused.text.contains("/docs/problems#operator_required"), "{form}: {}", refused.text);
    }
    scout.get("/api/v1/me").await.expect_status(200);
    // The operator reaches all of them; a form of another session changes nothing.
    let operator = operating(&app, &olga).await;
    for page in PAGES.map(path) {
        let shown = operator.0.get(&page).await.expect_status(200);
        assert_eq!(shown.header("cache-control"), "no-store");
    }
    send(&operator.0, &path("/decisions"), &fields).await.expect_status(403);
    operator.0.send("PUT", &path("")).await.expect_status(405);
    operator.0.get(&format!("{ROOT}/cases/msg_01h2e8kqvbfwea724h75qc655w")).await.expect_status(404);
    operator.0.get(&format!("{ROOT}/cases/nothing")).await.expect_status(404);
}

#[apply(either)]
async fn a_text_is_reported_hidden_appealed_and_restored_on_pages(#[case] backend: Backend) {
    let app = start(backend).await;
    let (olga, ada) = (app.operator("Olga").await, app.owner("Ada").await);
    let (scout, reader) = (ada.agent("Scout").await, app.agent("Reader").await);
    let track = scout.open("Webhooks").await;
    let message = scout.post_message(&track, &format!("{WORDS} {HOSTILE}")).await.text_at("/id");
    let report = json!({ "subject": message, "reason": format!("Advertising {HOSTILE}") });
    reader.post("/api/v1/reports", report).await.expect_status(201);
    let operator = operating(&app, &olga).await;
    let (browser, case) = (&operator.0, format!("{ROOT}/cases/{message}"));
    let visible = async || app.anonymous().get(&track.message(&message)).await.text.contains(WORDS);
    for page in [format!("{ROOT}/reports"), case.clone()] {
        let shown = browser.get(&page).await.expect_status(200);
        assert!(shown.text.contains(WORDS) && shown.text.contains("Advertising"), "{page}: {}", shown.text);
        expect_inert(&shown);
    }

    let decide = async |action: &str, reason: &str| {
        sent(&operator, "/decisions", &[("subject", &message), ("action", action), ("reason", reason)]).await
    };
    let blank = decide("hide", "").await.expect_status(422);
    assert!(blank.text.contains(WORDS) && blank.text.contains("value=\"hide\" checked"), "{}", blank.text);
    let hidden = decide("hide", &format!("House rules {HOSTILE}")).await.expect_status(303);
    assert_eq!(hidden.header("location"), format!("{case}?done=decided"));
    assert!(!visible().await);
    let again = decide("hide", "Twice").await.expect_status(409);
    assert!(again.text.contains("/docs/problems#already_so"), "{}", again.text);

    let appeal = json!({ "subject": message, "statement": "It was a quotation" });
    ada.post("/api/v1/moderation/appeals", appeal).await.expect_status(201);
    // Operators read the hidden text beside the statement.
    let appealed = browser.get(&format!("{ROOT}/appeals")).await.expect_status(200);
    assert!(appealed.text.contains(WORDS) && appealed.text.contains("It was a quotation"), "{}", appealed.text);
    expect_inert(&appealed);
    decide("restore", "A quotation indeed").await.expect_status(303);
    assert!(visible().await);
    for list in ["/reports", "/appeals"] {
        assert!(!browser.get(&format!("{ROOT}{list}")).await.text.contains(WORDS), "{list}");
        assert!(browser.get(&format!("{ROOT}{list}?closed=true")).await.text.contains(WORDS), "{list}");
    }
    let trail = browser.get(&format!("{ROOT}/audit?operator={}", olga.id)).await.expect_status(200);
    assert!(trail.text.contains("House rules") && trail.text.contains("A quotation indeed"), "{}", trail.text);
    expect_inert(&trail);
    let others = browser.get(&format!("{ROOT}/audit?operator={}", ada.id)).await.expect_status(200);
    assert!(!others.text.contains("House rules"), "{}", others.text);
}

#[apply(either)]
async fn operators_manage_users_dead_letters_and_breakers(#[case] backend: Backend) {
    let app = start(backend).await;
    let (olga, ada) = (app.operator("Olga").await, app.owner("Ada").await);
    let scout = ada.agent_at("Scout", "http://127.0.0.1:9/secret-path").await;
    let webhook_id: WebhookId = scout.webhook().await.parse().unwrap();
    let operator = operating(&app, &olga).await;
    let (browser, user) = (&operator.0, format!("{ROOT}/users/{}", ada.id));
    for query in [&ada.id, &scout.id, &ada.email] {
        let query: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
        let found = browser.get(&format!("{ROOT}/users?q={query}")).await.expect_status(303);
        assert_eq!(found.header("location"), user);
    }
    assert!(browser.get(&format!("{ROOT}/users?q=aD")).await.expect_status(200).text.contains(&ada.id));
    assert!(!browser.get(&format!("{ROOT}/users?q=%25")).await.expect_status(200).text.contains(&ada.id));

    let of = |form: &str| format!("/users/{}/{form}", ada.id);
    for (limit, reason) in [("many", "A sponsor"), ("7", " ")] {
        let refused = sent(&operator, &of("limit"), &[("limit", limit), ("reason", reason)]).await;
        assert!(refused.expect_status(422).text.contains(&format!("value=\"{limit}\"")), "{limit}");
    }
    sent(&operator, &of("limit"), &[("limit", "7"), ("reason", "A sponsor")]).await.expect_status(303);
    let tier = [("agent", &*scout.id), ("tier", "pro"), ("reason", "Trusted")];
    sent(&operator, &of("tier"), &tier).await.expect_status(303);
    let shown = browser.get(&user).await.expect_status(200);
    assert!(shown.text.contains("at most 7") && shown.text.contains("<code>pro</code>"), "{}", shown.text);
    assert!(!shown.text.contains(&ada.email), "{}", shown.text);

    let suspend = [("subject", &*ada.id), ("action", "suspend"), ("reason", "Spam")];
    sent(&operator, "/decisions", &suspend).await.expect_status(303);
    ada.get("/api/v1/me").await.expect_problem(403, "suspended");
    let reinstate = [("subject", &*ada.id), ("action", "reinstate"), ("reason", "Mended")];
    sent(&operator, "/decisions", &reinstate).await.expect_status(303);
    let own_account = [("subject", &*olga.id), ("action", "suspend"), ("reason", "Myself")];
    sent(&operator, "/decisions", &own_account).await.expect_status(409);

    let position = app.store().log().tail().head();
    app.bus().publish(&[Notice::new(position, "message.posted")]).await.unwrap();
    let queue = &buildtrack_worker::queues()[0];
    let mut consumer = app.bus().consume(queue);
    let received = consumer.next(1).await;
    consumer.reject(&received[0], "no such member <b>", app.store().log().clock().now()).await;
    let letters = browser.get(&format!("{ROOT}/dead-letters")).await.expect_status(200);
    assert!(letters.text.contains("no such member &"), "{}", letters.text);
    sent(&operator, "/dead-letters", &[("reason", "")]).await.expect_status(422);
    assert_eq!(app.bus().dead_letter_count(queue).await.unwrap(), 1);
    sent(&operator, "/dead-letters", &[("reason", "The bug is mended")]).await.expect_status(303);
    assert_eq!(app.bus().dead_letter_count(queue).await.unwrap(), 0);

    break_endpoint(&app, &scout.id, webhook_id).await;
    let breakers = browser.get(&format!("{ROOT}/breakers")).await.expect_status(200);
    assert!(breakers.text.contains(&webhook_id.to_string()) && breakers.text.contains("127.0.0.1:9"));
    assert!(!breakers.text.contains("secret-path"), "{}", breakers.text);

    let trail = browser.get(&format!("{ROOT}/audit")).await.expect_status(200);
    for reason in ["A sponsor", "Trusted", "Spam", "Mended", "The bug is mended"] {
        assert!(trail.text.contains(reason), "{reason}: {}", trail.text);
    }
    assert!(!trail.text.contains("Myself"), "{}", trail.text);
}

/// Opens the breaker of an endpoint, as the worker does after several failures.
async fn break_endpoint(app: &TestApp, agent_id: &str, webhook_id: WebhookId) {
    let store = app.store();
    let new = NewDelivery {
        id: DeliveryId::new(store.log().clock().uuid()),
        webhook_id,
        agent_id: agent_id.parse().unwrap(),
        position: store.log().tail().head(),
        push_type: PushType::WorkspaceMessage,
        next_at: store.log().clock().now(),
    };
    let until = store.log().clock().after(Duration::from_hours(1));
    store.log().write_side(vec![WebhookChange::Deliveries(vec![new])]).await.unwrap();
    store.log().write_side(vec![WebhookChange::Postponed { webhook_id, until, resets: None }]).await.unwrap();
}

#[apply(either)]
async fn an_operator_works_in_a_browser(#[case] backend: Backend) {
    let app = start(backend).await;
    let (olga, ada) = (app.operator("Olga").await, app.owner("Ada").await);
    let (scout, reader) = (ada.agent_at("Scout", "http://127.0.0.1:9/hook").await, app.agent("Reader").await);
    break_endpoint(&app, &scout.id, scout.webhook().await.parse().unwrap()).await;
    let post = scout.ask(WORDS).await.text_at("/id");
    reader.post("/api/v1/reports", json!({ "subject": post, "reason": "Advertising" })).await.expect_status(201);
    let mut browser = Browser::run("operator.mjs", &[&app.url(), &olga.token, &ada.id, &post]);
    for name in ["overview", "users", "user", "reports", "dead-letters", "breakers", "settings", "no-audit"] {
        assert_eq!(browser.step().await, json!({ "step": "inspected", "name": name }));
    }
    assert_eq!(
        browser.step().await,
        json!({ "step": "hidden", "beside": [WORDS, "Advertising"], "state": "hidden", "reports": 0 })
    );
    ada.post("/api/v1/moderation/appeals", json!({ "subject": post, "statement": "A joke" })).await.expect_status(201);
    assert_eq!(browser.step().await, json!({ "step": "restored", "statement": "A joke", "appeals": 0 }));
    assert_eq!(browser.step().await, json!({ "step": "limited", "shown": "1 agent of at most 7", "kept": "many" }));
    assert_eq!(browser.step().await, json!({ "step": "checked", "complaints": [], "findings": [] }));
    assert!(app.anonymous().get(&format!("/api/v1/forum/posts/{post}")).await.text.contains(WORDS));
}
