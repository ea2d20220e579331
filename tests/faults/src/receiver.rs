//! Receives pushes: one port an endpoint, signatures verified, and a share of the pushes not taken.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use anyhow::{Context, Result};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::timeout,
};

use crate::{
    history::{Entry, History, Push},
    plan::Refusals,
    random::Random,
};

/// Longer than a sender waits for an answer.
const HANG: Duration = Duration::from_secs(20);

/// One endpoint's receiver. It ends with this value.
#[derive(Debug)]
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
    _task: JoinSet<()>,
}

#[derive(Debug)]
struct Shared {
    endpoint: usize,
    history: Arc<History>,
    secret: OnceLock<String>,
    refusals: Refusals,
    random: Mutex<Random>,
    healed: watch::Sender<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Takes,
    Refuses,
    Hangs,
    Closes,
}

struct Request {
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

impl Receiver {
    pub(crate) async fn start(
        endpoint: usize,
        refusals: Refusals,
        random: Random,
        history: Arc<History>,
    ) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (random, healed) = (Mutex::new(random), watch::Sender::new(false));
        let shared = Arc::new(Shared { endpoint, history, secret: OnceLock::new(), refusals, random, healed });
        let mut task = JoinSet::new();
        task.spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, _task: task })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/araf", self.address)
    }

    /// The endpoint's secret, which is known once it is registered.
    pub(crate) fn knows(&self, secret: String) -> Result<()> {
        self.shared.secret.set(secret).ok().context("an endpoint has one secret")
    }

    /// Takes everything from now on.
    pub(crate) fn heal(&self) {
        self.shared.healed.send_replace(true);
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            connections.spawn(serve(BufReader::new(stream), Arc::clone(&shared)));
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(mut stream: BufReader<TcpStream>, shared: Arc<Shared>) -> Option<()> {
    loop {
        let request = read(&mut stream).await?;
        let answer = shared.decide();
        let status = match answer {
            Answer::Takes => 204,
            Answer::Refuses => 500,
            Answer::Hangs | Answer::Closes => 0,
        };
        // Recorded before the answer, because the push counts as received even if the sender never sees the answer.
        shared.history.record(Entry::Push(shared.push(&request, status)));
        match answer {
            Answer::Takes => stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.ok()?,
            Answer::Refuses => stream.write_all(b"HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n").await.ok()?,
            Answer::Closes => return None,
            Answer::Hangs => {
                drop(timeout(HANG, shared.healed.subscribe().wait_for(|healed| *healed)).await);
                return None;
            }
        }
    }
}

impl Shared {
    fn decide(&self) -> Answer {
        let Refusals { answers_500, hangs, closes } = self.refusals;
        let drawn = self.random.lock().unwrap_or_else(PoisonError::into_inner).below(100);
        match drawn {
            _ if *self.healed.borrow() => Answer::Takes,
            drawn if drawn < answers_500 => Answer::Refuses,
            drawn if drawn < answers_500 + hangs => Answer::Hangs,
            drawn if drawn < answers_500 + hangs + closes => Answer::Closes,
            _ => Answer::Takes,
        }
    }

    fn push(&self, request: &Request, answered: u16) -> Push {
        let header = |name: &str| request.headers.get(name).cloned().unwrap_or_default();
        Push {
            at: self.history.now(),
            endpoint: self.endpoint,
            delivery: header("x-araf-delivery"),
            event: header("x-araf-event"),
            sequence: header("x-araf-sequence").parse().unwrap_or(0),
            previous: header("x-araf-previous-sequence").parse().ok(),
            genuine: self.secret.get().is_some_and(|secret| {
                header("x-araf-signature")
                    .strip_prefix("sha256=")
                    .is_some_and(|it| it == signature(secret, &request.body))
            }),
            answered,
        }
    }
}

/// Hex of HMAC-SHA256 over the body, keyed with the whole secret (seed: «Verify»).
fn signature(secret: &str, body: &[u8]) -> String {
    // HMAC takes keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return String::new() };
    mac.update(body);
    hex::encode(mac.finalize().into_bytes())
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok().filter(|read| *read > 0)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) => drop(headers.insert(name.to_lowercase(), value.to_owned())),
            None if line.trim_end().is_empty() => break,
            // The request line.
            None => (),
        }
    }
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    stream.read_exact(&mut body).await.ok()?;
    Some(Request { headers, body })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_signature_is_that_of_the_contract() {
        // From the documentation of RFC 4231's tool set: HMAC-SHA256("key", "The quick brown fox …").
        let signed = super::signature("key", b"The quick brown fox jumps over the lazy dog");
        assert_eq!(signed, "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8");
    }
}
