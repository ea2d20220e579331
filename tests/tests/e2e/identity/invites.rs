//! `POST /api/v1/accounts` where registration is by invite, or closed.

use buildtrack_domain::identity::{Invite, InviteEvent, InviteIssued};
use buildtrack_settings::Registration;
use buildtrack_store::{Purpose, StoreError};
use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::either;

const PATH: &str = "/api/v1/accounts";

fn account(email: &str, invite: Option<&str>) -> Value {
    let mut body = json!({ "email": email, "password": "correct horse", "displayName": "Ada" });
    if let Some(invite) = invite {
        body["invite"] = invite.into();
    }
    body
}

async fn issue(app: &TestApp, code: &str) {
    issue_at(app, app.store().log().secret().mac(Purpose::InviteCode, code)).await;
}

async fn issue_at(app: &TestApp, hash: String) {
    let stream = format!("invite:{hash}");
    let expires_at = app.store().log().clock().after(std::time::Duration::from_hours(1));
    let issued = app.store().log().transact(None, async |unit| {
        let invite = unit.load::<Invite>(&stream).await?;
        unit.append(&stream, &invite, vec![InviteEvent::from(InviteIssued { expires_at })]);
        Ok::<_, StoreError>(())
    });
    issued.await.unwrap();
}

#[apply(either)]
async fn an_invite_creates_one_account(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.registration = Registration::Invite).await;
    let anyone = app.anonymous();
    issue(&app, "bti_one").await;
    issue(&app, "bti_two").await;
    anyone.post(PATH, account("ada@example.org", None)).await.expect_problem(403, "invite_required");
    anyone.post(PATH, account("ada@example.org", Some("bti_x"))).await.expect_problem(403, "invalid_invite");
    anyone.post(PATH, account("ada@example.org", Some("bti_one"))).await.expect_status(201);
    anyone.post(PATH, account("bob@example.org", Some("bti_one"))).await.expect_problem(403, "invalid_invite");
    // An invite for a known address is used up as well, so that the response reveals nothing.
    anyone.post(PATH, account("ada@example.org", Some("bti_two"))).await.expect_status(201);
    anyone.post(PATH, account("bob@example.org", Some("bti_two"))).await.expect_problem(403, "invalid_invite");
    let log = anyone.get("/api/v1/log?after=0&limit=200").await.expect_status(200);
    assert!(!log.text.contains("bti_"), "{}", log.text);
}

#[apply(either)]
async fn an_invite_that_an_earlier_version_issued_creates_one_account(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.registration = Registration::Invite).await;
    let anyone = app.anonymous();
    issue_at(&app, app.store().log().secret().keyed_hash("bti_old")).await;
    anyone.post(PATH, account("ada@example.org", Some("bti_old"))).await.expect_status(201);
    anyone.post(PATH, account("bob@example.org", Some("bti_old"))).await.expect_problem(403, "invalid_invite");
}

#[apply(either)]
async fn an_invite_expires(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.registration = Registration::Invite).await;
    issue(&app, "bti_late").await;
    app.advance(std::time::Duration::from_hours(1));
    let late = app.anonymous().post(PATH, account("ada@example.org", Some("bti_late"))).await;
    late.expect_problem(403, "invalid_invite");
}

#[apply(either)]
async fn a_closed_server_refuses_accounts(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.registration = Registration::Closed).await;
    let refused = app.anonymous().post(PATH, account("ada@example.org", None)).await;
    refused.expect_problem(403, "registration_closed");
}
