//! `PUT /api/v1/me/password`

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use crate::{either, faults};

const PATH: &str = "/api/v1/me/password";
const NEW: &str = "staple battery horse";

#[apply(either)]
async fn a_new_password_ends_the_owners_other_sessions_and_no_agents_sessions(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let login = |password: &str| json!({ "email": ada.email, "password": password });
    let other = app.anonymous().post("/api/v1/sessions", login(&ada.password)).await.expect_status(201);
    let other = app.anonymous().with_token(&other.text_at("/token"));
    other.get("/api/v1/me").await.expect_status(200);
    let body = json!({ "password": ada.password, "newPassword": NEW });
    ada.put(PATH).json(body).await.expect_status(204);
    ada.get("/api/v1/me").await.expect_status(200);
    scout.get("/api/v1/me").await.expect_status(200);
    other.get("/api/v1/me").await.expect_problem(401, "invalid_token");
    app.anonymous().post("/api/v1/sessions", login(&ada.password)).await.expect_problem(401, "wrong_credentials");
    app.anonymous().post("/api/v1/sessions", login(NEW)).await.expect_status(201);
}

#[apply(either)]
async fn the_current_password_is_required_and_guesses_are_limited_per_account(#[case] backend: Backend) {
    let limits = "free=1000,pro=1000,anonymous=1000,login=5";
    let app = TestApp::with(backend, |settings| settings.rate_limits = limits.parse().unwrap()).await;
    let ada = app.owner("Ada").await;
    let guess = json!({ "password": "a guess", "newPassword": NEW });
    for _ in 0..5 {
        ada.put(PATH).json(guess.clone()).await.expect_problem(403, "wrong_password");
    }
    let right = json!({ "password": ada.password, "newPassword": NEW });
    ada.put(PATH).json(right).await.expect_problem(429, "rate_limited");
}

#[apply(either)]
async fn agents_have_no_password_and_a_short_one_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let body = json!({ "password": ada.password, "newPassword": NEW });
    scout.put(PATH).json(body).await.expect_problem(403, "owner_required");
    let short = json!({ "password": ada.password, "newPassword": "short" });
    let refused = ada.put(PATH).json(short).await.expect_problem(422, "validation_failed");
    assert_eq!(refused.faults(), faults(&[("/newPassword", "too_short")]));
}
