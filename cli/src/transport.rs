//! HTTP requests to one server: bounded answers, timeouts, repeats of what is safe to repeat. Follows no redirect, so that a token stays
//! with its server.

use std::time::Duration;

use reqwest::{
    Method, RequestBuilder, Response,
    header::{ACCEPT, RETRY_AFTER},
    redirect::Policy,
};
use serde_json::Value;
use tokio::time::sleep;
use url::Url;

use crate::{
    Surroundings,
    addresses::is_this_machine,
    failure::{Failure, reason},
    output::Output,
    problem::Problem,
};

/// The bytes of an answer that are read.
const ANSWER_MAX: usize = 8 * 1024 * 1024;
/// How often a request is repeated.
const REPEATS: u32 = 4;
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an answer may take, besides the time for which the server is asked to wait.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long a stream may be silent. The server sends comments every 15 seconds, unless its operator chooses another time.
const SILENCE: Duration = Duration::from_mins(2);
const PAUSE_MAX: Duration = Duration::from_secs(8);

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    method: Method,
    path: String,
    query: Vec<(&'static str, String)>,
    body: Option<Value>,
    key: Option<String>,
    repeatable: bool,
    wait: Duration,
}

impl Call {
    pub(crate) fn new(method: Method, path: impl Into<String>, body: Option<Value>) -> Self {
        let repeatable = method != Method::POST;
        Self { method, path: path.into(), query: Vec::new(), body, key: None, repeatable, wait: Duration::ZERO }
    }

    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path, None)
    }

    pub(crate) fn put(path: impl Into<String>, body: Option<Value>) -> Self {
        Self::new(Method::PUT, path, body)
    }

    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path, None)
    }

    pub(crate) fn post(path: impl Into<String>, body: Option<Value>) -> Self {
        Self::new(Method::POST, path, body)
    }

    /// Adds a parameter, if it has a value.
    pub(crate) fn with(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// Makes a POST safe to repeat: the server runs requests of one key once.
    pub(crate) fn keyed(mut self, random: [u8; 32]) -> Self {
        self.key = Some(hex::encode(random));
        self.repeatable = true;
        self
    }

    /// A POST that has the same effect when it is repeated.
    pub(crate) fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    /// Lets the server take this many seconds more.
    pub(crate) fn waiting(mut self, seconds: u64) -> Self {
        self.wait = Duration::from_secs(seconds);
        self
    }
}

/// The connections to a server.
#[derive(Debug)]
pub(crate) struct Transport<'a> {
    http: reqwest::Client,
    server: String,
    output: &'a Output,
    surroundings: Surroundings,
}

impl<'a> Transport<'a> {
    pub(crate) fn new(server: &str, output: &'a Output, surroundings: Surroundings) -> Result<Self, Failure> {
        let http = http_client(server, |builder| builder.read_timeout(SILENCE))?;
        Ok(Self { http, server: server.to_owned(), output, surroundings })
    }

    /// The server's address, without a slash at its end.
    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// Sends a request, and again where that is safe and may help. Gives the text of a successful answer.
    pub(crate) async fn call(&self, call: &Call, token: Option<&str>) -> Result<String, Failure> {
        let mut failures = 0;
        loop {
            let failure = match self.attempt(call, token).await {
                Ok(text) => return Ok(text),
                Err(failure) => failure,
            };
            let Some(wait) = self.wait(&failure, call.repeatable, failures) else { return Err(failure) };
            self.output.progress(&format!("No answer yet; the next attempt follows in {:.1} s.", wait.as_secs_f64()));
            sleep(wait).await;
            failures += 1;
        }
    }

    async fn attempt(&self, call: &Call, token: Option<&str>) -> Result<String, Failure> {
        let url = self.address(&call.path, &call.query)?;
        let mut request = self.http.request(call.method.clone(), url).timeout(PATIENCE + call.wait);
        request = authorized(request.header(ACCEPT, "application/json"), token);
        if let Some(key) = &call.key {
            request = request.header("Idempotency-Key", key);
        }
        if let Some(body) = &call.body {
            request = request.json(body);
        }
        let answer = self.answer(request).await?;
        bounded(answer, ANSWER_MAX).await
    }

