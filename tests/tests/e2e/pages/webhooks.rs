//! The portal's pages for webhooks: endpoints, test events, secrets, deliveries and replays by forms.

use buildtrack_domain::ids::AgentId;
use buildtrack_tests::{Backend, Caller, Receiver, Reply, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use super::{
    HOSTILE,
    browser::Browser,
    portal::{send, signed_in, start},
};
use crate::either;

/// A delivery that does not exist.
const NO_DELIVERY: &str = "dlv_01h2e8kqvbfwea724h75qc655w";
/// A replay that does not exist.
const NO_REPLAY: &str = "rpl_01h2e8kqvbfwea724h75qc655w";

#[apply(either)]
async fn an_owner_mends_a_broken_endpoint_in_the_portal(#[case] backend: Backend) {
    let app = start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = ranger.open("Webhooks").await;
    scout.join(&track).await;
    let mut browser = Browser::run("webhooks.mjs", &[&app.url(), &ada.email, &ada.password]);
    assert_eq!(
        browser.step().await,
        json!({ "step": "added", "name": "<b>Planner</b>", "secret": true, "state": "not verified yet" })
    );
    ranger.post_message(&track, "Push, don't poll").await;
    app.deliver().await;
    assert_eq!(
        browser.step().await,
        json!({ "step": "failed", "state": "waiting", "answer": "503", "attempts": "One attempt",
            "excerpt": "<b>upstream</b> is restarting" })
    );
    assert_eq!(
        browser.step().await,
        json!({ "step": "mended", "ping": "The test event was delivered.", "state": "receives pushes" })
    );
    assert_eq!(browser.step().await, json!({ "step": "resent", "notice": "The delivery is sent again." }));
    app.deliver().await;
    assert_eq!(
        browser.step().await,
        json!({ "step": "delivered", "attempts": "2 attempts", "answers": ["503", "200"] })
    );
    assert_eq!(
        browser.step().await,
        json!({ "step": "renewed", "secret": true, "notice": "The new secret is active. The old one is no longer valid." })
    );
    let counted = "One event would be pushed.";
    assert_eq!(browser.step().await, json!({ "step": "replaying", "counted": counted, "state": "running" }));
    app.deliver().await;
    let counts = "1 of 1 events enqueued";
    assert_eq!(browser.step().await, json!({ "step": "replayed", "counts": counts, "plain": counts, "pushes": 3 }));
    assert_eq!(
        browser.step().await,
        json!({ "step": "deleted", "off": "disabled", "on": "receives pushes", "notice": "The endpoint is deleted." })
    );
    assert_eq!(browser.step().await, json!({ "step": "checked", "complaints": [], "findings": [] }));
}

/// An owner in the portal, with an agent and an endpoint of it.
struct Portal {
    app: TestApp,
    browser: Caller,
    token: String,
    agent: String,
    endpoint: String,
}

impl Portal {
    /// Registers an agent and adds an endpoint with a hostile description by forms.
    async fn new(backend: Backend, url: &str) -> Self {
        let app = start(backend).await;
        let (browser, token) = signed_in(&app, "Ada").await;
        send(&browser, "/portal/agents", &[("name", HOSTILE), ("model", "m"), ("form-token", &token)]).await;
        let listed = browser.get("/portal/webhooks").await.expect_status(200);
        let agent = after(&listed, "/portal/webhooks/new/");
        let mut portal = Self { app, browser, token, agent, endpoint: String::new() };
        let path = format!("/portal/webhooks/new/{}", portal.agent);
        let refused = portal.send(&path, &settings("javascript:alert(1)", "1")).await.expect_status(422);
        inert(&refused);
        assert!(refused.text.contains("id=\"url-errors\"") && !refused.text.contains("whsec_"), "{}", refused.text);
        let added = portal.send(&path, &settings(url, "1")).await.expect_status(200);
        inert(&added);
        assert!(added.text.contains(">whsec_"), "{}", added.text);
        portal.endpoint = format!("/portal/webhooks/{}", after(&added, "data-refreshes=\"/portal/webhooks/"));
        portal
    }

    /// Sends a form with the form token.
    async fn send(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        send(&self.browser, path, &with(fields, &self.token)).await
    }

    /// Sends a form of the endpoint.
    async fn act(&self, act: &str, fields: &[(&str, &str)]) -> Reply {
        self.send(&format!("{}{act}", self.endpoint), fields).await
    }

    async fn show(&self, ending: &str) -> Reply {
        let page = self.browser.get(&format!("{}{ending}", self.endpoint)).await.expect_status(200);
        inert(&page);
        page
    }
}

/// The form of an endpoint's settings.
fn settings<'s>(url: &'s str, batch: &'s str) -> Vec<(&'s str, &'s str)> {
    vec![
        ("url", url),
        ("description", HOSTILE),
        ("events", "workspace.message"),
        ("events", "forum.reply"),
        ("batch", batch),
        ("workspaces", ""),
        ("kind", "proposal"),
        ("actorType", "human"),
        ("actorName", "Grace\r\n<img src=x>\r\n"),
        ("actorModel", ""),
        ("actorId", ""),
    ]
}

