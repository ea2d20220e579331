//! A real HTTP server that receives pushes and answers as a test wants it to.

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

/// How long a test waits for what must come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// One request, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) request_line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// From 1.
    pub(crate) connection: usize,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The message's text, who joined, or what was shipped.
    pub(crate) fn said(&self) -> String {
        let data = &self.json()["data"];
        ["content", "memberName", "note"].iter().find_map(|field| data[*field].as_str()).unwrap().to_owned()
    }

    pub(crate) fn is_signed_with(&self, secret: &str) -> bool {
        self.header("x-araf-signature") == araf_signature(secret, &self.body)
            && self.header("webhook-signature").split(' ').next() == Some(&*self.standard_signature(secret))
    }

    /// What Standard Webhooks' signature with this secret would be.
    pub(crate) fn standard_signature(&self, secret: &str) -> String {
        let timestamp = self.header("webhook-timestamp").parse().unwrap();
        standard_signature([secret], self.header("webhook-id"), timestamp, str::from_utf8(&self.body).unwrap())
    }
}

/// What a receiver does with a request.
#[derive(Debug, Clone)]
pub(crate) enum Reaction {
    /// Answers with this status.
    Status(u16),
    /// Answers with this status, these header lines, and this body.
    Says(u16, &'static str, String),
    /// Says 200 and a byte every 20 ms, for ever.
    Drips,
    /// Sends the caller elsewhere.
    Redirect(String),
    /// Says nothing, and keeps the connection open.
    Silence,
    /// Says 200, and then goes on and on.
    Endless,
    /// Says 200, promises a body, and falls silent.
    Stalls,
    /// Closes the connection.
    HangsUp,
    /// Waits until it is told to go on, and then does this.
    Waits(Arc<Notify>, Box<Reaction>),
}

/// A receiver; it ends with this value.
pub(crate) struct Receiver {
    address: SocketAddr,
    queue: mpsc::UnboundedReceiver<Received>,
    /// What it does next, and, the last one, from then on.
    plan: Arc<Mutex<Vec<Reaction>>>,
    _task: JoinSet<()>,
}

impl Receiver {
    /// One that says 200.
    pub(crate) async fn friendly() -> Self {
        Self::with_plan(vec![Reaction::Status(200)]).await
    }

    /// One that does this, one after the other, and the last for ever.
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

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// From here on it does this.
    pub(crate) fn change_plan(&self, plan: Vec<Reaction>) {
        *self.plan.lock().unwrap() = plan;
    }

    /// The next request; waits for it.
    pub(crate) async fn next(&mut self) -> Received {
        timeout(PATIENCE, self.queue.recv()).await.expect("nothing was received").unwrap()
    }

    /// Everything that has come and was not looked at.
    pub(crate) fn rest(&mut self) -> Vec<Received> {
        std::iter::from_fn(|| self.queue.try_recv().ok()).collect()
    }

    /// What was said in everything that has come, in order.
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
            Reaction::Says(status, headers, body) => {
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
    received.body = vec![0; received.header("content-length").parse().unwrap()];
    stream.read_exact(&mut received.body).await.ok()?;
    Some(received)
}
