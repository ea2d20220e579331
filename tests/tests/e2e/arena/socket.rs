//! A client of EvalDuel's socket.

use std::time::Duration;

use buildtrack_tests::{Agent, TestApp, events};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Error, Message, client::IntoClientRequest, http::Response},
};

use super::answer_to;

/// How long a message may take to arrive.
const PATIENCE: Duration = Duration::from_secs(20);

/// An agent with an open socket.
pub(crate) struct Duelist {
    /// `agt_…`
    pub(crate) id: String,
    /// The first message.
    pub(crate) hello: Value,
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Duelist {
    /// Connects with the agent's session token in the header, and reads the first message.
    pub(crate) async fn connect(app: &TestApp, agent: &Agent) -> Self {
        Self::with_token(&app.url(), &agent.token).await
    }

    /// Connects to any server with any token in the header.
    pub(crate) async fn with_token(url: &str, token: &str) -> Self {
        Self::open(&address(url), Some(token)).await.expect("the socket opens")
    }

    /// Connects to an address, with a token in the header if it is given; or returns the refusal.
    pub(crate) async fn open(address: &str, token: Option<&str>) -> Result<Self, Response<Option<Vec<u8>>>> {
        Self::authorized(address, token.map(|token| format!("Bearer {token}")).as_deref()).await
    }

    /// The same, with any text in the header.
    pub(crate) async fn authorized(address: &str, header: Option<&str>) -> Result<Self, Response<Option<Vec<u8>>>> {
        let mut request = address.into_client_request().unwrap();
        if let Some(header) = header {
            request.headers_mut().insert("authorization", header.parse().unwrap());
        }
        match timeout(PATIENCE, connect_async(request)).await.expect("an answer to the handshake") {
            Ok((stream, _)) => {
                let mut duelist = Self { id: String::new(), hello: Value::Null, stream };
                duelist.hello = duelist.expect("evalduel.hello").await;
                duelist.id = duelist.hello["agent_id"].as_str().unwrap().to_owned();
                Ok(duelist)
            }
            Err(Error::Http(refusal)) => Err(*refusal),
            Err(error) => panic!("{address}: {error}"),
        }
    }

    /// The next message.
    pub(crate) async fn next(&mut self) -> Value {
        loop {
            match timeout(PATIENCE, self.stream.next()).await.expect("a message comes in time") {
                Some(Ok(Message::Text(text))) => {
                    let message = serde_json::from_str(&text).unwrap();
                    events::check_duel(&message);
                    return message;
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("{}: no message, but {other:?}", self.id),
            }
        }
    }

    /// The next message, which must have this type.
    #[track_caller]
    pub(crate) fn expect(&mut self, message_type: &str) -> impl Future<Output = Value> {
        let message_type = message_type.to_owned();
        async move {
            let message = self.next().await;
            assert_eq!(message["type"], *message_type, "{}: {message}", self.id);
            message
        }
    }

    /// The code of the next message, which must be an error.
    pub(crate) async fn error(&mut self) -> String {
        self.expect("evalduel.error").await["code"].as_str().unwrap().to_owned()
    }

    /// The code and the reason with which the server closes the socket.
    pub(crate) async fn closed(&mut self) -> (u16, String) {
        loop {
            match timeout(PATIENCE, self.stream.next()).await.expect("the socket is closed in time") {
                Some(Ok(Message::Close(Some(frame)))) => return (frame.code.into(), frame.reason.to_string()),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("{}: not closed, but {other:?}", self.id),
            }
        }
    }

    /// The reason with which the server closes the socket, perhaps after an error with this code.
    pub(crate) async fn closed_or_refused(&mut self, code: &str) -> String {
        loop {
            match timeout(PATIENCE, self.stream.next()).await.expect("the socket is closed in time") {
                Some(Ok(Message::Close(Some(frame)))) => return frame.reason.to_string(),
                Some(Ok(Message::Text(text))) => {
                    let message: Value = serde_json::from_str(&text).unwrap();
                    assert_eq!((&message["type"], &message["code"]), (&"evalduel.error".into(), &code.into()));
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("{}: not closed, but {other:?}", self.id),
            }
        }
    }

    /// Sends a JSON message.
    pub(crate) async fn send(&mut self, message: Value) {
        self.send_frame(Message::text(message.to_string())).await;
    }

    /// Sends any frame.
    pub(crate) async fn send_frame(&mut self, frame: Message) {
        self.stream.send(frame).await.unwrap();
    }

    /// Sends a message, and returns the next one.
    pub(crate) async fn ask(&mut self, message: Value) -> Value {
        self.send(message).await;
        self.next().await
    }

    /// Fails if a message waits: the next one is the answer to a ping.
    pub(crate) async fn expect_silence(&mut self) {
        let pong = self.ask(json!({ "type": "evalduel.ping", "id": "silence" })).await;
        assert_eq!((&pong["type"], &pong["id"]), (&"evalduel.pong".into(), &"silence".into()), "{pong}");
    }

    /// Joins the queue.
    pub(crate) async fn join(&mut self) -> Value {
        self.ask(json!({ "type": "evalduel.queue.join", "mode": "ranked" })).await
    }

    /// The next message, which must be the request of a turn.
    pub(crate) async fn request(&mut self) -> Value {
        self.expect("evalduel.match.request").await
    }

    /// Answers a request with this output.
    pub(crate) async fn respond(&mut self, request: &Value, output: &str) {
        self.send(response(request, output)).await;
    }

    /// Answers a request rightly or wrongly.
    pub(crate) async fn solve(&mut self, request: &Value, right: bool) {
        self.respond(request, &answer_to(request["task"]["id"].as_str().unwrap(), right)).await;
    }

    /// Answers the requests that come, all rightly or all wrongly, until it has answered this turn.
    pub(crate) async fn play_turn(&mut self, turn: u64, right: bool) {
        loop {
            let request = self.request().await;
            self.solve(&request, right).await;
            if request["turn_number"].as_u64() >= Some(turn) {
                return;
            }
        }
    }

    /// Answers the requests of a match, all rightly or all wrongly, until its result, which is returned.
    pub(crate) async fn play(&mut self, right: bool) -> Value {
        loop {
            let message = self.next().await;
            match message["type"].as_str().unwrap() {
                "evalduel.match.request" => self.solve(&message, right).await,
                "evalduel.match.result" => return message,
                _ => panic!("{}: {message}", self.id),
            }
        }
    }

    /// Closes the socket properly, and waits for the server's close.
    pub(crate) async fn leave(mut self) {
        self.stream.close(None).await.unwrap();
        while let Some(Ok(_)) = timeout(PATIENCE, self.stream.next()).await.expect("the socket is closed in time") {}
    }
}

/// The answer to a request.
pub(crate) fn response(request: &Value, output: &str) -> Value {
    json!({
        "type": "evalduel.match.response", "match_id": request["match_id"], "turn_id": request["turn_id"], "output": output
    })
}

/// The socket's address at a server.
pub(crate) fn address(url: &str) -> String {
    format!("{}/agent/connect", url.replacen("http", "ws", 1))
}
