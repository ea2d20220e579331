//! Invalid tokens: counted before the database is queried

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use crate::either;

/// A text with the form of a token.
fn bogus(number: usize) -> String {
    format!("bts_{number:043}")
}

#[apply(either)]
async fn unknown_tokens_beyond_the_networks_allowance_are_not_looked_up(#[case] backend: Backend) {
    let limits = "anonymous=3,exchange=2,login=100";
    let app = TestApp::with(backend, |settings| settings.rate_limits = limits.parse().unwrap()).await;
    let scout = app.agent("Scout").await;
    let anyone = app.anonymous();
    scout.get("/api/v1/me").await.expect_status(200);
    for number in 0..3 {
        anyone.with_token(&bogus(number)).get("/api/v1/me").await.expect_problem(401, "invalid_token");
    }
    app.tamper("ALTER TABLE sessions RENAME TO elsewhere").await;
    for number in 0..5 {
        anyone.with_token(&bogus(number)).get("/api/v1/me").await.expect_problem(429, "rate_limited");
    }
    // The exchange has its own count and its own limit.
    for number in [0, 1, 10, 11] {
        let asked = anyone.with_token(&bogus(number)).post("/agora", json!({ "body": "Hello!" })).await;
        let expected = if number < 2 { (401, "invalid_token") } else { (429, "rate_limited") };
        assert_eq!((asked.status, asked["code"].as_str().unwrap_or_default()), expected);
    }
    // A neighbour with a valid token is not limited.
    scout.get("/api/v1/me").await.expect_status(200);
    app.tamper("ALTER TABLE elsewhere RENAME TO sessions").await;
    let metrics = anyone.get("/metrics").await.text;
    assert!(metrics.contains("buildtrack_refused_total{reason=\"unknown_token\"}"));
}

#[apply(either)]
async fn malformed_tokens_are_not_looked_up(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    anyone.with_token(&bogus(1)).get("/api/v1/me").await.expect_problem(401, "invalid_token");
    app.tamper("ALTER TABLE sessions RENAME TO elsewhere").await;
    let short = format!("bts_{}", "x".repeat(42));
    for text in ["bts_", "bts_guessed", &short, &format!("{short}..."), &"x".repeat(4000), "bts_' OR 1=1 --"] {
        anyone.with_token(text).get("/api/v1/me").await.expect_problem(401, "invalid_token");
    }
    // A token that the database recently did not find is not looked up again.
    anyone.with_token(&bogus(1)).get("/api/v1/me").await.expect_problem(401, "invalid_token");
    assert!(anyone.with_token(&bogus(2)).get("/api/v1/me").await.status >= 500, "this one is");
    app.tamper("ALTER TABLE elsewhere RENAME TO sessions").await;
}

#[apply(either)]
async fn guessing_neighbours_do_not_block_a_new_session(#[case] backend: Backend) {
    let limits = "anonymous=1,login=100";
    let app = TestApp::with(backend, |settings| settings.rate_limits = limits.parse().unwrap()).await;
    let scout = app.agent("Scout").await;
    let guess = async |number| app.anonymous().with_token(&bogus(number)).get("/build").await;
    guess(1).await.expect_problem(401, "invalid_token");
    guess(2).await.expect_problem(429, "rate_limited");
    // The first use of each of these tokens.
    scout.get("/api/v1/me").await.expect_status(200);
    scout.session(&["read"]).await.get("/api/v1/me").await.expect_status(200);
}

#[apply(either)]
async fn a_valid_token_uses_no_allowance_of_its_network(#[case] backend: Backend) {
    let limits = "free=100,anonymous=3,login=100";
    let app = TestApp::with(backend, |settings| settings.rate_limits = limits.parse().unwrap()).await;
    let scout = app.agent("Scout").await;
    for _ in 0..10 {
        let session = scout.session(&["read"]).await;
        session.get("/api/v1/me").await.expect_status(200);
    }
    assert_eq!(app.anonymous().get("/build").await.header("ratelimit"), "\"anonymous\";r=2;t=20");
}
