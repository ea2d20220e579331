//! An HTTP client of the server, and a request that is not sent yet.

use std::{future::IntoFuture, pin::Pin, sync::LazyLock};

use reqwest::{
    Client, Method, RequestBuilder,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
};
use serde_json::{Value, json};

use crate::{Reply, TestApp, Track, contract};

/// Keeps no idle connections, which would delay the server's shutdown, and follows no redirects.
static CLIENT: LazyLock<Client> = LazyLock::new(|| {
    drop(rustls::crypto::ring::default_provider().install_default());
    Client::builder().no_proxy().redirect(Policy::none()).pool_max_idle_per_host(0).build().unwrap()
});

/// A client of the server, with or without a session.
#[derive(Debug, Clone)]
pub struct Caller {
    url: String,
    headers: HeaderMap,
}

impl Caller {
    pub(crate) fn anonymous(url: String) -> Self {
        Self { url, headers: HeaderMap::new() }
    }

    /// The same caller with this bearer token, valid or not.
    pub fn with_token(&self, token: &str) -> Self {
        self.with_header("authorization", &format!("Bearer {token}"))
    }

    /// The same caller; every request has this header.
    pub fn with_header(&self, name: &str, value: &str) -> Self {
        let mut caller = self.clone();
        caller.headers.insert(name.parse::<HeaderName>().unwrap(), HeaderValue::from_bytes(value.as_bytes()).unwrap());
        caller
    }

    /// The same caller, but at another server.
    pub fn at(&self, app: &TestApp) -> Self {
        Self { url: app.url(), ..self.clone() }
    }

    /// A request with any method.
    pub fn send(&self, method: &str, path: &str) -> Request {
        let method: Method = method.parse().unwrap();
        let line = format!("{method} {path}");
        let builder = CLIENT.request(method, format!("{}{path}", self.url)).headers(self.headers.clone());
        Request { builder, line }
    }

    /// A GET request.
    pub fn get(&self, path: &str) -> Request {
        self.send("GET", path)
    }

    /// A POST request with a JSON body.
    pub fn post(&self, path: &str, body: Value) -> Request {
        self.send("POST", path).json(body)
    }

    /// A POST request without a body.
    pub fn act(&self, path: &str) -> Request {
        self.send("POST", path)
    }

    /// A PATCH request with a JSON body.
    pub fn patch(&self, path: &str, body: Value) -> Request {
        self.send("PATCH", path).json(body)
    }

    /// A PUT request without a body; [`Request::json`] adds one.
    pub fn put(&self, path: &str) -> Request {
        self.send("PUT", path)
    }

    /// A DELETE request.
    pub fn delete(&self, path: &str) -> Request {
        self.send("DELETE", path)
    }

    /// Opens a Build Track.
    pub async fn open(&self, name: &str) -> Track {
        let body = json!({
            "name": name, "description": "Push, don't poll.", "tags": ["build"], "status": "open", "messageCount": 0
        });
        let opened = self.post("/api/v1/workspaces", body).await.expect_status(201);
        Track { id: opened.text_at("/id") }
    }

    /// Joins a Build Track.
    pub async fn join(&self, track: &Track) {
        self.act(&track.members()).await.expect_status(200);
    }

    /// Posts a message in a Build Track and returns it.
    pub async fn post_message(&self, track: &Track, content: &str) -> Reply {
        self.post(&track.messages(), message(content)).await.expect_status(201)
    }
}

impl Caller {
    /// Writes a forum post; the response's `Location` is its path.
    pub async fn ask(&self, title: &str) -> Reply {
        self.post("/api/v1/forum/posts", question(title)).await.expect_status(201)
    }

    /// Replies to a post and returns the reply.
    pub async fn answer(&self, post: &Reply, body: &str) -> Reply {
        self.post(&format!("{}/replies", post.header("location")), json!({ "body": body })).await.expect_status(201)
    }

    /// Posts a message of kind `solution` and returns its id.
    pub async fn solve(&self, track: &Track) -> String {
        let solution = json!({ "kind": "solution", "content": "Like this.", "upvotes": 0 });
        self.post(&track.messages(), solution).await.expect_status(201).text_at("/id")
    }

    /// Accepts a message as the solution of a Build Track.
    pub fn accept(&self, track: &Track, message: &str) -> Request {
        self.put(&format!("{}/solution", track.path())).json(json!({ "messageId": message }))
    }

    /// Sets the role of a member of a Build Track.
    pub fn appoint(&self, track: &Track, member: &str, role: &str) -> Request {
        self.put(&format!("{}/{member}/role", track.members())).json(json!({ "role": role }))
    }
}

/// The smallest valid post with this title.
pub fn question(title: &str) -> Value {
    json!({ "title": title, "body": "In **Rust**, please." })
}

/// The smallest valid message with this text.
pub fn message(content: &str) -> Value {
    json!({ "kind": "proposal", "content": content, "upvotes": 0 })
}

/// A request that is sent when awaited.
#[derive(Debug)]
pub struct Request {
    builder: RequestBuilder,
    line: String,
}

impl Request {
    /// Adds a header.
    #[must_use]
    pub fn header(self, name: &str, value: &str) -> Self {
        Self { builder: self.builder.header(name, value), ..self }
    }

    /// Adds an idempotency key.
    #[must_use]
    pub fn key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    /// Sets a JSON body.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "every body is made on the spot")]
    pub fn json(self, body: Value) -> Self {
        self.body("application/json", body.to_string())
    }

    /// Sets a body of bytes with this media type.
    #[must_use]
    pub fn body(self, media_type: &str, bytes: impl Into<reqwest::Body>) -> Self {
        Self { builder: self.builder.header(CONTENT_TYPE, media_type).body(bytes), ..self }
    }
}

impl Request {
    /// Whether the response's status is 200; does not read the body.
    pub async fn has_status_200(self) -> bool {
        self.begin().await.status() == 200
    }

    /// Sends the request, runs `meanwhile` after the response's head has arrived, and reads the body afterwards.
    pub async fn read_after(self, meanwhile: impl AsyncFnOnce()) -> String {
        let response = self.begin().await;
        meanwhile().await;
        response.text().await.unwrap()
    }

    /// Sends the request and returns the response before its body is read.
    pub(crate) async fn begin(self) -> reqwest::Response {
        self.builder.send().await.unwrap_or_else(|error| panic!("{}: {error:?}", self.line))
    }
}

impl IntoFuture for Request {
    type Output = Reply;
    type IntoFuture = Pin<Box<dyn Future<Output = Reply> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let response = self.builder.send().await.unwrap_or_else(|error| panic!("{}: {error:?}", self.line));
            let reply = Reply::read(self.line, response).await;
            contract::check(&reply);
            reply
        })
    }
}
