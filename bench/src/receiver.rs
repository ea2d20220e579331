//! A fast receiver of pushes: HTTP/1.1 with keep-alive, an immediate 204, and a separate address for each listener.
//!
//! It runs on its own thread, so that the load does not delay its timestamps. Listeners have different ports, as endpoints of
//! different agents have different hosts, so that each has its own connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use crate::ledger::{Ledger, parse};

const ANSWER: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";
const MOST_HEADERS: usize = 64;
/// The text before the number in the body of a push.
const CONTENT: &[u8] = b"\"content\":\"";
/// Upper bound of a push; real pushes are much smaller.
const LONGEST_PUSH: usize = 1024 * 1024;

/// The receiver; dropping it closes all its connections.
pub(crate) struct Receiver {
    /// By the number of the listener.
    pub(crate) addresses: Vec<SocketAddr>,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    ledger: Arc<Ledger>,
    /// Number of listeners, from the first, that read a push and never answer.
    hanging: AtomicU16,
    hung: AtomicU64,
    connections: AtomicU64,
}

impl Receiver {
    pub(crate) fn start(listeners: u16, ledger: Arc<Ledger>) -> Result<Self> {
        // Each listener needs a port and some connections: more than a shell's usual limit.
        let limit = getrlimit(Resource::Nofile);
        setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })
            .context("raising the limit of files")?;
        let runtime = Builder::new_current_thread().enable_io().build()?;
        let sockets = (0..listeners).map(|_| std::net::TcpListener::bind("127.0.0.1:0"));
        let sockets = sockets.collect::<Result<Vec<_>, _>>().context("opening a port for each listener")?;
        let addresses = sockets.iter().map(std::net::TcpListener::local_addr).collect::<Result<_, _>>()?;
        let shared = Arc::new(Shared {
            ledger,
            hanging: AtomicU16::new(0),
            hung: AtomicU64::new(0),
            connections: AtomicU64::new(0),
        });
        let (stop, stopped) = oneshot::channel();
        let serving = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            runtime.block_on(async {
                for (listener, socket) in (0..).zip(sockets) {
                    tokio::spawn(accept(socket, listener, Arc::clone(&serving)));
                }
                drop(stopped.await);
            });
        });
        Ok(Self { addresses, shared, stop: Some(stop), thread: Some(thread) })
    }

    /// From now on the first `listeners` listeners do not answer.
    pub(crate) fn hang(&self, listeners: u16) {
        self.shared.hanging.store(listeners, Relaxed);
    }

    /// Pushes that were read and not answered.
    pub(crate) fn hung(&self) -> u64 {
        self.shared.hung.load(Relaxed)
    }

    /// Number of connections accepted so far.
    pub(crate) fn connections(&self) -> u64 {
        self.shared.connections.load(Relaxed)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(Err(_)) = self.thread.take().map(JoinHandle::join) {
            eprintln!("the receiver of pushes panicked");
        }
    }
}

async fn accept(socket: std::net::TcpListener, listener: u16, shared: Arc<Shared>) {
    let socket = socket.set_nonblocking(true).and_then(|()| TcpListener::from_std(socket));
    let Ok(socket) = socket.inspect_err(|error| eprintln!("a listener cannot accept connections: {error}")) else {
        return;
    };
    loop {
        match socket.accept().await {
            Ok((stream, _)) => {
                shared.connections.fetch_add(1, Relaxed);
                tokio::spawn(serve(stream, listener, Arc::clone(&shared)));
            }
            Err(error) => eprintln!("a connection could not be accepted: {error}"),
        }
    }
}

/// Reads pushes until the connection ends.
async fn serve(mut stream: TcpStream, listener: u16, shared: Arc<Shared>) {
    drop(stream.set_nodelay(true));
    let mut buffer = Vec::with_capacity(8 * 1024);
    loop {
        match Push::parse(&buffer) {
            Ok(Some(push)) => {
                let at = Instant::now();
                if listener < shared.hanging.load(Relaxed) {
                    shared.hung.fetch_add(1, Relaxed);
                    return hang(stream).await;
                }
                if let Some(number) = push.number {
                    shared.ledger.arrived(number, listener, at);
                }
                buffer.drain(..push.length);
                if stream.write_all(ANSWER).await.is_err() {
                    return;
                }
            }
            // The sender closed the connection, after a push or in the middle of one that it will retry.
            Ok(None) => match stream.read_buf(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            },
            Err(error) => return eprintln!("a request is not a valid push: {error:#}"),
        }
    }
}

