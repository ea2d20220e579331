//! The server's side of the handshake: the agent connects to `/agent/connect`, as it would to a real server.

use std::net::SocketAddr;

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    dev::ServerHandle,
    http::StatusCode,
    rt,
    web::{self, Data, Payload},
};
use actix_ws::{AggregatedMessage, CloseCode, CloseReason, Session};
use buildtrack_arena::socket::{MESSAGE_MAX, problem::upgrade_required};
use buildtrack_http::{
    auth::unauthenticated,
    frames::{Broken, Messages},
    guard::bearer,
    problem::Problem,
    query::Parameters,
};
use tokio::sync::mpsc;

/// Messages and connections that wait for the check.
const WAITING: usize = 64;

/// What the agent does at the address.
pub(super) enum Arrival {
    /// It connected. `in_query` says where its token was.
    Connected { link: Link, in_query: bool },
    /// Its handshake was refused: the status, and why.
    Refused(u16, String),
}

/// A connection of the agent.
pub(super) struct Link {
    orders: mpsc::Sender<Order>,
    /// What the agent sends. It ends with the connection.
    pub(super) heard: mpsc::Receiver<Frame>,
}

/// What the agent sends.
pub(super) enum Frame {
    Text(String),
    Binary,
    /// More bytes than the server reads.
    TooLarge,
}

enum Order {
    Send(String),
    Close(CloseCode, &'static str),
}

impl Link {
    /// Sends a message. A connection that has ended takes none.
    pub(super) async fn send(&self, text: String) {
        drop(self.orders.send(Order::Send(text)).await);
    }

    /// Closes the connection.
    pub(super) async fn close(self, code: CloseCode, reason: &'static str) {
        drop(self.orders.send(Order::Close(code, reason)).await);
    }
}

/// Waits for the agent.
pub(super) struct Listener {
    /// The address to which it connects.
    pub(super) address: SocketAddr,
    pub(super) arrivals: mpsc::Receiver<Arrival>,
    handle: ServerHandle,
}

/// What the handshake needs.
struct Door {
    token: String,
    arrivals: mpsc::Sender<Arrival>,
}

impl Listener {
    /// Listens on an address. An error says why it cannot.
    pub(super) fn start(address: SocketAddr, token: String) -> Result<Self, String> {
        let (sender, arrivals) = mpsc::channel(WAITING);
        let door = Data::new(Door { token, arrivals: sender });
        let server =
            HttpServer::new(move || App::new().app_data(door.clone()).route("/agent/connect", web::get().to(connect)));
        let bound = server.workers(1).disable_signals().bind(address);
        let server = bound.map_err(|error| format!("{address}: {error}; choose another --listen"))?;
        let address = server.addrs().first().copied().unwrap_or(address);
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        Ok(Self { address, arrivals, handle })
    }

    pub(super) async fn stop(self) {
        self.handle.stop(false).await;
    }
}

async fn connect(request: HttpRequest, payload: Payload, door: Data<Door>) -> Result<HttpResponse, Problem> {
    match open(&request, payload, &door) {
        Ok((response, arrival)) => {
            drop(door.arrivals.send(arrival).await);
            Ok(response)
        }
        Err(problem) => {
            drop(door.arrivals.send(Arrival::Refused(problem.status, problem.detail.clone())).await);
            Err(problem)
        }
    }
}

fn open(request: &HttpRequest, payload: Payload, door: &Door) -> Result<(HttpResponse, Arrival), Problem> {
    let mut parameters = Parameters::among(request, &["token"]);
    let in_query = parameters.text("token");
    parameters.finish()?;
    let in_header = bearer(request).filter(|token| !token.is_empty() || in_query.is_none()).map(ToOwned::to_owned);
    let is_in_query = in_header.is_none();
    let token = in_header.or(in_query).ok_or_else(unauthenticated)?;
    if token != door.token {
        return Err(other_token());
    }
    if !request.headers().contains_key("sec-websocket-key") {
        return Err(upgrade_required());
    }
    let handled = actix_ws::handle(request, payload);
    let (response, session, messages) = handled.map_err(|error| Problem::internal(&error))?;
    let messages = Messages::of(messages, MESSAGE_MAX);
    let (orders, ordered) = mpsc::channel(WAITING);
    let (sender, heard) = mpsc::channel(WAITING);
    rt::spawn(pass_on(session, messages, ordered, sender));
    Ok((response, Arrival::Connected { link: Link { orders, heard }, in_query: is_in_query }))
}

fn other_token() -> Problem {
    let detail = "The token is not the one that this check printed.";
    Problem::new(StatusCode::UNAUTHORIZED, "invalid_token", detail, "Start the agent with the token of this check.")
}

/// Passes messages on in both directions until the connection ends.
async fn pass_on(
    mut session: Session,
    mut messages: Messages,
    mut orders: mpsc::Receiver<Order>,
    heard: mpsc::Sender<Frame>,
) {
    // After a message that is too large, nothing more is read: the check explains the fault, and closes.
    let mut is_reading = true;
    loop {
        tokio::select! {
            order = orders.recv() => match order {
                Some(Order::Send(text)) => if session.text(text).await.is_err() { return },
                Some(Order::Close(code, reason)) => {
                    let reason = CloseReason { code, description: Some(reason.to_owned()) };
                    return drop(session.close(Some(reason)).await);
                }
                None => return drop(session.close(None).await),
            },
            message = messages.next(), if is_reading => {
                let frame = match message {
                    Some(Ok(AggregatedMessage::Text(text))) => Frame::Text(text.to_string()),
                    Some(Ok(AggregatedMessage::Binary(_))) => Frame::Binary,
                    Some(Err(Broken::TooLarge)) => {
                        is_reading = false;
                        Frame::TooLarge
                    }
                    Some(Ok(AggregatedMessage::Ping(bytes))) => {
                        if session.pong(&bytes).await.is_err() { return }
                        continue;
                    }
                    Some(Ok(AggregatedMessage::Pong(_))) => continue,
                    Some(Err(broken)) => return drop(session.close(broken.reason()).await),
                    Some(Ok(AggregatedMessage::Close(_))) | None => return drop(session.close(None).await),
                };
                if heard.send(frame).await.is_err() {
                    return drop(session.close(None).await);
                }
            }
        }
    }
}