    /// Opens a stream of Server-Sent Events behind a position.
    pub(crate) async fn stream(
        &self,
        path: &str,
        query: &[(&'static str, String)],
        position: u64,
        token: Option<&str>,
    ) -> Result<Response, Failure> {
        let request = self.http.get(self.address(path, query)?).header(ACCEPT, "text/event-stream");
        self.answer(authorized(request.header("Last-Event-ID", position.to_string()), token)).await
    }

    /// Sends a request; another status than 2xx is a refusal.
    async fn answer(&self, request: RequestBuilder) -> Result<Response, Failure> {
        let answer = request.send().await.map_err(|error| self.unreachable(error))?;
        if answer.status().is_success() { Ok(answer) } else { Err(refusal(answer).await) }
    }

    /// The failure for a server that does not answer.
    pub(crate) fn unreachable(&self, error: reqwest::Error) -> Failure {
        Failure::Unreachable(format!("{} cannot be reached: {}", self.server, reason(&error.without_url())))
    }

    /// The time to wait before a repeat, if a repeat may help after so many failures.
    pub(crate) fn wait(&self, failure: &Failure, repeatable: bool, failures: u32) -> Option<Duration> {
        let pause = self.pause(failures);
        let wait = match failure {
            Failure::Refused(problem) => problem.wait(repeatable, pause),
            Failure::Unreachable(_) if repeatable => Some(pause),
            _ => None,
        };
        wait.filter(|_| failures < REPEATS)
    }

    /// The time before the next attempt, with a random part.
    pub(crate) fn pause(&self, failures: u32) -> Duration {
        let longest = PAUSE_MAX.min(Duration::from_millis(250) * 2_u32.saturating_pow(failures.min(10)));
        let part = u32::from((self.surroundings.random)()[0]);
        longest / 2 + longest * part / 510
    }

    fn address(&self, path: &str, query: &[(&'static str, String)]) -> Result<Url, Failure> {
        let mut url =
            Url::parse(&format!("{}{path}", self.server)).map_err(|error| Failure::Usage(error.to_string()))?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }
}

/// The refusal of an answer that is no success.
pub(crate) async fn refusal(answer: Response) -> Failure {
    let status = answer.status().as_u16();
    let seconds = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    let text = bounded(answer, ANSWER_MAX).await.unwrap_or_default();
    Failure::Refused(Box::new(Problem::new(status, seconds.map(Duration::from_secs), &text)))
}

fn authorized(request: RequestBuilder, token: Option<&str>) -> RequestBuilder {
    match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    }
}

/// Reads the text of an answer, up to this many bytes.
pub(crate) async fn bounded(mut answer: Response, most: usize) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    loop {
        let chunk = answer.chunk().await;
        let chunk = chunk.map_err(|error| {
            Failure::Unreachable(format!("The connection broke within the answer: {}", reason(&error.without_url())))
        })?;
        let Some(chunk) = chunk else { break };
        if bytes.len() + chunk.len() > most {
            return Err(Failure::Failed(format!("The answer has more than {most} bytes.")));
        }
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).map_err(|_| Failure::Failed("The answer is not UTF-8.".to_owned()))
}

/// A client for one address. A server on this machine is called without a proxy, and one without TLS needs no certificates.
pub(crate) fn http_client(
    address: &str,
    set: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
) -> Result<reqwest::Client, Failure> {
    // An error means that the process has a provider already.
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut builder = reqwest::Client::builder().redirect(Policy::none()).connect_timeout(CONNECT);
    builder = builder.user_agent(concat!("buildtrack/", env!("CARGO_PKG_VERSION")));
    if address.starts_with("http:") {
        builder = builder.tls_certs_only([]);
    }
    if Url::parse(address).is_ok_and(|url| is_this_machine(&url)) {
        builder = builder.no_proxy();
    }
    set(builder).build().map_err(|error| Failure::Failed(reason(&error)))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    #[test]
    fn pauses_grow_within_bounds() {
        let output = Output::new(true);
        let surroundings = Surroundings { now: || DateTime::UNIX_EPOCH, random: || [255; 32] };
        let transport = Transport::new("http://127.0.0.1:1", &output, surroundings).unwrap();
        assert_eq!(transport.pause(0), Duration::from_millis(250));
        assert_eq!(transport.pause(2), Duration::from_secs(1));
        assert_eq!(transport.pause(90), PAUSE_MAX);
    }

    #[test]
    fn parameters_are_encoded_below_the_servers_path() {
        let output = Output::new(true);
        let surroundings = Surroundings { now: || DateTime::UNIX_EPOCH, random: || [0; 32] };
        let transport = Transport::new("http://127.0.0.1:1/below", &output, surroundings).unwrap();
        let call = Call::get("/api").with("q", Some("a&b c")).with("tag", None::<&str>);
        assert_eq!(
            transport.address(&call.path, &call.query).unwrap().as_str(),
            "http://127.0.0.1:1/below/api?q=a%26b+c"
        );
    }
}