/// A form with this form token.
fn with<'s>(fields: &[(&'s str, &'s str)], token: &'s str) -> Vec<(&'s str, &'s str)> {
    [fields, &[("form-token", token)]].concat()
}

/// The word after a text of a page.
#[track_caller]
fn after(page: &Reply, text: &str) -> String {
    let rest = page.text.split(text).nth(1).unwrap_or_else(|| panic!("{text} in {}", page.text));
    rest.split(['"', '<', '?', '/']).next().unwrap_or_default().to_owned()
}

/// Fails if a hostile text is HTML on the page.
#[track_caller]
fn inert(page: &Reply) {
    assert!(!page.text.contains("<img") && !page.text.contains("<script>"), "{}", page.text);
    assert!(!page.text.contains("href=\"javascript:"), "{}", page.text);
}

/// Fails unless the reply is a page that explains this problem.
#[track_caller]
fn explains(page: &Reply, status: u16, code: &str) {
    let explained = page.text.contains(&format!("/docs/problems#{code}\""));
    assert!(page.status == status && explained, "{}: {}", page.status, page.text);
    inert(page);
}

#[apply(either)]
async fn every_form_of_an_endpoint_works_without_scripts(#[case] backend: Backend) {
    let receiver = Receiver::start();
    let portal = Portal::new(backend, &receiver.url).await;
    let shown = portal.show("").await;
    assert!(shown.text.contains("value=\"workspace.message\" checked"), "{}", shown.text);
    assert!(!shown.text.contains("value=\"track.shipped\" checked"), "{}", shown.text);
    assert!(
        shown.text.contains("value=\"proposal\" checked") && shown.text.contains("<details open>"),
        "{}",
        shown.text
    );
    assert!(portal.browser.get("/portal/webhooks").await.text.contains(&portal.endpoint));

    // Settings.
    let refused = portal.act("", &settings(&receiver.url, "0")).await;
    explains(&refused, 422, "validation_failed");
    assert!(refused.text.contains("id=\"batch-errors\""), "{}", refused.text);
    let changed = portal.act("", &settings(&receiver.url, "20")).await.expect_status(303);
    assert_eq!(changed.header("location"), format!("{}?done=changed", portal.endpoint));
    assert!(portal.show("?done=changed").await.text.contains("value=\"20\""));

    // A test event, and the states.
    let pinged = portal.act("/ping", &[]).await.expect_status(200);
    assert!(pinged.text.contains("id=\"pong\"") && receiver.take().len() == 1, "{}", pinged.text);
    for (enabled, done) in [("false", "off"), ("true", "on")] {
        let switched = portal.act("/state", &[("enabled", enabled)]).await.expect_status(303);
        assert_eq!(switched.header("location"), format!("{}?done={done}", portal.endpoint));
        portal.show(&format!("?done={done}")).await;
    }
    portal.act("", &settings("", "20")).await.expect_status(303);
    explains(&portal.act("/ping", &[]).await, 409, "no_webhook_url");
    portal.act("", &settings(&receiver.url, "20")).await.expect_status(303);

    // Secrets.
    explains(&portal.act("/secret", &[("overlapHours", "999")]).await, 422, "validation_failed");
    let renewed = portal.act("/secret", &[("overlapHours", "24")]).await.expect_status(200);
    assert!(renewed.text.contains(">whsec_"), "{}", renewed.text);
    assert!(!portal.show("").await.text.contains("whsec_"));
    let activated = portal.act("/activation", &[]).await.expect_status(303);
    assert_eq!(activated.header("location"), format!("{}?done=activated", portal.endpoint));
    explains(&portal.act("/activation", &[]).await, 409, "no_next_secret");

    // Deletion; the first endpoint stays.
    let agent_id: AgentId = portal.agent.parse().unwrap();
    let first = portal.app.store().webhooks().webhook_of(agent_id).await.unwrap().unwrap().id;
    explains(&portal.send(&format!("/portal/webhooks/{first}/deletion"), &[]).await, 409, "first_webhook_stays");
    let deleted = portal.act("/deletion", &[]).await.expect_status(303);
    assert_eq!(deleted.header("location"), "/portal/webhooks?done=deleted");
    portal.browser.get(&portal.endpoint).await.expect_status(404);
}

