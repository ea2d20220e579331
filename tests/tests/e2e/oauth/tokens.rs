//! Refresh tokens at `POST /oauth/token`, and `POST /oauth/revoke`

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp};
use futures_util::future::join_all;
use rstest_reuse::apply;

use super::{Scene, TOKEN, expect_error, form, registered, renewing, with};
use crate::both;

const REVOKE: &str = "/oauth/revoke";
const DAY: Duration = Duration::from_hours(24);

#[apply(both)]
async fn a_refresh_token_renews_the_session(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let (access, refresh) = scene.tokens().await;
    let renewed = scene.renew(&refresh).await.expect_status(200);
    let (next, rotated) = (renewed.text_at("/access_token"), renewed.text_at("/refresh_token"));
    assert_eq!([scene.status(&access).await, scene.status(&next).await], [401, 200]);
    assert_ne!(rotated, refresh);
    assert_eq!((renewed["scope"].as_str(), renewed.header("cache-control")), (Some("read write"), "no-store"));
    // The session has ended, the refresh token not.
    scene.app.advance(DAY);
    assert_eq!(scene.status(&next).await, 401);
    let renewed = scene.renew(&rotated).await.expect_status(200);
    assert_eq!(scene.status(&renewed.text_at("/access_token")).await, 200);
    let last = renewed.text_at("/refresh_token");
    scene.app.advance(30 * DAY);
    expect_error(&scene.renew(&last).await, 400, "invalid_grant");
}

#[apply(both)]
async fn a_renewal_narrows_the_scope_and_never_widens_it(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let (access, refresh) = scene.tokens().await;
    let asking = |scope| with(renewing(&scene.client, &refresh), "scope", Some(scope));
    expect_error(&form(&scene.app, TOKEN, &asking("read webhooks")).await, 400, "invalid_scope");
    assert_eq!(scene.status(&access).await, 200);
    let narrow = form(&scene.app, TOKEN, &asking("read")).await.expect_status(200);
    assert_eq!(narrow["scope"], "read");
    let reader = scene.app.anonymous().with_token(&narrow.text_at("/access_token"));
    reader.delete("/api/v1/me/sessions").await.expect_problem(403, "missing_scope");
    let wide = scene.renew(&narrow.text_at("/refresh_token")).await.expect_status(200);
    assert_eq!(wide["scope"], "read write");
}

#[apply(both)]
async fn a_refresh_token_that_is_used_twice_ends_the_consent(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let (_, first) = scene.tokens().await;
    // Another client changes nothing.
    let other = registered(&scene.app, "Other").await;
    expect_error(&form(&scene.app, TOKEN, &renewing(&other, &first)).await, 400, "invalid_grant");
    let second = scene.renew(&first).await.expect_status(200).text_at("/refresh_token");
    let third = scene.renew(&second).await.expect_status(200);
    let access = third.text_at("/access_token");
    assert_eq!(scene.status(&access).await, 200);
    // Not the last token, but an earlier one.
    expect_error(&scene.renew(&first).await, 400, "invalid_grant");
    assert_eq!(scene.status(&access).await, 401);
    expect_error(&scene.renew(&third.text_at("/refresh_token")).await, 400, "invalid_grant");
}

#[apply(both)]
async fn of_many_renewals_with_a_refresh_token_at_a_time_one_succeeds_at_most(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    for _ in 0..8 {
        let (_, refresh) = scene.tokens().await;
        let replies = join_all((0..8).map(async |_| scene.renew(&refresh).await)).await;
        let granted: Vec<_> = replies.iter().filter(|reply| reply.status == 200).collect();
        assert_eq!(granted.len(), 1, "{:?}", replies.iter().map(|reply| &reply.text).collect::<Vec<_>>());
        // The others are uses of the same token.
        assert_eq!(scene.status(&granted[0].text_at("/access_token")).await, 401);
    }
}

#[apply(both)]
async fn of_a_new_key_and_a_renewal_at_a_time_no_session_outlives_the_key(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let key = format!("/api/v1/agents/{}/keys", scene.scout.id);
    for _ in 0..8 {
        let (_, refresh) = scene.tokens().await;
        let code = scene.code().await;
        let fields = super::redeeming(&scene.client, &code);
        let renewing = async { scene.renew(&refresh).await };
        let redeeming = async { form(&scene.app, TOKEN, &fields).await };
        let rotating = async { scene.ada.act(&key).await };
        let (renewed, redeemed, rotated) = tokio::join!(renewing, redeeming, rotating);
        rotated.expect_status(201);
        for reply in [renewed, redeemed].iter().filter(|reply| reply.status == 200) {
            assert_eq!(scene.status(&reply.text_at("/access_token")).await, 401, "{}", reply.text);
        }
    }
}

