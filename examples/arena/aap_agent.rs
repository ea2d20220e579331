//! An AAP agent in Rust, with the crates actix-web, base64, ed25519-dalek, reqwest, rustls, `serde_json` and tokio: answers rounds at
//! `/agora` and health checks at `/agora/health`.
//!
//! `ARENA_SERVER=http://127.0.0.1:8080 ARENA_ENDPOINT=http://127.0.0.1:8098 PORT=8098 cargo run -p buildtrack-tests --example aap_agent`
//!
//! `ARENA_SERVER` is the server's public address, `ARENA_ENDPOINT` the `endpointUrl` of the enrolment. Replace [`answer`].

#![expect(clippy::print_stdout, reason = "an example prints what it does")]

use std::{
    collections::HashMap,
    env, io,
    time::{Duration, Instant, UNIX_EPOCH},
};

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::{Value, json};
use tokio::sync::Mutex;

const BODY_MAX: usize = 1024 * 1024;
/// The least time between two requests for the server's keys.
const REFRESH: Duration = Duration::from_secs(10);

/// The answer to a task, with a short public reason. A task has `description`, `input_format`, `output_format` and `options`.
fn answer(task: &Value) -> (String, &'static str) {
    (task["options"][0].as_str().unwrap_or("42").to_owned(), "This example always guesses.")
}

struct Agent {
    server: String,
    endpoint: String,
    client: reqwest::Client,
    keys: Mutex<Keys>,
}

#[derive(Default)]
struct Keys {
    by_id: HashMap<String, VerifyingKey>,
    fetched: Option<Instant>,
}

impl Agent {
    /// The claims of a round's token; none if the token is not the server's, not for this endpoint, or has expired.
    async fn verify(&self, authorization: &str) -> Option<Value> {
        let (signed, signature) = authorization.strip_prefix("Bearer ")?.rsplit_once('.')?;
        let (head, payload) = signed.split_once('.')?;
        let head = decode(head).filter(|head| head["alg"] == "EdDSA")?;
        let key = self.key(head["kid"].as_str()?).await?;
        let signature = Signature::from_slice(&URL_SAFE_NO_PAD.decode(signature).ok()?).ok()?;
        key.verify_strict(signed.as_bytes(), &signature).ok()?;
        let claims = decode(payload)?;
        let is_for_us = claims["iss"] == self.server && claims["aud"] == self.endpoint;
        let is_valid = claims["exp"].as_u64()? > UNIX_EPOCH.elapsed().ok()?.as_secs();
        (is_for_us && is_valid).then_some(claims)
    }

    /// A key of the server. An unknown one is looked up in the server's list.
    async fn key(&self, id: &str) -> Option<VerifyingKey> {
        let mut keys = self.keys.lock().await;
        if !keys.by_id.contains_key(id) && keys.fetched.is_none_or(|fetched| fetched.elapsed() > REFRESH) {
            keys.fetched = Some(Instant::now());
            let url = format!("{}/.well-known/jwks.json", self.server);
            let list: Value = self.client.get(url).send().await.ok()?.json().await.ok()?;
            for key in list["keys"].as_array()? {
                let bytes = key["x"].as_str().and_then(|x| <[u8; 32]>::try_from(URL_SAFE_NO_PAD.decode(x).ok()?).ok());
                let verifying = bytes.and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
                if let (Some(id), Some(verifying)) = (key["kid"].as_str(), verifying) {
                    keys.by_id.insert(id.to_owned(), verifying);
                }
            }
        }
        keys.by_id.get(id).copied()
    }
}

/// A part of a token: base64url of JSON.
fn decode(part: &str) -> Option<Value> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

async fn health() -> HttpResponse {
    HttpResponse::Ok().json(json!({
        "status": "ok", "version": "1.0", "capabilities": ["trivia", "reasoning", "structured"], "max_concurrent": 5,
    }))
}

async fn play(request: HttpRequest, body: web::Bytes, agent: web::Data<Agent>) -> HttpResponse {
    let authorization = request.headers().get("authorization").and_then(|value| value.to_str().ok());
    let claims = agent.verify(authorization.unwrap_or_default()).await;
    let round = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    if !claims.is_some_and(|claims| claims["match_id"] == round["match_id"]) {
        return HttpResponse::Unauthorized().json(json!({"error": "the token is not valid for this round"}));
    }
    println!("round {} of {} of {}", round["round"], round["total_rounds"], round["match_id"]);
    let begun = Instant::now();
    // Other rounds and health checks are answered while the agent thinks.
    match web::block(move || answer(&round["task"])).await {
        Ok((output, reason)) => {
            let latency = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            let answer = json!({"answer": output, "confidence": 0.5, "reasoning": reason, "latency_ms": latency});
            HttpResponse::Ok().json(answer)
        }
        Err(_) => HttpResponse::InternalServerError().json(json!({"error": "the agent stops"})),
    }
}

#[actix_web::main]
async fn main() -> io::Result<()> {
    drop(rustls::crypto::ring::default_provider().install_default());
    let address = |name: &str, default: &str| {
        env::var(name).unwrap_or_else(|_| default.to_owned()).trim_end_matches('/').to_owned()
    };
    let client = reqwest::Client::builder().timeout(Duration::from_secs(5)).build().map_err(io::Error::other)?;
    let agent = web::Data::new(Agent {
        server: address("ARENA_SERVER", "http://127.0.0.1:8080"),
        endpoint: address("ARENA_ENDPOINT", "http://127.0.0.1:8098"),
        client,
        keys: Mutex::default(),
    });
    let port = env::var("PORT").ok().and_then(|port| port.parse().ok()).unwrap_or(8098);
    let server = HttpServer::new(move || {
        App::new()
            .app_data(agent.clone())
            .app_data(web::PayloadConfig::new(BODY_MAX))
            .route("/agora/health", web::get().to(health))
            .route("/agora", web::post().to(play))
    });
    let server = server.workers(1).bind(("127.0.0.1", port))?;
    for address in server.addrs() {
        println!("listening on {}", address.port());
    }
    server.run().await
}
