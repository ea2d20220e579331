//! Polls that do not end: the same envelopes by the same cursor, as Server-Sent Events and over a WebSocket.
//!
//! Each is a poll after the other, made when the client has taken what it got before: nothing is kept for a slow one.

use std::{convert::Infallible, fmt::Write, sync::Arc, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header,
    web::{Bytes, Payload},
};
use actix_ws::{AggregatedMessage, CloseCode, CloseReason, Session};
use buildtrack_store::clock::jitter;
use futures_util::{Stream, StreamExt, stream};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::{
    polling::{From, Page, Wish, poll},
    schemas::raw,
};
use crate::{
    app::App,
    http::{problem::Problem, streaming::Place},
};

/// The part of their age by which streams may end before it.
const AGE_SPREAD: f64 = 0.1;
/// Bytes of a message from the client; nothing is expected of it.
const MESSAGE: usize = 1024;

/// A cursor on the envelopes that somebody wants.
pub(super) struct Following {
    app: Arc<App>,
    wish: Wish,
    ends_at: Instant,
    _place: Place,
}

impl Following {
    /// Begins where the wish says.
    pub(super) fn new(app: Arc<App>, wish: Wish, place: Place) -> Self {
        let age = Duration::from_secs(app.settings.live_age.get().into()).mul_f64(1.0 - AGE_SPREAD * jitter());
        let wait = Duration::from_secs(app.settings.live_keep_alive.get().into());
        Self { app, wish: Wish { wait, ..wish }, ends_at: Instant::now() + age, _place: place }
    }

    /// What comes next, or nothing where nothing has come for a while; none at the end.
    async fn next(&mut self) -> Option<Result<Page, Problem>> {
        if self.app.stopping.is_cancelled() || Instant::now() >= self.ends_at {
            return None;
        }
        let page = poll(&self.app.store, &self.app.relay.waiters, &self.wish, &self.app.stopping).await;
        if let Ok(page) = &page {
            self.wish.from = From::Cursor(page.cursor);
        }
        Some(page)
    }
}

/// Gives envelopes as Server-Sent Events, each with its cursor as `id`.
pub(super) fn server_sent(following: Following) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.content_type("text/event-stream").insert_header((header::CACHE_CONTROL, "no-store"));
    // Proxies that gather answers would keep it to themselves.
    response.insert_header(("x-accel-buffering", "no")).force_close();
    response.streaming(frames(following))
}

fn frames(following: Following) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let greeting = stream::once(async { Ok(Bytes::from_static(b": envelopes\n\n")) });
    let frames = stream::unfold(following, async |mut following| {
        // The client comes back with the last id it got.
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
        // Writing to a text does not fail; the canonical form of JSON is one line.
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

/// Gives envelopes over a WebSocket (RFC 6455), a text message each: `{"cursor": …, "event": …}`. What the client sends is
/// not looked at.
pub(super) fn web_socket(
    request: &HttpRequest,
    payload: Payload,
    following: Following,
) -> Result<HttpResponse, Problem> {
    let (response, session, messages) =
        actix_ws::handle(request, payload).map_err(|error| Problem::internal(&error))?;
    let messages = messages.max_frame_size(MESSAGE).aggregate_continuations().max_continuation_size(MESSAGE);
    actix_web::rt::spawn(converse(session, messages, following));
    Ok(response)
}

async fn converse(mut session: Session, mut messages: actix_ws::AggregatedMessageStream, mut following: Following) {
    let stopping = following.app.stopping.clone();
    let reason = loop {
        tokio::select! {
            page = following.next() => match page {
                Some(Ok(page)) => if tell(&mut session, &page).await.is_err() { return },
                Some(Err(problem)) => break CloseReason { code: CloseCode::Policy, description: Some(problem.code) },
                None => break CloseReason { code: CloseCode::Away, description: None },
            },
            message = messages.next() => match message {
                Some(Ok(AggregatedMessage::Ping(bytes))) => if session.pong(&bytes).await.is_err() { return },
                Some(Ok(AggregatedMessage::Close(_)) | Err(_)) | None => return drop(session.close(None).await),
                Some(Ok(_)) => {}
            },
            () = stopping.cancelled() => break CloseReason { code: CloseCode::Restart, description: None },
        }
    };
    // A client that is gone already does not hear it.
    drop(session.close(Some(reason)).await);
}

async fn tell(session: &mut Session, page: &Page) -> Result<(), actix_ws::Closed> {
    if page.events.is_empty() {
        return session.ping(b"").await;
    }
    for event in &page.events {
        let message = Message { cursor: event.position.to_string(), event: raw(event) };
        session.text(serde_json::to_string(&message).unwrap_or_default()).await?;
    }
    Ok(())
}
