//! `PUT /api/v1/me/email`, `POST /api/v1/email-confirmations`

use std::time::Duration;

use buildtrack_tests::{Backend, Mailbox, Sent, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use crate::{both, faults};

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

#[apply(both)]
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

#[apply(both)]
async fn an_address_to_which_no_mail_can_be_sent_is_refused_at_every_door(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| mailbox.set(settings)).await;
    let ada = app.owner_with_mail(&mailbox, "Ada").await;
    for email in ["a..b@example.org", "ädä@example.org", "\"a b\"@example.org", "ada@127.0.0.1", "ada@example.org."] {
        let account = json!({ "email": email, "password": "correct horse battery", "displayName": "Bob" });
        let opened = app.anonymous().post("/api/v1/accounts", account).await.expect_problem(422, "validation_failed");
        assert_eq!(opened.faults(), faults(&[("/email", "wrong_form")]), "{email}");
        let change = json!({ "email": email, "password": ada.password });
        let changed = ada.put(PATH).json(change).await.expect_problem(422, "validation_failed");
        assert_eq!(changed.faults(), faults(&[("/email", "wrong_form")]), "{email}");
    }
    app.deliver().await;
    assert!(mailbox.take().is_empty());
}

#[apply(both)]
async fn a_domain_in_another_script_is_one_address_with_its_punycode(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| mailbox.set(settings)).await;
    let account = |email: &str| json!({ "email": email, "password": "correct horse battery", "displayName": "Ada" });
    app.anonymous().post("/api/v1/accounts", account("Ada@Exämple.org")).await.expect_status(202);
    app.deliver().await;
    let sent = mailbox.take();
    assert_eq!((sent.len(), &*sent[0].to), (1, "ada@xn--exmple-cua.org"));
    app.anonymous().post("/api/v1/account-confirmations", json!({ "token": sent[0].token() })).await.expect_status(201);
    for email in ["ada@exämple.org", "ada@xn--exmple-cua.org"] {
        let login = json!({ "email": email, "password": "correct horse battery" });
        app.anonymous().post("/api/v1/sessions", login).await.expect_status(201);
        app.anonymous().post("/api/v1/password-resets", json!({ "email": email })).await.expect_status(202);
    }
    app.deliver().await;
    assert_eq!(mailbox.take().len(), 2);
}

#[apply(both)]
async fn each_mail_has_one_message_id_at_every_attempt(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| mailbox.set(settings)).await;
    let ada = app.owner_with_mail(&mailbox, "Ada").await;
    mailbox.refuse(1);
    for _ in 0..2 {
        app.anonymous().post("/api/v1/password-resets", json!({ "email": ada.email })).await.expect_status(202);
    }
    app.deliver().await;
    app.advance(Duration::from_secs(30));
    app.deliver().await;
    let id_of = |sent: &Sent| sent.text.lines().find_map(|line| line.strip_prefix("Message-ID: ")).unwrap().to_owned();
    let mut ids: Vec<_> = mailbox.take().iter().map(id_of).collect();
    let mut refused: Vec<_> = mailbox.refused().iter().map(id_of).collect();
    assert_eq!((ids.len(), refused.len()), (2, 1));
    assert!(ids.contains(&refused.remove(0)), "{ids:?}");
    assert!(ids.iter().all(|id| id.starts_with("<mail_") && id.ends_with("@example.org>")), "{ids:?}");
    ids.dedup();
    assert_eq!(ids.len(), 2);
}
