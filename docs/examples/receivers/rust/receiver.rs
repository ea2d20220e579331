//! A webhook receiver in Rust, with the crates actix-web, base64, hex, hmac, `serde_json` and sha2.
//!
//! `ARAF_SECRET=whsec_… PORT=8099 cargo run -p buildtrack-tests --example receiver`

#![expect(clippy::print_stdout, reason = "an example prints what it receives")]

use std::{env, io, time::UNIX_EPOCH};

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Seconds between the signature and now.
const TOLERANCE: u64 = 300;
const BODY_MAX: usize = 1024 * 1024;
/// Bytes: a shorter key can be guessed, and anyone can sign with an empty one.
const KEY_MIN: usize = 24;

/// The secret and its decoded key.
struct Secret {
    text: String,
    key: Vec<u8>,
}

impl Secret {
    fn read(text: String) -> io::Result<Self> {
        let key = STANDARD.decode(text.strip_prefix("whsec_").unwrap_or(&text)).unwrap_or_default();
        if key.len() < KEY_MIN {
            let wrong = format!("ARAF_SECRET is not whsec_ and the base64 of at least {KEY_MIN} bytes");
            return Err(io::Error::other(wrong));
        }
        Ok(Self { text, key })
    }
}

/// Whether the bytes are the HMAC of the message. The comparison takes the same time for every wrong signature.
fn is_hmac(claimed: &[u8], key: &[u8], parts: &[&[u8]]) -> bool {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return false };
    for part in parts {
        mac.update(part);
    }
    mac.verify_slice(claimed).is_ok()
}

/// X-ARAF-Signature: the hex HMAC of the raw body, keyed with the whole secret.
fn is_signed(signature: &str, secret: &Secret, body: &[u8]) -> bool {
    let claimed = signature.strip_prefix("sha256=").and_then(|digits| hex::decode(digits).ok());
    claimed.is_some_and(|claimed| is_hmac(&claimed, secret.text.as_bytes(), &[body]))
}

/// webhook-signature (Standard Webhooks): one or more base64 HMACs of id.timestamp.body, keyed with the decoded secret.
fn is_signed_as_standard(signatures: &str, secret: &Secret, id: &str, timestamp: &str, body: &[u8]) -> bool {
    let now = UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_secs());
    let is_recent = timestamp.parse::<u64>().is_ok_and(|seconds| now.abs_diff(seconds) <= TOLERANCE);
    let head = format!("{id}.{timestamp}.");
    let claimed = signatures.split(' ').filter_map(|part| STANDARD.decode(part.strip_prefix("v1,")?).ok());
    is_recent && claimed.into_iter().any(|claimed| is_hmac(&claimed, &secret.key, &[head.as_bytes(), body]))
}

async fn receive(request: HttpRequest, body: web::Bytes, secret: web::Data<Secret>) -> HttpResponse {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (id, timestamp) = (header("webhook-id"), header("webhook-timestamp"));
    if !is_signed(header("X-ARAF-Signature"), &secret, &body)
        || !is_signed_as_standard(header("webhook-signature"), &secret, id, timestamp, &body)
    {
        return HttpResponse::Unauthorized().finish();
    }
    // Answer within 15 seconds; do the work afterwards.
    if let Ok(push) = serde_json::from_slice::<serde_json::Value>(&body) {
        println!("verified {} {}", push["event"].as_str().unwrap_or_default(), header("X-ARAF-Delivery"));
    }
    HttpResponse::Ok().finish()
}

#[actix_web::main]
async fn main() -> io::Result<()> {
    let secret = web::Data::new(Secret::read(env::var("ARAF_SECRET").unwrap_or_default())?);
    let port = env::var("PORT").ok().and_then(|port| port.parse().ok()).unwrap_or(8099);
    let server = HttpServer::new(move || {
        let limit = web::PayloadConfig::new(BODY_MAX);
        App::new().app_data(secret.clone()).app_data(limit).default_service(web::to(receive))
    });
    let server = server.workers(1).bind(("127.0.0.1", port))?;
    for address in server.addrs() {
        println!("listening on {}", address.port());
    }
    server.run().await
}
