//! `GET /agent/connect`: tokens, and what ends a connection.

use buildtrack_tests::{Agent, Backend, Reply, TestApp, log_lines};
use rstest_reuse::apply;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::http::Response;

use super::{
    Arena, enrolment_of,
    socket::{Duelist, address},
};
use crate::both;

type Refusal = Response<Option<Vec<u8>>>;

pub(super) async fn rotate(agent: &Agent) -> Reply {
    agent.act(&format!("{}/token", enrolment_of(agent))).await.expect_status(201)
}

/// Tries to connect with a token in the header; it must be refused with this status and code.
async fn refused(app: &TestApp, token: Option<&str>, status: u16, code: &str) -> Refusal {
    let Err(refusal) = Duelist::open(&address(&app.url()), token).await else { panic!("{token:?} opens a socket") };
    assert_eq!(refusal.status().as_u16(), status);
    assert_eq!(body(&refusal)["code"], code);
    refusal
}

fn body(refusal: &Refusal) -> Value {
    serde_json::from_slice(refusal.body().as_ref().unwrap()).unwrap()
}

fn in_query(app: &TestApp, token: &str) -> String {
    format!("{}?token={token}", address(&app.url()))
}

#[apply(both)]
async fn tokens_are_accepted_in_the_header_and_in_the_query(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let arena_token = rotate(&scout).await.text_at("/token");
    for token in [&scout.token, &arena_token] {
        Duelist::with_token(&app.url(), token).await.expect_silence().await;
        let mut duelist = Duelist::open(&in_query(&app, token), None).await.unwrap();
        assert_eq!(duelist.id, scout.id.replace("ag_", "agt_"));
        duelist.expect_silence().await;
    }
    // The header wins.
    let mut both = Duelist::open(&in_query(&app, "nonsense"), Some(&scout.token)).await.unwrap();
    both.expect_silence().await;
    // But one of another scheme, or without a token, is no token.
    for header in ["Basic c2NvdXQ6c2VjcmV0", "Bearer", "Bearer "] {
        let mut duelist = Duelist::authorized(&in_query(&app, &arena_token), Some(header)).await.unwrap();
        duelist.expect_silence().await;
        let Err(refusal) = Duelist::authorized(&in_query(&app, "bta_unknown"), Some(header)).await else {
            panic!("a socket opens")
        };
        assert_eq!((refusal.status().as_u16(), &body(&refusal)["code"]), (401, &"invalid_token".into()));
    }
    let logged = log_lines::so_far();
    for token in [&scout.token, &arena_token] {
        assert!(!logged.contains(&**token), "a token is in the log");
    }
    assert!(!app.dump().await.contains(&arena_token));
}

#[apply(both)]
async fn other_tokens_are_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    refused(&app, None, 401, "unauthenticated").await;
    for token in ["bta_unknown", "bts_unknown", "", "x"] {
        refused(&app, Some(token), 401, "invalid_token").await;
    }
    refused(&app, Some(&scout.key), 401, "key_is_not_a_token").await;
    refused(&app, Some(&ada.token), 403, "agent_required").await;
    let reader = app.anonymous().log_in(&scout.key, json!(["read"])).await.text_at("/token");
    refused(&app, Some(&reader), 403, "missing_scope").await;
    let Err(refusal) = Duelist::open(&in_query(&app, "bta_unknown"), None).await else { panic!("a socket opens") };
    assert_eq!(refusal.status().as_u16(), 401);
    scout.get("/agent/connect").await.expect_problem(426, "upgrade_required");
}

#[apply(both)]
async fn suspended_and_deactivated_agents_are_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let operator = app.operator("Bea").await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let tokens = [rotate(&scout).await.text_at("/token"), rotate(&ranger).await.text_at("/token")];
    let decision = json!({ "subject": scout.id, "action": "suspend", "reason": "Why not" });
    operator.post("/api/v1/moderation/actions", decision).await.expect_status(201);
    refused(&app, Some(&scout.token), 403, "suspended").await;
    refused(&app, Some(&tokens[0]), 403, "agent_not_active").await;
    ada.delete(&format!("/api/v1/agents/{}", ranger.id)).await.expect_status(204);
    refused(&app, Some(&ranger.token), 401, "invalid_token").await;
    refused(&app, Some(&tokens[1]), 403, "agent_not_active").await;
}

#[apply(both)]
async fn a_network_that_guesses_tokens_is_blocked_for_a_while(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| {
        settings.rate_limits = "free=100000,anonymous=20,login=100000".parse().unwrap();
    })
    .await;
    let scout = app.agent("Scout").await;
    let mut status = 401;
    for number in 0..40 {
        let Err(refusal) = Duelist::open(&in_query(&app, &format!("bta_{number}")), None).await else {
            panic!("it opens")
        };
        status = refusal.status().as_u16();
        if status == 429 {
            assert_eq!(body(&refusal)["code"], "abuse_blocked");
            let wait: u64 = refusal.headers()["retry-after"].to_str().unwrap().parse().unwrap();
            assert!((1..=60).contains(&wait));
            break;
        }
        assert_eq!(body(&refusal)["code"], "invalid_token");
    }
    assert_eq!(status, 429);
    // A session that the server knows is not locked out.
    scout.get("/api/v1/me").await.expect_status(200);
    Duelist::connect(&app, &scout).await.expect_silence().await;
    app.advance(std::time::Duration::from_mins(1));
    refused(&app, Some("bta_x"), 401, "invalid_token").await;
}

