//! Account enumeration: callers cannot find out whether an e-mail address has an account.

use buildtrack_tests::{Backend, Mailbox, Reply, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{either, pages::public::reads};

fn account(email: &str, password: &str) -> Value {
    json!({ "email": email, "password": password, "displayName": "Eve" })
}

/// The observable parts of a response, without ids and times.
fn shape(reply: &Reply) -> (u16, Vec<String>, usize) {
    let fields = reply.json.as_object().unwrap().keys().cloned().collect();
    (reply.status, fields, reply.text.len())
}

#[apply(either)]
async fn without_mail_registration_responds_equally_for_known_addresses(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let anyone = app.anonymous();
    let known = anyone.post("/api/v1/accounts", account(&ada.email.to_uppercase(), "eves password")).await;
    let unknown = anyone.post("/api/v1/accounts", account("bob@example.org", "eves password")).await;
    assert_eq!(shape(&known), shape(&unknown));
    assert_eq!(known.header("location").len(), unknown.header("location").len());
    // Ada's account is unchanged.
    let eve = json!({ "email": ada.email, "password": "eves password" });
    anyone.post("/api/v1/sessions", eve).await.expect_problem(401, "wrong_credentials");
    let own = json!({ "email": ada.email, "password": ada.password });
    anyone.post("/api/v1/sessions", own).await.expect_status(201);
}

#[apply(either)]
async fn with_mail_no_response_and_no_event_reveals_a_known_address(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| mailbox.set(settings)).await;
    let ada = app.owner_with_mail(&mailbox, "Ada").await;
    let anyone = app.anonymous();
    let before = app.store().log().head().await.unwrap();
    for path in ["/api/v1/accounts", "/api/v1/password-resets"] {
        let body = |email: &str| match path {
            "/api/v1/accounts" => account(email, "eves password"),
            _ => json!({ "email": email }),
        };
        let known = anyone.post(path, body(&ada.email)).await.expect_status(202);
        let unknown = anyone.post(path, body("bob@example.org")).await.expect_status(202);
        assert_eq!(known.text, unknown.text, "{path}");
    }
    assert_eq!(app.store().log().head().await.unwrap(), before, "the public log reveals nothing");
    app.deliver().await;
    let sent = mailbox.take();
    let subjects = |to: &str| -> Vec<_> {
        let subject = |text: &str| text.lines().find_map(|line| Some(line.strip_prefix("Subject: ")?.to_owned()));
        let mut subjects: Vec<_> =
            sent.iter().filter(|sent| sent.to == to).filter_map(|sent| subject(&sent.text)).collect();
        subjects.sort();
        subjects
    };
    assert_eq!(subjects(&ada.email).len(), 2, "{sent:?}");
    assert_eq!(subjects("bob@example.org").len(), 1, "{sent:?}");
    assert!(sent.iter().all(|sent| !sent.text.contains("Eve")), "no text of the caller is sent");
}

#[apply(either)]
async fn a_known_address_costs_as_many_reads_as_an_unknown_one(#[case] backend: Backend) {
    for has_mail in [false, true] {
        let mailbox = Mailbox::start().await;
        let app = TestApp::with(backend, |settings| {
            if has_mail {
                mailbox.set(settings);
            }
        })
        .await;
        let ada = if has_mail { app.owner_with_mail(&mailbox, "Ada").await } else { app.owner("Ada").await };
        let anyone = app.anonymous();
        for path in ["/api/v1/accounts", "/api/v1/password-resets", "/api/v1/sessions"] {
            let asked = async |email: &str| {
                let body = match path {
                    "/api/v1/accounts" => account(email, "eves password"),
                    "/api/v1/password-resets" => json!({ "email": email }),
                    _ => json!({ "email": email, "password": "eves password" }),
                };
                let reply = anyone.post(path, body).await;
                (reply.status, reads(&reply))
            };
            let name = path.rsplit('/').next().unwrap();
            asked(&format!("warm-{name}@example.org")).await;
            let unknown = asked(&format!("none-{name}@example.org")).await;
            assert_eq!(asked(&ada.email).await, unknown, "{path}, with mail: {has_mail}");
        }
        app.deliver().await;
        let recipients: Vec<_> = mailbox.take().into_iter().map(|sent| sent.to).collect();
        assert!(!recipients.iter().any(|to| to.starts_with("none-password-resets")), "{recipients:?}");
    }
}

