//! `POST /api/v1/accounts` and `GET /api/v1/accounts/{id}`

use buildtrack_tests::{Backend, Mailbox, TestApp, shorten_ids};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, either, faults};

const PATH: &str = "/api/v1/accounts";

fn account(email: &str) -> Value {
    json!({ "email": email, "password": "correct horse", "displayName": "Ada" })
}

#[apply(either)]
async fn anyone_creates_an_account_and_only_its_name_is_public(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let opened = app.anonymous().post(PATH, account("ada@example.org")).await.expect_status(201);
    let shown = app.anonymous().get(opened.header("location")).await.expect_status(200);
    assert_eq!(shown.json, opened.json);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&shown.json), @r#"
        {
          "createdAt": "2026-03-01T12:00:00.000001Z",
          "displayName": "Ada",
          "id": "ow_…",
          "operator": false
        }
        "#);
    }
}

#[apply(either)]
async fn an_address_has_one_account_independent_of_case(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let first = anyone.post(PATH, account("ada@example.org")).await.expect_status(201);
    let mut second = account("Ada@Example.ORG");
    second["password"] = "another horse".into();
    anyone.post(PATH, second).await.expect_status(201);
    let session = |password: &str| json!({ "email": "ADA@example.org", "password": password });
    let opened = anyone.post("/api/v1/sessions", session("correct horse")).await.expect_status(201);
    assert_eq!(opened["ownerId"], first["id"]);
    anyone.post("/api/v1/sessions", session("another horse")).await.expect_problem(401, "wrong_credentials");
}

#[apply(both)]
async fn concurrent_registrations_of_an_address_create_one_account(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let replies = join_all((0..4).map(async |_| app.anonymous().post(PATH, account("ada@example.org")).await)).await;
    let mut opened = 0;
    for reply in replies {
        let found = app.anonymous().get(reply.expect_status(201).header("location")).await;
        opened += usize::from(found.status == 200);
    }
    assert_eq!(opened, 1);
}

#[apply(either)]
async fn every_wrong_field_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let body = json!({ "email": "ada", "password": "short", "displayName": " ", "name": "Ada" });
    let refused = app.anonymous().post(PATH, body).await.expect_problem(422, "validation_failed");
    let expected =
        [("/displayName", "blank"), ("/email", "wrong_form"), ("/name", "unknown_field"), ("/password", "too_short")];
    assert_eq!(refused.faults(), faults(&expected));
    let missing = app.anonymous().post(PATH, json!({})).await.expect_status(422);
    assert_eq!(missing.faults(), faults(&["/displayName", "/email", "/password"].map(|field| (field, "required"))));
}

#[apply(either)]
async fn an_address_that_mail_cannot_be_sent_to_is_refused_at_every_door(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    for email in ["a..b@example.org", "\"a b\"@example.org", "ädä@example.org", "ada@127.0.0.1", "ada@example.org."] {
        let refused = app.anonymous().post(PATH, account(email)).await.expect_problem(422, "validation_failed");
        assert_eq!(refused.faults(), faults(&[("/email", "wrong_form")]), "{email}");
        let change = json!({ "email": email, "password": ada.password });
        let refused = ada.put("/api/v1/me/email").json(change).await.expect_problem(422, "validation_failed");
        assert_eq!(refused.faults(), faults(&[("/email", "wrong_form")]), "{email}");
    }
}

#[apply(either)]
async fn a_domain_is_the_same_in_letters_and_in_punycode(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| mailbox.set(settings)).await;
    let anyone = app.anonymous();
    anyone.post(PATH, account("Ada@Exämple.org")).await.expect_status(202);
    app.deliver().await;
    let sent = mailbox.take();
    assert_eq!(sent.iter().map(|sent| &*sent.to).collect::<Vec<_>>(), ["ada@xn--exmple-cua.org"]);
    anyone.post("/api/v1/account-confirmations", json!({ "token": sent[0].token() })).await.expect_status(201);
    let password = account("")["password"].clone();
    for email in ["ada@exämple.org", "ADA@EXÄMPLE.ORG", "ada@xn--exmple-cua.org"] {
        anyone.post("/api/v1/sessions", json!({ "email": email, "password": password })).await.expect_status(201);
    }
}

#[apply(either)]
async fn a_password_has_10_to_200_characters(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    for (length, code) in [(9, Some("too_short")), (10, None), (200, None), (201, Some("too_long"))] {
        let mut body = account(&format!("ada{length}@example.org"));
        body["password"] = "ü".repeat(length).into();
        let reply = app.anonymous().post(PATH, body).await;
        match code {
            Some(code) => assert_eq!(reply.expect_status(422).faults(), faults(&[("/password", code)])),
            None => drop(reply.expect_status(201)),
        }
    }
}

#[apply(either)]
async fn unknown_owners_are_not_found(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    for id in ["ow_01h2e8kqvbfwea724h75qc655w", "ag_01h2e8kqvbfwea724h75qc655w", "ada"] {
        app.anonymous().get(&format!("{PATH}/{id}")).await.expect_problem(404, "not_found");
    }
}