#[apply(either)]
async fn deliveries_and_replays_are_seen_and_ended_without_scripts(#[case] backend: Backend) {
    // No receiver listens there.
    let portal = Portal::new(backend, "http://127.0.0.1:9/").await;
    portal.act("", &[("url", "http://127.0.0.1:9/"), ("events", "workspace.message"), ("batch", "1")]).await;
    assert!(portal.show("/deliveries").await.text.contains("class=\"empty\""));
    let ranger = portal.app.agent("Ranger").await;
    let track = ranger.open("Webhooks").await;
    let scout_id: AgentId = portal.agent.parse().unwrap();
    let key = portal.send(&format!("/portal/agents/{scout_id}/key"), &[]).await;
    let key = format!("araf_{}", after(&key, ">araf_"));
    let session = portal.app.anonymous().log_in(&key, json!(null)).await.expect_status(200);
    portal.app.anonymous().with_token(&session.text_at("/token")).join(&track).await;
    ranger.post_message(&track, HOSTILE).await;
    portal.app.deliver().await;

    let listed = portal.show("/deliveries?status=pending").await;
    let one = format!("/deliveries/{}", after(&listed, &format!("href=\"{}/deliveries/", portal.endpoint)));
    let shown = portal.show(&one).await;
    assert!(shown.text.contains("class=\"attempt\""), "{}", shown.text);
    portal.browser.get(&format!("{}/deliveries?status=lost", portal.endpoint)).await.expect_status(400);
    let resent = portal.act(&format!("{one}/resend"), &[]).await.expect_status(303);
    assert_eq!(resent.header("location"), format!("{}{one}?done=resent", portal.endpoint));
    let cancelled = portal.act(&format!("{one}/cancellation"), &[]).await.expect_status(303);
    assert_eq!(cancelled.header("location"), format!("{}{one}?done=cancelled", portal.endpoint));
    explains(&portal.act(&format!("{one}/cancellation"), &[]).await, 409, "delivery_settled");
    portal.act(&format!("/deliveries/{NO_DELIVERY}/resend"), &[]).await.expect_status(404);

    let refused = portal.act("/replays", &[("sincePosition", ""), ("sinceTime", "")]).await;
    explains(&refused, 422, "validation_failed");
    assert!(refused.text.contains("id=\"span-errors\""), "{}", refused.text);
    let span = [("sinceTime", "2026-03-01T11:00"), ("dryRun", "true")];
    assert!(portal.act("/replays", &span).await.expect_status(200).text.contains("id=\"counted\""));
    let begun = portal.act("/replays", &[("sincePosition", "0")]).await.expect_status(303);
    assert_eq!(begun.header("location"), format!("{}/replays?done=begun", portal.endpoint));
    let shown = portal.show("/replays").await;
    assert!(shown.text.contains("<progress ") && shown.text.contains("data-refreshes"), "{}", shown.text);
    explains(&portal.act("/replays", &[("sincePosition", "0")]).await, 409, "replay_running");
    let cancel = format!("/replays/{}/cancellation", after(&shown, "/replays/"));
    portal.act(&cancel, &[]).await.expect_status(303);
    explains(&portal.act(&cancel, &[]).await, 409, "replay_settled");
    assert!(!portal.show("/replays").await.text.contains("data-refreshes"));

    // Nothing is sent to a disabled endpoint.
    portal.act("/state", &[("enabled", "false")]).await.expect_status(303);
    explains(&portal.act(&format!("{one}/resend"), &[]).await, 409, "webhook_disabled");
}

#[apply(either)]
async fn endpoints_belong_to_their_owner_and_forms_to_their_session(#[case] backend: Backend) {
    let portal = Portal::new(backend, "http://127.0.0.1:9/").await;
    let (grace, foreign) = signed_in(&portal.app, "Grace").await;
    let of = |ending: &str| format!("{}{ending}", portal.endpoint);
    let forms = [
        format!("/portal/webhooks/new/{}", portal.agent),
        of(""),
        of("/state"),
        of("/ping"),
        of("/secret"),
        of("/activation"),
        of("/deletion"),
        of(&format!("/deliveries/{NO_DELIVERY}/resend")),
        of(&format!("/deliveries/{NO_DELIVERY}/cancellation")),
        of("/replays"),
        of(&format!("/replays/{NO_REPLAY}/cancellation")),
    ];
    let fields = settings("http://127.0.0.1:9/", "1");
    for form in &forms {
        explains(&send(&portal.browser, form, &fields).await, 403, "foreign_form");
        explains(&send(&portal.browser, form, &with(&fields, &foreign)).await, 403, "foreign_form");
        let elsewhere = portal.browser.with_header("sec-fetch-site", "cross-site");
        explains(&send(&elsewhere, form, &with(&fields, &portal.token)).await, 403, "foreign_form");
        send(&grace, form, &with(&fields, &foreign)).await.expect_status(404);
    }
    for page in ["", "/deliveries", "/replays"] {
        portal.show(page).await;
        grace.get(&of(page)).await.expect_status(404);
    }
    grace.get(&forms[0]).await.expect_status(404);
    assert!(!grace.get("/portal/webhooks").await.text.contains(&portal.endpoint));
}
