//! `POST /api/v1/password-resets`, `POST /api/v1/new-passwords`, and the mail queue.

use std::time::Duration;

use buildtrack_tests::{Backend, Mailbox, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

const ASK: &str = "/api/v1/password-resets";
const SET: &str = "/api/v1/new-passwords";
const NEW: &str = "staple battery horse";

#[apply(both)]
async fn a_forgotten_password_is_replaced_once_and_all_sessions_end(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| mailbox.set(settings)).await;
    let ada = app.owner_with_mail(&mailbox, "Ada").await;
    let anyone = app.anonymous();
    for _ in 0..2 {
        anyone.post(ASK, json!({ "email": ada.email })).await.expect_status(202);
        app.deliver().await;
    }
    let tokens: Vec<_> = mailbox.take().iter().map(buildtrack_tests::Sent::token).collect();
    let set = |token: &str| json!({ "token": token, "newPassword": NEW });
    // The newest message is the valid one.
    anyone.post(SET, set(&tokens[0])).await.expect_problem(403, "invalid_mail_token");
    anyone.post(SET, set(&tokens[1])).await.expect_status(204);
    anyone.post(SET, set(&tokens[1])).await.expect_problem(403, "invalid_mail_token");
    ada.get("/api/v1/me").await.expect_problem(401, "invalid_token");
    anyone.post("/api/v1/sessions", json!({ "email": ada.email, "password": NEW })).await.expect_status(201);
    app.deliver().await;
    assert_eq!(mailbox.take().len(), 1, "the owner is notified");
    let dump = app.dump().await;
    assert!(!dump.contains(&tokens[1]) && !dump.contains(&ada.email), "tokens and addresses are encrypted");
}

#[apply(both)]
async fn a_reset_token_expires_after_an_hour(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| mailbox.set(settings)).await;
    let ada = app.owner_with_mail(&mailbox, "Ada").await;
    app.anonymous().post(ASK, json!({ "email": ada.email })).await.expect_status(202);
    app.deliver().await;
    let token = mailbox.take()[0].token();
    app.advance(Duration::from_hours(1));
    let late = app.anonymous().post(SET, json!({ "token": token, "newPassword": NEW })).await;
    late.expect_problem(403, "invalid_mail_token");
}

#[apply(both)]
async fn mail_with_a_temporary_error_is_retried(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| mailbox.set(settings)).await;
    let ada = app.owner_with_mail(&mailbox, "Ada").await;
    mailbox.refuse(2);
    app.anonymous().post(ASK, json!({ "email": ada.email })).await.expect_status(202);
    for wait in [0, 30] {
        app.advance(Duration::from_secs(wait));
        app.deliver().await;
        assert!(mailbox.take().is_empty());
    }
    app.advance(Duration::from_mins(2));
    app.deliver().await;
    assert_eq!(mailbox.take().len(), 1);
    app.advance(Duration::from_hours(24));
    app.deliver().await;
    assert!(mailbox.take().is_empty(), "the mail is sent once");
}

#[apply(both)]
async fn without_mail_a_reset_is_refused_with_a_reason(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    anyone.post(ASK, json!({ "email": "ada@example.org" })).await.expect_problem(409, "mail_not_configured");
    anyone.post(SET, json!({ "token": "x", "newPassword": NEW })).await.expect_problem(409, "mail_not_configured");
    for path in ["/api/v1/account-confirmations", "/api/v1/email-confirmations"] {
        anyone.post(path, json!({ "token": "x" })).await.expect_problem(409, "mail_not_configured");
    }
}
