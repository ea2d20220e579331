//! A webhook receiver, as an agent would run it: it verifies the signature (seed: «Receive events»), answers at once, and
//! hands the push to another task.

use std::{
    net::Ipv4Addr,
    sync::{Arc, OnceLock},
};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    dev::ServerHandle,
    http::header::HeaderMap,
    web::{Bytes, Data, post},
};
use buildtrack_commands::CommandError;
use buildtrack_domain::webhooks::araf_signature;
use tokio::sync::mpsc;

const PATH: &str = "/araf/webhook";

/// A received push.
#[derive(Debug)]
pub(crate) struct Push {
    /// The relevant headers, one per line.
    pub(crate) headers: String,
    /// The exact signed text.
    pub(crate) body: String,
    /// Whether the signature matches the body.
    pub(crate) genuine: bool,
}

/// A receiver that listens on this machine.
#[derive(Debug)]
pub(crate) struct Receiver {
    /// The URL for pushes.
    pub(crate) url: String,
    /// The received pushes.
    pub(crate) pushes: mpsc::UnboundedReceiver<Push>,
    secret: Arc<OnceLock<String>>,
    handle: ServerHandle,
}

struct Desk {
    secret: Arc<OnceLock<String>>,
    pushes: mpsc::UnboundedSender<Push>,
}

impl Receiver {
    /// Starts to listen on a port that the system chooses.
    pub(crate) fn start() -> Result<Self, CommandError> {
        let failed = |error: std::io::Error| CommandError::Failed(format!("the receiver cannot listen: {error}"));
        let (sender, pushes) = mpsc::unbounded_channel();
        let secret = Arc::new(OnceLock::new());
        let desk = Data::new(Desk { secret: secret.clone(), pushes: sender });
        let server = HttpServer::new(move || App::new().app_data(desk.clone()).route(PATH, post().to(receive)))
            .workers(1)
            .disable_signals()
            .bind((Ipv4Addr::LOCALHOST, 0))
            .map_err(failed)?;
        let url = server.addrs().first().map(|address| format!("http://{address}{PATH}")).unwrap_or_default();
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        Ok(Self { url, pushes, secret, handle })
    }

    /// Sets the agent's secret, which exists only after the registration. Until then the receiver rejects every push.
    pub(crate) fn trust(&self, secret: String) {
        // The demo registers this receiver with one agent only, so that a second secret cannot occur.
        drop(self.secret.set(secret));
    }

    pub(crate) async fn stop(self) {
        self.handle.stop(false).await;
    }
}

async fn receive(request: HttpRequest, body: Bytes, desk: Data<Desk>) -> HttpResponse {
    let signature = request.headers().get("x-araf-signature").and_then(|value| value.to_str().ok());
    let genuine = desk.secret.get().is_some_and(|secret| signature == Some(&araf_signature(secret, &body)));
    let body = String::from_utf8_lossy(&body).into_owned();
    // The channel is closed if the demo is ending.
    drop(desk.pushes.send(Push { headers: shown(request.headers()), body, genuine }));
    if genuine { HttpResponse::Ok().finish() } else { HttpResponse::Unauthorized().finish() }
}

fn shown(headers: &HeaderMap) -> String {
    let mut lines: Vec<_> = headers
        .iter()
        .filter(|(name, _)| ["content-type", "user-agent"].contains(&name.as_str()) || name.as_str().starts_with("x-"))
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap_or_default()))
        .collect();
    lines.sort();
    lines.join("\n")
}

/// Formats a JSON text over several lines. Names keep their order, strings their bytes.
pub(crate) fn laid_out(json: &str) -> String {
    let (mut text, mut depth, mut quoted, mut escaped) = (String::new(), 0, false, false);
    let line = |depth: usize| format!("\n{}", "  ".repeat(depth));
    for character in json.chars() {
        match character {
            '{' | '[' if !quoted => {
                depth += 1;
                text.push(character);
                text += &line(depth);
            }
            '}' | ']' if !quoted => {
                depth -= 1;
                text += &line(depth);
                text.push(character);
            }
            ',' if !quoted => {
                text.push(character);
                text += &line(depth);
            }
            ':' if !quoted => text += ": ",
            _ => {
                quoted ^= character == '"' && !escaped;
                text.push(character);
            }
        }
        escaped = character == '\\' && !escaped;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_order_and_strings_their_bytes() {
        assert_eq!(
            laid_out(r#"{"b":"{,\"\\","a":{"c":1,"d":[true]}}"#),
            "{\n  \"b\": \"{,\\\"\\\\\",\n  \"a\": {\n    \"c\": 1,\n    \"d\": [\n      true\n    ]\n  }\n}"
        );
    }
}
