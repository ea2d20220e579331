//! An SMTP server on its own port that stores the received messages.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use buildtrack_settings::Settings;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A received message.
#[derive(Debug, Clone)]
pub struct Sent {
    /// The recipient in the SMTP envelope.
    pub to: String,
    /// Headers and text.
    pub text: String,
}

impl Sent {
    /// The token in the text.
    pub fn token(&self) -> String {
        let line = self.text.lines().find_map(|line| line.strip_prefix("Token: "));
        line.expect("the message holds a token").trim().to_owned()
    }
}

/// Accepts every message, except the ones that [`Mailbox::refuse`] announces. The server stops when this value is dropped.
#[derive(Debug)]
pub struct Mailbox {
    port: u16,
    taken: Arc<Mutex<Vec<Sent>>>,
    refusals: Arc<AtomicUsize>,
    listening: JoinHandle<()>,
}

impl Mailbox {
    /// Starts the server.
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (taken, refusals): (Arc<Mutex<Vec<Sent>>>, Arc<AtomicUsize>) = Default::default();
        let listening = tokio::spawn({
            let (taken, refusals) = (taken.clone(), refusals.clone());
            async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(converse(stream, taken.clone(), refusals.clone()));
                }
            }
        });
        Self { port, taken, refusals, listening }
    }

    /// Its SMTP URL.
    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// Configures a server to send its mail here.
    pub fn set(&self, settings: &mut Settings) {
        settings.smtp_url = Some(self.url().parse().unwrap());
        settings.mail_from = Some("Buildtrack <build@example.org>".to_owned());
    }

    /// Rejects the next messages with a temporary error.
    pub fn refuse(&self, messages: usize) {
        self.refusals.store(messages, Ordering::SeqCst);
    }

    /// The messages received since the last call.
    pub fn take(&self) -> Vec<Sent> {
        std::mem::take(&mut *self.taken.lock().unwrap())
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// The part of RFC 5321 that a client needs which sends one message per connection.
async fn converse(stream: TcpStream, taken: Arc<Mutex<Vec<Sent>>>, refusals: Arc<AtomicUsize>) -> Option<()> {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    let (mut to, mut text, mut in_data) = (String::new(), String::new(), false);
    writer.write_all(b"220 mailbox.test\r\n").await.ok()?;
    while let Some(line) = lines.next_line().await.ok()? {
        let answer = if in_data && line == "." {
            in_data = false;
            taken.lock().unwrap().push(Sent { to: to.clone(), text: std::mem::take(&mut text) });
            "250 taken\r\n"
        } else if in_data {
            text.push_str(line.strip_prefix('.').unwrap_or(&line));
            text.push('\n');
            continue;
        } else {
            let verb = line.split([' ', ':']).next().unwrap_or_default().to_uppercase();
            match &*verb {
                "EHLO" | "HELO" => "250 mailbox.test\r\n",
                "MAIL" => {
                    let left = |left: usize| left.checked_sub(1);
                    let refused = refusals.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left).is_ok();
                    if refused { "451 not now\r\n" } else { "250 OK\r\n" }
                }
                "RCPT" => {
                    to = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                    "250 OK\r\n"
                }
                "DATA" => {
                    in_data = true;
                    "354 Start mail input\r\n"
                }
                "QUIT" => "221 bye\r\n",
                _ => "250 fine\r\n",
            }
        };
        writer.write_all(answer.as_bytes()).await.ok()?;
    }
    Some(())
}