#[apply(both)]
async fn a_handshake_without_capacity_is_refused_as_busy(#[case] backend: Backend) {
    for (all, of_agent) in [(1, 10), (10, 1)] {
        let app = TestApp::with(backend, |settings| {
            (settings.live_streams, settings.live_streams_per_agent) = (all, of_agent);
        })
        .await;
        let (scout, ranger) = (app.agent("Scout").await, app.agent("Ranger").await);
        let mut duelist = Duelist::connect(&app, &scout).await;
        let next = if all == 1 { &ranger } else { &scout };
        let refusal = refused(&app, Some(&next.token), 429, "backpressure_busy").await;
        let wait: u64 = refusal.headers()["retry-after"].to_str().unwrap().parse().unwrap();
        assert!(wait >= 30, "{wait}");
        duelist.expect_silence().await;
    }
}

#[apply(both)]
async fn tokens_of_suspended_agents_and_replaced_tokens_count_as_guesses(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| {
        settings.rate_limits = "free=100000,anonymous=20,login=100000".parse().unwrap();
    })
    .await;
    let operator = app.operator("Bea").await;
    let (scout, ranger) = (app.agent("Scout").await, app.agent("Ranger").await);
    let (suspended, old) = (rotate(&scout).await.text_at("/token"), rotate(&ranger).await.text_at("/token"));
    // The server knows both.
    for token in [&suspended, &old] {
        Duelist::with_token(&app.url(), token).await.leave().await;
    }
    let decide = async |action: &str| {
        let decision = json!({ "subject": scout.id, "action": action, "reason": "Why not" });
        operator.post("/api/v1/moderation/actions", decision).await.expect_status(201);
    };
    decide("suspend").await;
    let new = rotate(&ranger).await.text_at("/token");
    for _ in 0..10 {
        refused(&app, Some(&suspended), 403, "agent_not_active").await;
        refused(&app, Some(&old), 401, "invalid_token").await;
    }
    for token in [&suspended, &old] {
        refused(&app, Some(token), 429, "abuse_blocked").await;
    }
    // A token that the server knows to be valid is not locked out.
    Duelist::with_token(&app.url(), &new).await.expect_silence().await;
    decide("reinstate").await;
    app.advance(std::time::Duration::from_mins(1));
    Duelist::with_token(&app.url(), &suspended).await.expect_silence().await;
}

#[apply(both)]
async fn a_new_arena_token_ends_the_connection_and_the_old_token(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let old = rotate(&scout).await.text_at("/token");
    let mut duelist = Duelist::with_token(&app.url(), &old).await;
    let new = rotate(&scout).await.text_at("/token");
    assert_eq!(duelist.closed().await, (1008, "the arena token was rotated".to_owned()));
    refused(&app, Some(&old), 401, "invalid_token").await;
    Duelist::with_token(&app.url(), &new).await.expect_silence().await;
}

#[apply(both)]
async fn a_second_connection_replaces_the_first(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let mut first = Duelist::connect(&app, &scout).await;
    let mut second = Duelist::connect(&app, &scout).await;
    let (code, reason) = first.closed().await;
    assert_eq!((code, &*reason), (1008, "another connection of this agent replaced this one"));
    second.expect_silence().await;
    assert_eq!(second.join().await["status"], "queued");
    let state = app.anonymous().get("/status.json").await.expect_status(200);
    assert_eq!((&state["connected_agents"], &state["queued_agents"]), (&1.into(), &1.into()));
}

#[apply(both)]
async fn the_end_of_a_session_ends_its_connection(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let mut duelist = Duelist::connect(&app, &scout).await;
    scout.delete("/api/v1/sessions/current").await.expect_status(204);
    assert_eq!(duelist.closed().await, (1008, "the session has ended".to_owned()));
}

#[apply(both)]
async fn an_agent_that_is_suspended_cannot_play_on(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let operator = arena.operator("Bea").await;
    let ((scout, mut one), (ranger, other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let token = rotate(&ranger).await.text_at("/token");
    drop(other);
    let mut other = Duelist::with_token(&arena.url(), &token).await;
    arena.challenge(&[&scout, &ranger]).await;
    let requests = [one.request().await, other.request().await];
    for (agent, socket, request) in [(&scout, &mut one, &requests[0]), (&ranger, &mut other, &requests[1])] {
        let decision = json!({ "subject": agent.id, "action": "suspend", "reason": "Why not" });
        operator.post("/api/v1/moderation/actions", decision).await.expect_status(201);
        socket.respond(request, "x").await;
        // The server closes the socket within seconds, perhaps before it has read the answer.
        let reason = socket.closed_or_refused("agent_not_active").await;
        assert!(reason.starts_with("operators have suspended") || reason.starts_with("the agent or its owner is"));
    }
}
