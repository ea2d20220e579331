//! A webhook receiver that records every request, and responds with any fault that a test selects.

use std::{collections::HashMap, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::sleep,
};

use super::{receiver::address, waiting::soon};

/// The pause between two bytes of a slow response.
const DRIP: Duration = Duration::from_millis(100);

/// The fault of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No fault.
    None,
    /// It responds with 500.
    Refuses,
    /// It never responds.
    Hangs,
    /// It responds with 200, but the head has no end and arrives byte by byte.
    DripsHead,
    /// It responds with 200, and the body arrives byte by byte.
    DripsBody,
    /// It redirects the client to this port of the client's machine.
    Redirects(u16),
    /// It responds with 200, declares a longer body than it sends, and closes the connection.
    PromisesMore,
    /// It responds with 500, declares a shorter body than it sends, and the rest looks like a success.
    PromisesLess,
    /// It closes the connection before any response.
    HangsUp,
    /// It responds with 200 and a body without an end.
    Floods,
}

/// One recorded request.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// Names in lower case.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Call {
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("there is no header {name} in {:?}", self.headers))
    }
}

/// A receiver; it stops when this value is dropped.
pub(crate) struct Listener {
    port: u16,
    calls: watch::Receiver<Vec<Call>>,
    _task: JoinSet<()>,
}

impl Listener {
    pub(crate) async fn with(fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, calls) = watch::channel(vec![]);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                connections.spawn(answer(BufReader::new(stream), fault, sender.clone()));
            }
        });
        Self { port, calls, _task: task }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        address(self.port)
    }

    /// Every request so far.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.borrow().clone()
    }

    /// Waits for this many requests.
    pub(crate) async fn wait_for_calls(&mut self, count: usize) -> Vec<Call> {
        soon("calls", self.calls.wait_for(|calls| calls.len() >= count)).await.unwrap().clone()
    }
}

async fn answer(mut stream: BufReader<TcpStream>, fault: Fault, calls: watch::Sender<Vec<Call>>) -> Option<()> {
    loop {
        let call = read(&mut stream).await?;
        calls.send_modify(|calls| calls.push(call));
        let (head, body) = match fault {
            Fault::None => ("200 OK\r\nContent-Length: 2\r\n", "ok"),
            Fault::Refuses => ("500 X\r\nContent-Length: 12\r\n", "out of order"),
            Fault::Hangs => return std::future::pending().await,
            Fault::HangsUp => return None,
            Fault::DripsHead => return without_end(&mut stream, "HTTP/1.1 200 OK\r\nX-Slow: ", "x", DRIP).await,
            Fault::DripsBody => {
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n";
                return without_end(&mut stream, head, "x", DRIP).await;
            }
            Fault::Floods => {
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n";
                return without_end(&mut stream, head, &"x".repeat(64 * 1024), Duration::ZERO).await;
            }
            Fault::Redirects(port) => {
                let answer = format!("302 Found\r\nLocation: {}\r\nContent-Length: 0\r\n", address(port));
                stream.write_all(format!("HTTP/1.1 {answer}\r\n").as_bytes()).await.ok()?;
                continue;
            }
            Fault::PromisesMore => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort").await.ok()?;
                return None;
            }
            Fault::PromisesLess => {
                ("500 X\r\nContent-Length: 4\r\n", "nopeHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        };
        stream.write_all(format!("HTTP/1.1 {head}\r\n{body}").as_bytes()).await.ok()?;
    }
}

/// Sends `again` repeatedly until the client disconnects.
async fn without_end(stream: &mut BufReader<TcpStream>, head: &str, again: &str, pause: Duration) -> Option<()> {
    stream.write_all(head.as_bytes()).await.ok()?;
    loop {
        stream.write_all(again.as_bytes()).await.ok()?;
        sleep(pause).await;
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Call> {
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok().filter(|read| *read > 0)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.insert(name.to_lowercase(), value.to_owned()),
            None if line.trim_end().is_empty() && !headers.is_empty() => break,
            // The request line.
            None => None,
        };
    }
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    stream.read_exact(&mut body).await.ok()?;
    Some(Call { headers, body: String::from_utf8(body).ok()? })
}
