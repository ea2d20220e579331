//! `PUT /api/v1/me/email`, `POST /api/v1/email-confirmations`

use buildtrack_tests::{Backend, Mailbox, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use crate::{both, either, faults};

const PATH: &str = "/api/v1/me/email";

#[apply(both)]
async fn without_mail_a_new_address_applies_at_once_and_frees_the_old_one(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner("Ada").await, app.owner("Bob").await);
    let change = |email: &str, password: &str| json!({ "email": email, "password": password });
    ada.put(PATH).json(change("ada@example.net", "not it")).await.expect_problem(403, "wrong_password");
    let taken = ada.put(PATH).json(change(&bob.email, &ada.password)).await.expect_problem(409, "email_taken");
    assert_eq!(taken.faults(), faults(&[("/email", "taken")]));
    ada.put(PATH).json(change("Ada@Example.net", &ada.password)).await.expect_status(204);
    ada.put(PATH).json(change("ada@example.net", &ada.password)).await.expect_status(204);
    let anyone = app.anonymous();
    let login = |email: &str| change(email, &ada.password);
    anyone.post("/api/v1/sessions", login(&ada.email)).await.expect_problem(401, "wrong_credentials");
    anyone.post("/api/v1/sessions", login("ada@example.net")).await.expect_status(201);
    bob.put(PATH).json(change(&ada.email, &bob.password)).await.expect_status(204);
    let log = anyone.get("/api/v1/log?after=0&limit=200").await.expect_status(200);
    assert!(!log.text.contains("example.net"), "{}", log.text);
}

#[apply(either)]
async fn with_mail_the_new_address_confirms_and_the_old_one_is_notified(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| mailbox.set(settings)).await;
    let (ada, bob) = (app.owner_with_mail(&mailbox, "Ada").await, app.owner_with_mail(&mailbox, "Bob").await);
    let change = |email: &str| json!({ "email": email, "password": ada.password });
    let known = ada.put(PATH).json(change(&bob.email)).await.expect_status(202);
    let unknown = ada.put(PATH).json(change("ada@example.net")).await.expect_status(202);
    assert_eq!(known.text, unknown.text);
    app.deliver().await;
    let sent = mailbox.take();
    let to = |email: &str| sent.iter().find(|sent| sent.to == email).unwrap();
    assert!(!to(&bob.email).text.contains("Token:"), "{sent:?}");
    let token = json!({ "token": to("ada@example.net").token() });
    let anyone = app.anonymous();
    let login = |email: &str| json!({ "email": email, "password": ada.password });
    anyone.post("/api/v1/sessions", login(&ada.email)).await.expect_status(201);
    anyone.post("/api/v1/email-confirmations", token.clone()).await.expect_status(204);
    anyone.post("/api/v1/email-confirmations", token).await.expect_problem(403, "invalid_mail_token");
    anyone.post("/api/v1/sessions", login(&ada.email)).await.expect_problem(401, "wrong_credentials");
    anyone.post("/api/v1/sessions", login("ada@example.net")).await.expect_status(201);
    app.deliver().await;
    let recipients: Vec<_> = mailbox.take().into_iter().map(|sent| sent.to).collect();
    assert_eq!(recipients, std::slice::from_ref(&ada.email));
}
