//! An agent's endpoint (AAP), as an agent would run one.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    dev::ServerHandle,
    web::{self, Bytes, Data},
};
use buildtrack_store::{ArenaChange, EndpointState};
use buildtrack_tests::{Agent, eventually};
use futures_util::stream::repeat_with;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{Arena, answer_to_round, enrolment_of};

/// What an endpoint does with a round.
#[derive(Debug, Clone)]
pub(super) enum Reaction {
    /// Answers rightly.
    Right,
    /// Answers wrongly.
    Wrong,
    /// Answers with this status.
    Status(u16),
    /// Answers 200 with this body.
    Body(String),
    /// Answers 302 with this location.
    Redirect(String),
    /// Answers 200 with a body without end.
    Endless,
    /// Answers rightly once it is released.
    Hang,
}

/// A round, as it arrived.
#[derive(Debug, Clone)]
pub(super) struct Round {
    /// `Authorization` without `Bearer`.
    pub(super) token: String,
    pub(super) content_type: String,
    pub(super) body: Value,
}

#[derive(Debug, Default)]
struct State {
    reactions: Mutex<VecDeque<Reaction>>,
    rounds: Mutex<Vec<Round>>,
    health: Mutex<Option<(u16, String)>>,
    /// `Authorization` of each health check.
    checks: Mutex<Vec<String>>,
    holds_checks: Mutex<bool>,
    strays: Mutex<Vec<String>>,
    released: Notify,
}

/// An HTTP server that is well and answers every round rightly, unless a test says otherwise. It stops when this value is dropped.
pub(super) struct Endpoint {
    /// The base address.
    pub(super) url: String,
    state: Data<State>,
    server: ServerHandle,
}

impl Endpoint {
    pub(super) fn start() -> Self {
        let state = Data::from(Arc::new(State::default()));
        let shared = state.clone();
        let server = HttpServer::new(move || {
            App::new()
                .app_data(shared.clone())
                .app_data(web::PayloadConfig::new(1 << 20))
                .route("/base/agora", web::post().to(round))
                .route("/base/agora/health", web::get().to(health))
                .default_service(web::to(stray))
        });
        let server = server.workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/base", server.addrs()[0]);
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        Self { url, state, server: handle }
    }

    /// Starts an endpoint with an agent of a new owner that is enrolled for trivia.
    pub(super) async fn of(arena: &Arena, name: &str) -> (Agent, Self) {
        let (agent, endpoint) = (arena.agent(name).await, Self::start());
        let enrolment = json!({ "leagues": ["trivia"], "endpointUrl": endpoint.url, "acceptsChallenges": true });
        arena.enrol(&agent, enrolment).await;
        (agent, endpoint)
    }

    /// What it does with the next rounds, one each.
    pub(super) fn react(&self, reactions: impl IntoIterator<Item = Reaction>) {
        self.state.reactions.lock().unwrap().extend(reactions);
    }

    /// The rounds that arrived so far.
    pub(super) fn rounds(&self) -> Vec<Round> {
        self.state.rounds.lock().unwrap().clone()
    }

    /// Waits until a number of rounds have arrived.
    pub(super) async fn wait_for_rounds(&self, count: usize) -> Vec<Round> {
        eventually(async || self.rounds().len() >= count).await;
        self.rounds()
    }

    /// Its answers to health checks from now on.
    pub(super) fn respond_with(&self, status: u16, body: &str) {
        *self.state.health.lock().unwrap() = Some((status, body.to_owned()));
    }

    /// Answers no health check before it is released.
    pub(super) fn hold_checks(&self) {
        *self.state.holds_checks.lock().unwrap() = true;
    }

    /// The number of health checks so far.
    pub(super) fn checks(&self) -> usize {
        self.state.checks.lock().unwrap().len()
    }

    /// `Authorization` without `Bearer` of each health check so far.
    pub(super) fn check_tokens(&self) -> Vec<String> {
        self.state.checks.lock().unwrap().clone()
    }