/// Keeps the connection open until the sender gives up.
async fn hang(mut stream: TcpStream) {
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
}

/// A complete request.
#[derive(Debug, PartialEq, Eq)]
struct Push {
    /// Length of head and body in bytes.
    length: usize,
    /// The number of the message in the push, if any.
    number: Option<u64>,
}

impl Push {
    /// Returns `None` until the request is complete.
    fn parse(bytes: &[u8]) -> Result<Option<Self>> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let httparse::Status::Complete(head) = request.parse(bytes).context("reading the head of a push")? else {
            return Ok(None);
        };
        let length = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
        let length = length.context("a push without Content-Length")?.value;
        let length: usize = std::str::from_utf8(length)?.trim().parse().context("reading a Content-Length")?;
        ensure!(length < LONGEST_PUSH, "a push of {length} bytes");
        let Some(body) = bytes.get(head..head + length) else {
            return Ok(None);
        };
        Ok(Some(Self { length: head + length, number: number(body) }))
    }
}

fn number(body: &[u8]) -> Option<u64> {
    let at = body.windows(CONTENT.len()).position(|window| window == CONTENT)?;
    parse(&body[at + CONTENT.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{self, Connection};
    use crate::ledger::Audience;

    const BODY: &str = r#"{"event":"workspace.message","data":{"content":"00010002000000ff and more"}}"#;

    #[test]
    fn a_push_is_parsed_when_complete() {
        let bytes = http::request("POST", "/", ([127, 0, 0, 1], 80).into(), None, Some(BODY));
        let whole = Push { length: bytes.len(), number: Some(0x0001_0002_0000_00ff) };
        assert_eq!(Push::parse(&bytes).unwrap(), Some(whole));
        let none = (0..bytes.len()).all(|end| Push::parse(&bytes[..end]).unwrap().is_none());
        assert!(none);
        assert!(Push::parse(b"POST / HTTP/1.1\r\n\r\n").is_err());
        assert_eq!(number(br#"{"event":"workspace.join","data":{"agentName":"x"}}"#), None);
    }

    #[tokio::test]
    async fn two_pushes_on_one_connection_are_answered_and_counted_for_their_listener() {
        let ledger = Arc::new(Ledger::new());
        let receiver = Receiver::start(2, Arc::clone(&ledger)).unwrap();
        let address = receiver.addresses[1];
        let mut connection = Connection::open(address).await.unwrap();
        let request = http::request("POST", "/", address, None, Some(BODY));
        for _ in 0..2 {
            assert_eq!(connection.exchange(&request).await.unwrap().status, 204);
        }
        assert_eq!((ledger.arrivals(), receiver.connections()), (2, 1));
        ledger.accepted(b"00010002000000ff", Instant::now());
        let audience = Audience { listeners: 0..2, recipients: vec![vec![], vec![], vec![1]] };
        let reckoning = ledger.reckon(1..=1, Instant::now(), &audience).unwrap();
        assert_eq!((reckoning.delivered, reckoning.duplicates, reckoning.lost()), (1, 1, 0));
    }

    #[tokio::test]
    async fn a_listener_that_hangs_reads_and_does_not_answer() {
        let ledger = Arc::new(Ledger::new());
        let receiver = Receiver::start(2, Arc::clone(&ledger)).unwrap();
        receiver.hang(1);
        let mut hanging = Connection::open(receiver.addresses[0]).await.unwrap();
        let mut healthy = Connection::open(receiver.addresses[1]).await.unwrap();
        let request = http::request("POST", "/", receiver.addresses[0], None, Some(BODY));
        let waiting = tokio::spawn(async move { hanging.exchange(&request).await.is_ok() });
        while receiver.hung() == 0 {
            tokio::task::yield_now().await;
        }
        let request = http::request("POST", "/", receiver.addresses[1], None, Some(BODY));
        assert_eq!(healthy.exchange(&request).await.unwrap().status, 204);
        assert!(!waiting.is_finished() && ledger.arrivals() == 1);
    }
}
