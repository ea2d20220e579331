//! Password guessing against one account from many networks

use std::time::Duration;

use buildtrack_tests::{Backend, Caller, Owner, Reply, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

async fn guarded(backend: Backend) -> TestApp {
    TestApp::with(backend, |settings| {
        settings.rate_limits = "login=100,login_account=3".parse().unwrap();
        settings.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    })
    .await
}

fn from(app: &TestApp, address: &str) -> Caller {
    app.anonymous().with_header("x-forwarded-for", address)
}

async fn log_in(caller: &Caller, owner: &Owner, password: &str) -> Reply {
    caller.post("/api/v1/sessions", json!({ "email": owner.email, "password": password })).await
}

#[apply(both)]
async fn guesses_from_many_networks_are_limited_per_account(#[case] backend: Backend) {
    let app = guarded(backend).await;
    let (ada, bea) = (app.owner("Ada").await, app.owner("Bea").await);
    // A login from this machine uses the first of three.
    for owner in [&ada, &bea] {
        log_in(&app.anonymous(), owner, &owner.password).await.expect_status(201);
    }
    for number in 1..=2 {
        let guess = log_in(&from(&app, &format!("192.0.2.{number}")), &ada, "a wrong password").await;
        guess.expect_problem(401, "wrong_credentials");
    }
    let refused = log_in(&from(&app, "192.0.2.3"), &ada, "a wrong password").await.expect_problem(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), "20");
    // The correct password is refused as well, also by the other routes that take a password.
    log_in(&from(&app, "192.0.2.4"), &ada, &ada.password).await.expect_problem(429, "rate_limited");
    let appeal = json!({ "email": ada.email, "password": "a wrong password", "statement": "Let me in again, please." });
    from(&app, "192.0.2.5").post("/api/v1/moderation/own-appeal", appeal).await.expect_problem(429, "rate_limited");
    // Other accounts have their own allowance, and so has the network of the owner's earlier login.
    log_in(&from(&app, "192.0.2.4"), &bea, &bea.password).await.expect_status(201);
    log_in(&app.anonymous(), &ada, &ada.password).await.expect_status(201);
    app.advance(Duration::from_secs(20));
    log_in(&from(&app, "192.0.2.4"), &ada, &ada.password).await.expect_status(201);
    let metrics = app.anonymous().get("/metrics").await.text;
    assert!(metrics.contains("buildtrack_refused_total{reason=\"login_account\"}"));
}

#[apply(both)]
async fn an_address_without_an_account_is_limited_equally(#[case] backend: Backend) {
    let app = guarded(backend).await;
    let guess = async |number: u8| {
        let body = json!({ "email": "unknown@example.org", "password": "a wrong password" });
        from(&app, &format!("192.0.2.{number}")).post("/api/v1/sessions", body).await
    };
    for number in 1..=3 {
        guess(number).await.expect_problem(401, "wrong_credentials");
    }
    guess(4).await.expect_problem(429, "rate_limited");
    // No table contains the address.
    assert!(!app.dump().await.contains("unknown@example.org"));
}

/// PostgreSQL only: SQLite has one process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_allowance_of_an_account_is_shared_by_replicas() {
    let app = guarded(Backend::Postgres).await;
    let other = app.replica().await;
    let ada = app.owner("Ada").await;
    log_in(&app.anonymous(), &ada, &ada.password).await.expect_status(201);
    log_in(&from(&app, "192.0.2.1"), &ada, "a wrong password").await.expect_status(401);
    log_in(&from(&other, "192.0.2.2"), &ada, "a wrong password").await.expect_status(401);
    log_in(&from(&other, "192.0.2.3"), &ada, "a wrong password").await.expect_problem(429, "rate_limited");
    log_in(&from(&app, "192.0.2.4"), &ada, "a wrong password").await.expect_problem(429, "rate_limited");
}
