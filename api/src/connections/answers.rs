//! Answers on their way: handed to the connection in slices, and counted as long as they are in memory.
//!
//! actix-http copies each chunk of a body into the connection's buffer. A body in one piece would be there a second time, for each
//! client that does not read.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use actix_http::Request;
use actix_web::{
    body::{BodySize, BoxBody, MessageBody},
    dev::{Response, ServiceResponse},
    http::StatusCode,
    web::Bytes,
};

use super::{
    Connection,
    connection::FREE_BYTES,
    requests::{head_bytes, watch_body},
};

/// Bytes of a body that a connection copies at a time, and of the largest body that is not counted.
const SLICE: usize = 32 * 1024;

/// A request whose answer is not sent yet.
pub(crate) struct Exchange {
    connection: Option<Arc<Connection>>,
    /// Bytes of the request's head.
    head: usize,
    /// Bytes of the answer that are counted.
    held: usize,
}

impl Exchange {
    /// The head of a request is complete.
    pub(crate) fn begin(request: &mut Request) -> Self {
        let connection = request.conn_data::<Arc<Connection>>().map(Arc::clone);
        let mut head = 0;
        if let Some(connection) = &connection {
            // All of a few bytes are this request's.
            head = Some(connection.begin()).filter(|read| *read <= FREE_BYTES).unwrap_or_else(|| head_bytes(request));
            watch_body(request, connection);
        }
        Self { connection, head, held: 0 }
    }

    fn hold(&mut self, bytes: usize) {
        if let Some(connection) = &self.connection {
            connection.hold(bytes);
            self.held += bytes;
        }
    }

    fn release(&mut self, bytes: usize) {
        let bytes = bytes.min(self.held);
        if let Some(connection) = self.connection.as_ref().filter(|_| bytes > 0) {
            connection.release(bytes);
            self.held -= bytes;
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.release(self.held);
        if let Some(connection) = &self.connection {
            connection.finish(self.head);
        }
    }
}

/// The body of an answer, in slices.
pub(crate) struct Sliced {
    body: BoxBody,
    rest: Bytes,
    exchange: Exchange,
}

/// The answer to a request, ready for the connection.
pub(crate) fn answer(response: ServiceResponse<BoxBody>, mut exchange: Exchange) -> Response<Sliced> {
    Response::from(response).map_body(|head, body| {
        if let Some(connection) =
            exchange.connection.as_ref().filter(|_| head.status == StatusCode::SWITCHING_PROTOCOLS)
        {
            connection.upgrade();
        }
        if let BodySize::Sized(bytes) = body.size() {
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
            if bytes > SLICE {
                exchange.hold(bytes);
            }
        }
        Sliced { body, rest: Bytes::new(), exchange }
    })
}

impl MessageBody for Sliced {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let body = self.get_mut();
        if body.rest.is_empty() {
            match ready!(Pin::new(&mut body.body).poll_next(context)) {
                Some(Ok(bytes)) => {
                    // A long piece of a stream, whose length was not known before.
                    if bytes.len() > SLICE.max(body.exchange.held) {
                        body.exchange.hold(bytes.len() - body.exchange.held);
                    }
                    body.rest = bytes;
                }
                other => return Poll::Ready(other),
            }
        }
        let slice = body.rest.split_to(body.rest.len().min(SLICE));
        body.exchange.release(slice.len());
        Poll::Ready(Some(Ok(slice)))
    }
}