    /// The requests to other paths.
    pub(super) fn strays(&self) -> Vec<String> {
        self.state.strays.lock().unwrap().clone()
    }

    /// Lets the rounds and the health checks that hang be answered.
    pub(super) fn release(&self) {
        self.state.released.notify_waiters();
    }

    /// Closes its port.
    pub(super) async fn stop(&self) {
        self.server.stop(false).await;
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        drop(self.server.stop(false));
    }
}

/// Waits until the health of an agent's endpoint has this status.
pub(super) async fn wait_for_health(agent: &Agent, status: &str) -> Value {
    let path = enrolment_of(agent);
    eventually(async || agent.get(&path).await["endpoint"]["status"] == status).await;
    agent.get(&path).await["endpoint"].clone()
}

/// Records that the endpoint of an agent is well, as a check would: the checks of many take long, because they share an address.
pub(super) async fn mark_well(arena: &Arena, agent: &Agent) {
    let check_at = arena.store().log().clock().after(Duration::from_secs(30));
    let state = Box::new(EndpointState { is_healthy: true, check_at, ..EndpointState::default() });
    let agent_id = agent.id.parse().unwrap();
    let enrolment = arena.store().arena().enrolment(agent_id).await.unwrap().expect("the agent is enrolled");
    let endpoint_url = enrolment.endpoint_url.expect("it has an endpoint");
    arena.store().log().write_side([ArenaChange::EndpointChecked { agent_id, endpoint_url, state }]).await.unwrap();
}

async fn round(request: HttpRequest, bytes: Bytes, state: Data<State>) -> HttpResponse {
    let body: Value = serde_json::from_slice(&bytes).unwrap();
    let (token, content_type) = (token_of(&request), header(&request, "content-type"));
    state.rounds.lock().unwrap().push(Round { token, content_type, body: body.clone() });
    let reaction = state.reactions.lock().unwrap().pop_front().unwrap_or(Reaction::Right);
    let answer = |right| {
        HttpResponse::Ok().json(json!({
        "answer": answer_to_round(&body, right), "confidence": 0.95, "reasoning": "It is known.", "subagents_used": ["retriever"],
        "tools_used": [], "tokens": 150, "latency_ms": 340
    }))
    };
    match reaction {
        Reaction::Right => answer(true),
        Reaction::Wrong => answer(false),
        Reaction::Status(status) => HttpResponse::build(status.try_into().unwrap()).finish(),
        Reaction::Body(body) => HttpResponse::Ok().content_type("application/json").body(body),
        Reaction::Redirect(location) => HttpResponse::Found().insert_header(("location", location)).finish(),
        Reaction::Endless => {
            let pieces = repeat_with(|| Ok::<_, actix_web::Error>(Bytes::from_static(&[b' '; 8192])));
            HttpResponse::Ok().content_type("application/json").streaming(pieces)
        }
        Reaction::Hang => {
            state.released.notified().await;
            answer(true)
        }
    }
}

fn header(request: &HttpRequest, name: &str) -> String {
    request.headers().get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
}

fn token_of(request: &HttpRequest) -> String {
    header(request, "authorization").strip_prefix("Bearer ").unwrap_or_default().to_owned()
}

async fn health(request: HttpRequest, state: Data<State>) -> HttpResponse {
    state.checks.lock().unwrap().push(token_of(&request));
    let is_held = *state.holds_checks.lock().unwrap();
    if is_held {
        state.released.notified().await;
    }
    let well = || {
        let body = json!({
            "status": "ok", "version": "1.0", "capabilities": ["trivia", "debate"], "avg_latency_ms": 340, "max_concurrent": 5
        });
        (200, body.to_string())
    };
    let (status, body) = state.health.lock().unwrap().clone().unwrap_or_else(well);
    HttpResponse::build(status.try_into().unwrap()).content_type("application/json").body(body)
}

async fn stray(request: HttpRequest, state: Data<State>) -> HttpResponse {
    state.strays.lock().unwrap().push(request.uri().to_string());
    HttpResponse::NotFound().finish()
}
