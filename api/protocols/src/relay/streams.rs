//! Streams of envelopes as Server-Sent Events and over a WebSocket.
//!
//! A stream is a sequence of polls. The next poll runs when the client has received the previous result, so the server
//! buffers nothing for slow clients.

use std::{convert::Infallible, fmt::Write, sync::Arc, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header,
    web::{Bytes, Payload},
};
use actix_ws::{AggregatedMessage, CloseCode, CloseReason, Session};
use buildtrack_http::{app::App, frames::Messages, problem::Problem, streaming::Permit};
use buildtrack_store::clock::jitter;
use futures_util::{Stream, StreamExt, stream};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::{
    Relay,
    polling::{From, Page, PollQuery, poll},
    schemas::raw,
};

/// Fraction of the maximum age by which streams may end earlier, so that clients do not reconnect at the same time.
const AGE_SPREAD: f64 = 0.1;
/// Maximum bytes of a message from the client, which the server ignores.
const MESSAGE: usize = 1024;

/// A stream's position, filter and end time.
pub(super) struct Following {
    app: Arc<App>,
    relay: Arc<Relay>,
    query: PollQuery,
    ends_at: Instant,
    _permit: Permit,
}

impl Following {
    /// Begins at the query's position.
    pub(super) fn new((app, relay): (Arc<App>, Arc<Relay>), query: PollQuery, permit: Permit) -> Self {
        let age = Duration::from_secs(app.settings.live_age.get().into()).mul_f64(1.0 - AGE_SPREAD * jitter());
        let wait = Duration::from_secs(app.settings.live_keep_alive.get().into());
        Self { app, relay, query: PollQuery { wait, ..query }, ends_at: Instant::now() + age, _permit: permit }
    }

    /// The next envelopes, or an empty page after the keep-alive time; none at the end of the stream.
    async fn next(&mut self) -> Option<Result<Page, Problem>> {
        if self.app.stopping.is_cancelled() || Instant::now() >= self.ends_at {
            return None;
        }
        let page = poll(&self.app.store, &self.relay.waiters, &self.query, &self.app.stopping).await;
        if let Ok(page) = &page {
            self.query.from = From::Cursor(page.cursor);
        }
        Some(page)
    }
}

/// Streams envelopes as Server-Sent Events, each with its cursor as `id`.
pub(super) fn server_sent(following: Following) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.content_type("text/event-stream").insert_header((header::CACHE_CONTROL, "no-store"));
    // Prevents proxies from buffering the stream.
    response.insert_header(("x-accel-buffering", "no")).force_close();
    response.streaming(frames(following))
}

fn frames(following: Following) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let greeting = stream::once(async { Ok(Bytes::from_static(b": envelopes\n\n")) });
    let frames = stream::unfold(following, async |mut following| {
        // The stream ends on an error; the client reconnects with its last id.
        let page = following.next().await?.ok()?;
        Some((Ok(frame(&page)), following))
    });
    greeting.chain(frames)
}

fn frame(page: &Page) -> Bytes {
    if page.events.is_empty() {
        return Bytes::from_static(b": keep-alive\n\n");
    }
    let mut text = String::new();
    for event in &page.events {
        let kind = event.accepted.envelope.header().map_or("", |header| header.kind.as_str());
        // Writing to a string cannot fail; the canonical form of JSON is one line.
        let _ = write!(text, "id: {}\nevent: {kind}\ndata: {}\n\n", event.position, event.accepted.envelope.as_str());
    }
    text.into()
}

/// An envelope over a WebSocket.
#[derive(Serialize)]
struct Message {
    cursor: String,
    event: Box<RawValue>,
}

/// Streams envelopes over a WebSocket (RFC 6455), one text message each: `{"cursor": …, "event": …}`. The server
/// ignores messages from the client.
pub(super) fn web_socket(
    request: &HttpRequest,
    payload: Payload,
    following: Following,
) -> Result<HttpResponse, Problem> {
    let (response, session, messages) =
        actix_ws::handle(request, payload).map_err(|error| Problem::internal(&error))?;
    actix_web::rt::spawn(converse(session, Messages::of(messages, MESSAGE).unread(), following));
    Ok(response)
}

async fn converse(mut session: Session, mut messages: Messages, mut following: Following) {
    let stopping = following.app.stopping.clone();
    let reason = loop {
        tokio::select! {
            page = following.next() => match page {
                Some(Ok(page)) => if send_page(&mut session, &page).await.is_err() { return },
                Some(Err(problem)) => break CloseReason { code: CloseCode::Policy, description: Some(problem.code) },
                None => break CloseReason { code: CloseCode::Away, description: None },
            },
            message = messages.next() => match message {
                Some(Ok(AggregatedMessage::Ping(bytes))) => if session.pong(&bytes).await.is_err() { return },
                Some(Err(broken)) => return drop(session.close(broken.reason()).await),
                Some(Ok(AggregatedMessage::Close(_))) | None => return drop(session.close(None).await),
                Some(Ok(_)) => {}
            },
            () = stopping.cancelled() => break CloseReason { code: CloseCode::Restart, description: None },
        }
    };
    // A disconnected client does not receive the close message.
    drop(session.close(Some(reason)).await);
}

async fn send_page(session: &mut Session, page: &Page) -> Result<(), actix_ws::Closed> {
    if page.events.is_empty() {
        return session.ping(b"").await;
    }
    for event in &page.events {
        let message = Message { cursor: event.position.to_string(), event: raw(event) };
        session.text(serde_json::to_string(&message).unwrap_or_default()).await?;
    }
    Ok(())
}
