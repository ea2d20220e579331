//! Requests on their way: which bytes of a connection belong to the current one, and whether its body is still arriving.
//!
//! The bytes themselves are counted where they are read, because a request is in memory before its head is complete.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use actix_http::{Payload, Request, error::PayloadError};
use actix_web::{
    http::header::{CONTENT_LENGTH, TRANSFER_ENCODING},
    web::Bytes,
};
use futures_util::Stream;

use super::{Connection, connection::FREE_BYTES};

/// Bytes of a header line beside its name and value.
const SEPARATORS: usize = 4;

/// The bytes that the head of a request took, at least.
pub(super) fn head_bytes(request: &Request) -> usize {
    let head = request.head();
    let lines: usize = head.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + SEPARATORS).sum();
    head.method.as_str().len() + request.uri().path_and_query().map_or(0, |path| path.as_str().len()) + lines
}

/// Notes when a body has arrived, unless it is a short one.
pub(super) fn watch_body(request: &mut Request, connection: &Arc<Connection>) {
    let headers = request.head().headers();
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let long = length.map_or_else(|| headers.contains_key(TRANSFER_ENCODING), |bytes: usize| bytes > FREE_BYTES);
    if long {
        connection.expect_body();
        let payload = request.take_payload();
        let body = Arriving { payload, connection: Arc::clone(connection) };
        *request.payload() = Payload::Stream { payload: Box::pin(body) };
    }
}

/// A body whose end its connection learns.
struct Arriving {
    payload: Payload,
    connection: Arc<Connection>,
}

impl Stream for Arriving {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = ready!(Pin::new(&mut self.payload).poll_next(context));
        match &piece {
            Some(Ok(bytes)) => self.connection.receive(bytes.len()),
            _ => self.connection.body_arrived(),
        }
        Poll::Ready(piece)
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        self.connection.body_arrived();
    }
}
