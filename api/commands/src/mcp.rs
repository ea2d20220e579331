//! The `mcp` command: serves the Model Context Protocol over standard input and output, for programs that start their servers
//! themselves. It passes each message to the `/mcp` of a server, and keeps a session with an agent's key.

use std::{sync::Arc, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use buildtrack_http::members::on_one_line;
use buildtrack_terminal::{PrintError, json as visible_json, note};
use clap::Args;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Stdout, stdin, stdout},
    sync::{Mutex, Semaphore},
    task::JoinSet,
};

use super::CommandError;

/// The variable with an agent's key (araf_…). The command logs in with it, and again when the session ends.
const KEY: &str = "BUILDTRACK_KEY";
/// The variable with a session token, if there is no key.
const TOKEN: &str = "BUILDTRACK_TOKEN";
/// The maximum number of bytes of a message: that of a body, and the line's end.
const LINE_MAX: u64 = 320 * 1024 + 2;
/// The maximum number of messages that are answered at once.
const CONCURRENT_MAX: usize = 8;
/// The time limit of one answer. A tool may wait for 30 seconds.
const TIMEOUT: Duration = Duration::from_mins(1);
const INTERNAL_ERROR: i64 = -32603;

/// Which server `buildtrack mcp` speaks to.
#[derive(Debug, Args)]
pub struct Mcp {
    /// The server's base URL
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    server: String,
}

/// Answers messages until standard input ends. The caller has installed the process's TLS provider.
pub async fn run(command: &Mcp) -> Result<(), CommandError> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let builder = || Client::builder().timeout(TIMEOUT);
    // Without trusted root certificates a server over plain HTTP is still reachable.
    let http = builder().build().or_else(|_| builder().tls_certs_only([]).build());
    let http = http.map_err(|error| CommandError::Failed(error.to_string()))?;
    let bridge = Arc::new(Bridge {
        http,
        url: command.server.trim_end_matches('/').to_owned(),
        key: variable(KEY),
        token: Mutex::new(variable(TOKEN)),
        output: Mutex::new(stdout()),
    });
    let failed = |error: std::io::Error| CommandError::Failed(format!("standard input: {error}"));
    let (permits, mut answers) = (Arc::new(Semaphore::new(CONCURRENT_MAX)), JoinSet::new());
    let mut input = BufReader::new(stdin());
    loop {
        let mut line = Vec::new();
        (&mut input).take(LINE_MAX).read_until(b'\n', &mut line).await.map_err(failed)?;
        if line.is_empty() {
            break;
        }
        if line.last() != Some(&b'\n') && line.len() as u64 >= LINE_MAX {
            return Err(CommandError::Failed(format!("a message has more than {LINE_MAX} bytes")));
        }
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { break };
        let bridge = Arc::clone(&bridge);
        answers.spawn(async move {
            let _permit = permit;
            bridge.answer(&line).await
        });
        while let Some(answered) = answers.try_join_next() {
            if let Err(error) = answered.unwrap_or(Ok(())) {
                return unless_closed(error);
            }
        }
    }
    while let Some(answered) = answers.join_next().await {
        if let Err(error) = answered.unwrap_or(Ok(())) {
            return unless_closed(error);
        }
    }
    Ok(())
}

/// The end of the command when an answer cannot be written: the program that started it may have closed its end.
fn unless_closed(error: std::io::Error) -> Result<(), CommandError> {
    Ok(PrintError::unless_closed(Err(error.into()))?)
}

struct Bridge {
    http: Client,
    url: String,
    key: Option<String>,
    token: Mutex<Option<String>>,
    output: Mutex<Stdout>,
}

impl Bridge {
    /// Answers one line. A notification has no answer.
    async fn answer(&self, line: &[u8]) -> std::io::Result<()> {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        let answer = match self.send(text, &message).await {
            Ok(answer) => answer,
            Err(reason) => {
                note(&format!("buildtrack: {reason}"));
                let error = json!({ "code": INTERNAL_ERROR, "message": reason });
                let id = message.get("id").cloned();
                id.map(|id| json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()).unwrap_or_default()
            }
        };
        if answer.is_empty() {
            return Ok(());
        }
        let mut output = self.output.lock().await;
        output.write_all(visible_json(&answer).as_bytes()).await?;
        output.write_all(b"\n").await?;
        output.flush().await
    }

