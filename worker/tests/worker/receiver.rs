//! An HTTP server that receives pushes and reacts as a test plans.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use buildtrack_domain::webhooks::{araf_signature, standard_signature};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::{Notify, mpsc},
    task::JoinSet,
    time::timeout,
};

/// How long a test waits for an expected push.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// One received request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) request_line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The number of the connection, from 1.
    pub(crate) connection: usize,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The message's text, the name of the member who joined, or the note of the shipped track.
    pub(crate) fn said(&self) -> String {
        let data = &self.json()["data"];
        ["content", "memberName", "note"].iter().find_map(|field| data[*field].as_str()).unwrap().to_owned()
    }

    pub(crate) fn is_signed_with(&self, secret: &str) -> bool {
        self.header("x-araf-signature") == araf_signature(secret, &self.body)
            && self.header("webhook-signature").split(' ').next() == Some(&*self.standard_signature(secret))
    }

    /// The Standard Webhooks signature with this secret.
    pub(crate) fn standard_signature(&self, secret: &str) -> String {
        let timestamp = self.header("webhook-timestamp").parse().unwrap();
        standard_signature([secret], self.header("webhook-id"), timestamp, str::from_utf8(&self.body).unwrap())
    }
}

/// A receiver's reaction to a request.
#[derive(Debug, Clone)]
pub(crate) enum Reaction {
    /// Responds with this status.
    Status(u16),
    /// Responds with this status, these header lines, and this body.
    Responds(u16, &'static str, String),
    /// Responds 200 and one byte every 20 ms, without end.
    Drips,
    /// Redirects the caller.
    Redirect(String),
    /// Sends nothing and keeps the connection open.
    Silence,
    /// Responds 200 with an endless body.
    Endless,
    /// Responds 200, announces a body, and stops sending.
    Stalls,
    /// Closes the connection.
    HangsUp,
    /// Waits for a notification, then reacts like this.
    Waits(Arc<Notify>, Box<Reaction>),
}

/// A receiver, which stops when this value is dropped.
pub(crate) struct Receiver {
    address: SocketAddr,
    queue: mpsc::UnboundedReceiver<Received>,
    /// The next reactions; the last one repeats.
    plan: Arc<Mutex<Vec<Reaction>>>,
    _task: JoinSet<()>,
}

impl Receiver {
    /// A receiver that responds 200.
    pub(crate) async fn friendly() -> Self {
        Self::with_plan(vec![Reaction::Status(200)]).await
    }

    /// A receiver with these reactions, of which the last repeats.
    pub(crate) async fn with_plan(plan: Vec<Reaction>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, queue) = mpsc::unbounded_channel();
        let plan = Arc::new(Mutex::new(plan));
        let mut task = JoinSet::new();
        task.spawn(serve(listener, sender, plan.clone()));
        Self { address, queue, plan, _task: task }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/araf/webhook?token=of-the-url", self.address)
    }

    /// The address without a path.
    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Replaces the plan.
    pub(crate) fn change_plan(&self, plan: Vec<Reaction>) {
        *self.plan.lock().unwrap() = plan;
    }

    /// Waits for the next request.
    pub(crate) async fn next(&mut self) -> Received {
        timeout(PATIENCE, self.queue.recv()).await.expect("nothing was received").unwrap()
    }

    /// All requests that the test has not taken yet.
    pub(crate) fn rest(&mut self) -> Vec<Received> {
        std::iter::from_fn(|| self.queue.try_recv().ok()).collect()
    }

    /// The sorted texts of all requests that the test has not taken yet.
    pub(crate) fn said(&mut self) -> Vec<String> {
        let mut said: Vec<_> = self.rest().iter().map(Received::said).collect();
        said.sort();
        said
    }
}

async fn serve(listener: TcpListener, sender: mpsc::UnboundedSender<Received>, plan: Arc<Mutex<Vec<Reaction>>>) {
    let mut connections = JoinSet::new();
    for number in 1.. {
        let (stream, _) = listener.accept().await.unwrap();
        connections.spawn(answer_all(stream, number, sender.clone(), plan.clone()));
    }
}

async fn answer_all(
    stream: TcpStream,
    connection: usize,
    sender: mpsc::UnboundedSender<Received>,
    plan: Arc<Mutex<Vec<Reaction>>>,
) -> Option<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let received = read(&mut stream, connection).await?;
        let reaction = {
            let mut plan = plan.lock().unwrap();
            if plan.len() > 1 { plan.remove(0) } else { plan[0].clone() }
        };
        sender.send(received).ok()?;
        let reaction = match reaction {
            Reaction::Waits(until, then) => {
                until.notified().await;
                *then
            }
            other => other,
        };
        match reaction {
            Reaction::Status(status) => {
                write(&mut stream, &format!("{status} X\r\nContent-Length: 2\r\n\r\n{{}}")).await?;
            }
            Reaction::Responds(status, headers, body) => {
                write(&mut stream, &format!("{status} X\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()))
                    .await?;
            }
            Reaction::Drips => {
                write(&mut stream, "200 X\r\nContent-Length: 100000\r\n\r\n").await?;
                while stream.write_all(b"x").await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                return None;
            }
            Reaction::Redirect(to) => {
                write(&mut stream, &format!("307 X\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n")).await?;
            }
            Reaction::Silence => std::future::pending().await,
            Reaction::Stalls => {
                write(&mut stream, "200 X\r\nContent-Length: 10\r\n\r\n123").await?;
                std::future::pending::<()>().await;
            }
            Reaction::Endless => {
                write(&mut stream, "200 X\r\nTransfer-Encoding: chunked\r\n\r\n").await?;
                let chunk = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
                while stream.write_all(chunk.as_bytes()).await.is_ok() {}
                return None;
            }
            Reaction::HangsUp | Reaction::Waits(..) => return None,
        }
    }
}

async fn write(stream: &mut BufReader<TcpStream>, answer: &str) -> Option<()> {
    stream.write_all(format!("HTTP/1.1 {answer}").as_bytes()).await.ok()
}

async fn read(stream: &mut BufReader<TcpStream>, connection: usize) -> Option<Received> {
    let mut request_line = String::new();
    stream.read_line(&mut request_line).await.ok().filter(|read| *read > 0)?;
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_lowercase(), value.to_owned())),
            None => break,
        }
    }
    let mut received = Received { request_line: request_line.trim_end().to_owned(), headers, body: vec![], connection };
    received.body = vec![0; received.header("content-length").parse().unwrap_or_default()];
    stream.read_exact(&mut received.body).await.ok()?;
    Some(received)
}
