//! The WebSocket of EvalDuel, over a connection of the HTTP client: with the same TLS, certificates and proxies as every request.

use std::time::Duration;

use base64::{Engine, prelude::BASE64_STANDARD};
use reqwest::{
    StatusCode, Upgraded,
    header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE},
};
use tokio::time::timeout;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        handshake::derive_accept_key,
        protocol::{Role, WebSocketConfig},
    },
};

use crate::{
    client::{Client, unexpected},
    failure::Failure,
    transport::{http_client, refusal},
};

/// How long a handshake may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// The bytes of a message: a task with the earlier turns of its match.
const MESSAGE_MAX: usize = 4 * 1024 * 1024;

/// An open socket.
pub(super) type Socket = WebSocketStream<Upgraded>;

/// Opens the socket with a session's token (RFC 6455, section 4.1).
pub(super) async fn connect(client: &Client<'_>, token: &str) -> Result<Socket, Failure> {
    let transport = client.transport();
    let server = transport.server();
    // WebSockets are upgrades of HTTP/1.1.
    let http = http_client(server, reqwest::ClientBuilder::http1_only)?;
    let random = (client.surroundings.random)();
    let key = BASE64_STANDARD.encode(random.get(..16).unwrap_or(&random));
    let request = http
        .get(format!("{server}/agent/connect"))
        .bearer_auth(token)
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header(SEC_WEBSOCKET_VERSION, "13")
        .header(SEC_WEBSOCKET_KEY, &key);
    let late = |_| Failure::Unreachable(format!("{server} does not answer the handshake in time"));
    let answer =
        timeout(PATIENCE, request.send()).await.map_err(late)?.map_err(|error| transport.unreachable(error))?;
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Err(refusal(answer).await);
    }
    let accepted = answer.headers().get(SEC_WEBSOCKET_ACCEPT).map(|value| value.as_bytes().to_vec());
    if accepted != Some(derive_accept_key(key.as_bytes()).into_bytes()) {
        return Err(unexpected("a wrong Sec-WebSocket-Accept"));
    }
    let upgraded = answer.upgrade().await.map_err(|error| transport.unreachable(error))?;
    let config = WebSocketConfig::default().max_message_size(Some(MESSAGE_MAX)).max_frame_size(Some(MESSAGE_MAX));
    Ok(WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await)
}
