//! A socket that notes the progress of its client, and ends with an error when its connection is ended.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use actix_web::rt::net::TcpStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{Connection, ConnectionPermit};

/// A socket of a client.
pub(crate) struct Paced {
    socket: TcpStream,
    permit: ConnectionPermit,
    /// Bytes of the write that waits for the client, if one does.
    waiting: Option<usize>,
}

impl Paced {
    pub(crate) fn new(socket: TcpStream, permit: ConnectionPermit) -> Self {
        Self { socket, permit, waiting: None }
    }

    pub(crate) fn socket(&self) -> &TcpStream {
        &self.socket
    }

    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.permit.connection
    }

    fn in_pace(&self) -> io::Result<()> {
        if self.connection().is_ended() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }

    /// The system has no room for more bytes: from now on the client's pace counts.
    fn wait(&mut self, context: &Context<'_>, bytes: usize) {
        if self.waiting.is_none() {
            self.waiting = Some(bytes);
            self.connection().block();
            self.connection().hold(bytes);
        }
        self.connection().task.register(context.waker());
    }

    /// The client took some bytes of a write that waited.
    fn move_on(&mut self, written: usize, of: usize) {
        let Some(bytes) = self.waiting else { return };
        self.connection().wrote(written);
        if written == of {
            self.waiting = None;
            self.connection().unblock();
            self.connection().release(bytes);
        }
    }
}

impl AsyncRead for Paced {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.socket).poll_read(context, buffer);
        let arrived = buffer.filled().len() - before;
        if read.is_pending() {
            // Registered first, so that the end cannot be missed.
            self.connection().task.register(context.waker());
            self.in_pace()?;
        } else if arrived > 0 {
            self.connection().hear(arrived);
        }
        read
    }
}

impl AsyncWrite for Paced {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.waiting.is_some() {
            self.in_pace()?;
        }
        let Poll::Ready(written) = Pin::new(&mut self.socket).poll_write(context, bytes) else {
            self.wait(context, bytes.len());
            self.in_pace()?;
            return Poll::Pending;
        };
        let written = written?;
        self.move_on(written, bytes.len());
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