#[apply(either)]
async fn mail_is_limited_per_address_and_in_total(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| {
        mailbox.set(settings);
        settings.mails_per_hour = 8.try_into().unwrap();
    })
    .await;
    let anyone = app.anonymous();
    let register = async |email: &str| anyone.post("/api/v1/accounts", account(email, "eves password")).await;
    for _ in 0..10 {
        register("ada@example.org").await.expect_status(202);
    }
    for number in 0..3 {
        register(&format!("bob{number}@example.org")).await.expect_status(202);
    }
    for email in ["ada@example.org", "new@example.org"] {
        register(email).await.expect_problem(503, "mail_queue_full");
    }
    app.deliver().await;
    assert_eq!(mailbox.take().len(), 8);
    app.advance(std::time::Duration::from_secs(3601));
    register("new@example.org").await.expect_status(202);
}

#[apply(either)]
async fn mails_that_strangers_ask_for_keep_no_owner_from_a_notice(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| {
        mailbox.set(settings);
        settings.mails_per_hour = 20.try_into().unwrap();
    })
    .await;
    let ada = app.owner_with_mail(&mailbox, "Ada").await;
    let anyone = app.anonymous();
    for _ in 0..6 {
        anyone.post("/api/v1/password-resets", json!({ "email": ada.email })).await.expect_status(202);
    }
    for number in 0..13 {
        let email = format!("bob{number}@example.org");
        anyone.post("/api/v1/accounts", account(&email, "eves password")).await.expect_status(202);
    }
    anyone
        .post("/api/v1/accounts", account("new@example.org", "eves password"))
        .await
        .expect_problem(503, "mail_queue_full");
    app.deliver().await;
    assert_eq!(mailbox.take().len(), 17, "of 20 mails an hour two are for notices, and one confirmed the account");
    let changed = json!({ "password": ada.password, "newPassword": "correct horse new staple" });
    ada.put("/api/v1/me/password").json(changed).await.expect_status(204);
    app.deliver().await;
    let sent = mailbox.take();
    assert!(sent.len() == 1 && sent[0].to == ada.email && sent[0].text.contains("password was changed"), "{sent:?}");
}

#[apply(either)]
async fn a_network_asks_for_a_bounded_number_of_mails(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| {
        mailbox.set(settings);
        settings.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    })
    .await;
    let ada = app.owner_with_mail(&mailbox, "Ada").await;
    let from = |address: &str| app.anonymous().with_header("x-forwarded-for", address);
    let near = from("2001:db8:1:1::1");
    for number in 0..60 {
        let body = json!({ "email": format!("bob{number}@example.org") });
        near.post("/api/v1/password-resets", body).await.expect_status(202);
    }
    // Known and unknown addresses, at every door.
    for email in [&*ada.email, "bob@example.org"] {
        for (path, body) in [
            ("/api/v1/password-resets", json!({ "email": email })),
            ("/api/v1/accounts", account(email, "eves password")),
        ] {
            let refused = near.post(path, body.clone()).await.expect_problem(429, "rate_limited");
            assert_eq!(refused.header("retry-after"), "60", "{path}");
            from("2001:db8:2:1::1").post(path, body).await.expect_status(202);
        }
    }
    app.advance(std::time::Duration::from_secs(61));
    near.post("/api/v1/password-resets", json!({ "email": ada.email })).await.expect_status(202);
}
