//! Somebody who calls the server, and a call on its way.

use std::{future::IntoFuture, pin::Pin, sync::LazyLock};

use reqwest::{
    Client, Method, RequestBuilder,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
};
use serde_json::{Value, json};

use crate::{Reply, TestApp, Track, contract};

/// Keeps no connection open (that would hold up a server's end) and follows nothing.
static CLIENT: LazyLock<Client> = LazyLock::new(|| {
    drop(rustls::crypto::ring::default_provider().install_default());
    Client::builder().no_proxy().redirect(Policy::none()).pool_max_idle_per_host(0).build().unwrap()
});

/// Somebody who calls the server, with or without a session.
#[derive(Debug, Clone)]
pub struct Caller {
    url: String,
    headers: HeaderMap,
}

impl Caller {
    pub(crate) fn anonymous(url: String) -> Self {
        Self { url, headers: HeaderMap::new() }
    }

    /// The same caller, with a session or with something that is sent as one.
    pub fn with_token(&self, token: &str) -> Self {
        self.with_header("authorization", &format!("Bearer {token}"))
    }

    /// The same caller, with a header in every request.
    pub fn with_header(&self, name: &str, value: &str) -> Self {
        let mut caller = self.clone();
        caller.headers.insert(name.parse::<HeaderName>().unwrap(), HeaderValue::from_bytes(value.as_bytes()).unwrap());
        caller
    }

    /// The same caller, at another server.
    pub fn at(&self, app: &TestApp) -> Self {
        Self { url: app.url(), ..self.clone() }
    }

    /// Any request.
    pub fn send(&self, method: &str, path: &str) -> Request {
        let method: Method = method.parse().unwrap();
        let line = format!("{method} {path}");
        let builder = CLIENT.request(method, format!("{}{path}", self.url)).headers(self.headers.clone());
        Request { builder, line }
    }

    /// A read.
    pub fn get(&self, path: &str) -> Request {
        self.send("GET", path)
    }

    /// A POST in JSON.
    pub fn post(&self, path: &str, body: Value) -> Request {
        self.send("POST", path).json(body)
    }

    /// A POST without a body.
    pub fn act(&self, path: &str) -> Request {
        self.send("POST", path)
    }

    /// A PATCH in JSON.
    pub fn patch(&self, path: &str, body: Value) -> Request {
        self.send("PATCH", path).json(body)
    }

    /// A PUT without a body; give it one with [`Request::json`].
    pub fn put(&self, path: &str) -> Request {
        self.send("PUT", path)
    }

    /// A DELETE.
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

    /// Says something in a Build Track; gives the message.
    pub async fn say(&self, track: &Track, content: &str) -> Reply {
        self.post(&track.messages(), message(content)).await.expect_status(201)
    }
}

impl Caller {
    /// Writes a post in the forum; its path is the answer's `Location`.
    pub async fn ask(&self, title: &str) -> Reply {
        self.post("/api/v1/forum/posts", question(title)).await.expect_status(201)
    }

    /// Replies to a post; gives the reply.
    pub async fn answer(&self, post: &Reply, body: &str) -> Reply {
        self.post(&format!("{}/replies", post.header("location")), json!({ "body": body })).await.expect_status(201)
    }

    /// Proposes a solution in a Build Track; gives its id.
    pub async fn solve(&self, track: &Track) -> String {
        let solution = json!({ "kind": "solution", "content": "Like this.", "upvotes": 0 });
        self.post(&track.messages(), solution).await.expect_status(201).text_at("/id")
    }

    /// Accepts a message as a Build Track's solution.
    pub fn accept(&self, track: &Track, message: &str) -> Request {
        self.put(&format!("{}/solution", track.path())).json(json!({ "messageId": message }))
    }

    /// Gives a member of a Build Track a role.
    pub fn appoint(&self, track: &Track, member: &str, role: &str) -> Request {
        self.put(&format!("{}/{member}/role", track.members())).json(json!({ "role": role }))
    }
}

/// The smallest post with this title.
pub fn question(title: &str) -> Value {
    json!({ "title": title, "body": "In **Rust**, please." })
}

/// The smallest message with this text.
pub fn message(content: &str) -> Value {
    json!({ "kind": "proposal", "content": content, "upvotes": 0 })
}

/// A call on its way: await it.
#[derive(Debug)]
pub struct Request {
    builder: RequestBuilder,
    line: String,
}

impl Request {
    /// With this header.
    #[must_use]
    pub fn header(self, name: &str, value: &str) -> Self {
        Self { builder: self.builder.header(name, value), ..self }
    }

    /// With this idempotency key.
    #[must_use]
    pub fn key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    /// With this JSON.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "every body is made on the spot")]
    pub fn json(self, body: Value) -> Self {
        self.body("application/json", body.to_string())
    }

    /// With these bytes, said to be of this type.
    #[must_use]
    pub fn body(self, media_type: &str, bytes: impl Into<reqwest::Body>) -> Self {
        Self { builder: self.builder.header(CONTENT_TYPE, media_type).body(bytes), ..self }
    }
}

impl Request {
    /// Whether the answer begins with 200, whatever follows.
    pub async fn begins(self) -> bool {
        self.begin().await.status() == 200
    }

    /// Sends it, lets something happen once the answer has begun, and reads the rest only then.
    pub async fn read_after(self, meanwhile: impl AsyncFnOnce()) -> String {
        let response = self.begin().await;
        meanwhile().await;
        response.text().await.unwrap()
    }

    /// Sends it, and gives the answer before its end.
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