    /// Passes a message on, with a new session if the old one has ended. Returns the server's answer as one line.
    async fn send(&self, text: &str, message: &Value) -> Result<String, String> {
        let mut token = self.token.lock().await.clone();
        if token.is_none() {
            token = self.renewed(None).await?;
        }
        let (status, answer) = self.post(text, message, token.as_deref()).await?;
        let (status, answer) = match status {
            StatusCode::UNAUTHORIZED if self.key.is_some() => {
                let token = self.renewed(token).await?;
                self.post(text, message, token.as_deref()).await?
            }
            _ => (status, answer),
        };
        if status == StatusCode::ACCEPTED {
            return Ok(String::new());
        }
        match serde_json::from_str::<Value>(&answer) {
            // Values of others keep the text that their authors wrote.
            Ok(value) if value.get("jsonrpc").is_some() => Ok(on_one_line(answer)),
            _ => Err(format!("{}/mcp answered with {status}, and not in the protocol's format", self.url)),
        }
    }

    async fn post(&self, text: &str, message: &Value, token: Option<&str>) -> Result<(StatusCode, String), String> {
        let request = self.http.post(format!("{}/mcp", self.url));
        let mut request = described(request, message).header("content-type", "application/json");
        request = request.header("accept", "application/json, text/event-stream");
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let answer = request.body(text.to_owned()).send().await.map_err(|error| self.unreachable(&error))?;
        let status = answer.status();
        Ok((status, answer.text().await.map_err(|error| self.unreachable(&error))?))
    }

    /// Logs in again, unless another message has done so since `ended` was read. Without a key there is no new session.
    async fn renewed(&self, ended: Option<String>) -> Result<Option<String>, String> {
        let Some(key) = &self.key else { return Ok(ended) };
        let mut token = self.token.lock().await;
        if *token == ended {
            let login = self.http.post(format!("{}/agent-login", self.url)).json(&json!({ "key": key }));
            let answer = login.send().await.map_err(|error| self.unreachable(&error))?;
            let status = answer.status();
            let session: Value = answer.json().await.unwrap_or_default();
            let new = session["token"].as_str().map(ToOwned::to_owned);
            let detail = session["detail"].as_str().unwrap_or_default();
            *token = Some(new.ok_or_else(|| format!("the login with {KEY} failed with {status}: {detail}"))?);
        }
        Ok(token.clone())
    }

    fn unreachable(&self, error: &reqwest::Error) -> String {
        format!("{} cannot be reached: {error}", self.url)
    }
}

/// Adds the headers of the stateless revision, which repeat parts of the message. Earlier revisions need none.
fn described(request: RequestBuilder, message: &Value) -> RequestBuilder {
    let params = &message["params"];
    let Some(version) = params["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str() else { return request };
    let request = request.header("mcp-protocol-version", encoded(version));
    let request = request.header("mcp-method", encoded(message["method"].as_str().unwrap_or_default()));
    match params["name"].as_str().or(params["uri"].as_str()) {
        Some(name) => request.header("mcp-name", encoded(name)),
        None => request,
    }
}

/// The text as the value of a header: encoded if it is not plain ASCII (MCP 2026-07-28, «Value Encoding»).
fn encoded(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && text.trim() == text;
    if is_plain && !text.starts_with("=?base64?") {
        return text.to_owned();
    }
    format!("=?base64?{}?=", STANDARD.encode(text))
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn texts_that_no_header_can_have_are_encoded() {
        assert_eq!(encoded("find_tracks"), "find_tracks");
        for (text, value) in [("é", "=?base64?w6k=?="), (" a", "=?base64?IGE=?="), ("a\nb", "=?base64?YQpi?=")] {
            assert_eq!(encoded(text), value);
        }
    }
}
