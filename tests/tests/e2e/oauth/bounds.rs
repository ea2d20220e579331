//! Bounds: codes and consents of one owner, guesses of a network, the length of a request

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;

use super::{Scene, TOKEN, address, asking, expect_error, form, redeeming, with};
use crate::both;

#[apply(both)]
async fn ten_codes_of_an_owner_wait_for_their_clients(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let mut codes = vec![];
    for _ in 0..11 {
        codes.push(scene.code().await);
        scene.app.advance(Duration::from_secs(1));
    }
    expect_error(&form(&scene.app, TOKEN, &redeeming(&scene.client, &codes[0])).await, 400, "invalid_grant");
    for code in &codes[1..] {
        form(&scene.app, TOKEN, &redeeming(&scene.client, code)).await.expect_status(200);
    }
}

#[apply(both)]
async fn twenty_clients_act_as_an_agent(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let mut tokens = vec![];
    for _ in 0..21 {
        tokens.push(scene.tokens().await);
        scene.app.advance(Duration::from_secs(1));
    }
    // The session of the oldest ends with it: the agent's page does not show it any more.
    assert_eq!([scene.status(&tokens[0].0).await, scene.status(&tokens[1].0).await], [401, 200]);
    expect_error(&scene.renew(&tokens[0].1).await, 400, "invalid_grant");
    scene.renew(&tokens[1].1).await.expect_status(200);
    scene.renew(&tokens[20].1).await.expect_status(200);
    assert_eq!(scene.status(&tokens[19].0).await, 200);
}

#[apply(both)]
async fn guesses_count_against_the_network(#[case] backend: Backend) {
    let limits = "free=100000,pro=100000,anonymous=100000,login=5,login_account=100000";
    let app = TestApp::with(backend, |settings| settings.rate_limits = limits.parse().unwrap()).await;
    let client = super::registered(&app, "Editor").await;
    for _ in 0..5 {
        expect_error(&form(&app, TOKEN, &redeeming(&client, "btc_guessed")).await, 400, "invalid_grant");
    }
    let refused = form(&app, TOKEN, &redeeming(&client, "btc_guessed")).await;
    expect_error(&refused, 429, "temporarily_unavailable");
    assert!(!refused.header("retry-after").is_empty());
    expect_error(&form(&app, "/oauth/revoke", &[]).await, 429, "temporarily_unavailable");
}

#[apply(both)]
async fn a_request_that_is_too_long_is_refused(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    for length in [2001, 7000] {
        let state = "x".repeat(length);
        let asked = with(asking(&scene.client), "state", Some(&state));
        let page = scene.browser.get(&address(&asked)).await.expect_status(400);
        assert!(page.text.contains("/docs/problems#invalid_request"), "{}", page.text);
    }
    let state = "x".repeat(2000);
    let asked = with(asking(&scene.client), "state", Some(&state));
    scene.browser.get(&address(&asked)).await.expect_status(200);
}

#[apply(both)]
async fn what_expired_is_deleted(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    scene.code().await;
    let (_, refresh) = scene.tokens().await;
    let rows = async || scene.app.dump().await.matches("client.example/callback").count();
    assert_eq!(rows().await, 2);
    scene.app.advance(Duration::from_mins(1));
    scene.app.store().log().prune(10, Duration::MAX).await.unwrap();
    assert_eq!(rows().await, 1);
    scene.renew(&refresh).await.expect_status(200);
    scene.app.advance(Duration::from_hours(30 * 24));
    scene.app.store().log().prune(10, Duration::MAX).await.unwrap();
    assert_eq!(rows().await, 0);
}