#[apply(both)]
async fn unknown_refresh_tokens_are_refused(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let (access, refresh) = scene.tokens().await;
    let (family, _) = refresh.split_once('.').unwrap();
    for token in ["btr_unknown.token", "btr_", ".", family, access.as_str(), scene.scout.key.as_str()] {
        expect_error(&scene.renew(token).await, 400, "invalid_grant");
    }
    expect_error(&form(&scene.app, TOKEN, &renewing(&scene.client, "")).await, 400, "invalid_request");
    assert_eq!(scene.status(&access).await, 200);
}

#[apply(both)]
async fn what_ends_the_sessions_of_an_agent_ends_its_consents(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let key = format!("/api/v1/agents/{}/keys", scene.scout.id);
    let (access, refresh) = scene.tokens().await;
    let key = scene.ada.act(&key).await.expect_status(201).text_at("/key");
    assert_eq!(scene.status(&access).await, 401);
    expect_error(&scene.renew(&refresh).await, 400, "invalid_grant");
    // A session that a client ends itself.
    let (access, refresh) = scene.tokens().await;
    let client = scene.app.anonymous().with_token(&access);
    client.delete("/api/v1/sessions/current").await.expect_status(204);
    expect_error(&scene.renew(&refresh).await, 400, "invalid_grant");
    // The other sessions, which a session of the key ends and a client cannot.
    let ((access, refresh), (_, other)) = (scene.tokens().await, scene.tokens().await);
    let waiting = scene.code().await;
    let client = scene.app.anonymous().with_token(&access);
    client.delete("/api/v1/me/sessions").await.expect_problem(403, "owner_required");
    let refresh = scene.renew(&refresh).await.expect_status(200).text_at("/refresh_token");
    let body = serde_json::json!({ "key": key });
    let login = scene.app.anonymous().post("/agent-login", body).await.expect_status(200);
    let scout = scene.app.anonymous().with_token(&login.text_at("/token"));
    scout.delete("/api/v1/me/sessions").await.expect_status(204);
    for ended in [refresh, other] {
        expect_error(&scene.renew(&ended).await, 400, "invalid_grant");
    }
    let late = super::redeeming(&scene.client, &waiting);
    expect_error(&form(&scene.app, TOKEN, &late).await, 400, "invalid_grant");
}

#[apply(both)]
async fn nothing_of_a_consent_outlives_the_account(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let (_, refresh) = scene.tokens().await;
    let end = serde_json::json!({ "password": scene.ada.password, "texts": "keep" });
    scene.ada.delete("/api/v1/me").json(end).await.expect_status(204);
    expect_error(&scene.renew(&refresh).await, 400, "invalid_grant");
    assert!(!scene.app.dump().await.contains("client.example"));
}

#[apply(both)]
async fn a_client_revokes_its_tokens(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let revoking = |client: &str, token: &str| {
        form(&scene.app, REVOKE, &[("client_id", client), ("token", token), ("token_type_hint", "access_token")])
    };
    let (access, refresh) = scene.tokens().await;
    // Tokens that are none of this client: the answer is the same, and nothing happens.
    let other = registered(&scene.app, "Other").await;
    for (client, token) in [
        (&other, access.as_str()),
        (&other, refresh.as_str()),
        (&scene.client, "bts_unknown"),
        (&scene.client, scene.scout.token.as_str()),
    ] {
        revoking(client, token).await.expect_status(200);
    }
    assert_eq!([scene.status(&access).await, scene.status(&scene.scout.token).await], [200, 200]);
    expect_error(&revoking("client_unknown", &access).await, 401, "invalid_client");
    expect_error(&form(&scene.app, REVOKE, &[("client_id", scene.client.as_str())]).await, 400, "invalid_request");

    revoking(&scene.client, &access).await.expect_status(200);
    assert_eq!(scene.status(&access).await, 401);
    expect_error(&scene.renew(&refresh).await, 400, "invalid_grant");
    let (access, refresh) = scene.tokens().await;
    revoking(&scene.client, &refresh).await.expect_status(200);
    assert_eq!(scene.status(&access).await, 401);
    revoking(&scene.client, &refresh).await.expect_status(200);
}
