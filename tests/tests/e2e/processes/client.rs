//! A JSON client over HTTP.

use reqwest::{
    Method,
    header::{HeaderMap, HeaderName},
};
use serde_json::Value;

/// A client of a server.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    url: String,
    token: Option<String>,
    headers: HeaderMap,
}

/// A response. A body that is not JSON is a string.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: HeaderMap,
    pub(crate) body: Value,
}

impl Client {
    pub(crate) fn new(url: &str, token: Option<&str>) -> Self {
        // An error means that the provider is installed already.
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).build().unwrap();
        Self { http, url: url.to_owned(), token: token.map(ToOwned::to_owned), headers: HeaderMap::new() }
    }

    /// The same client with one more header in every request.
    pub(crate) fn sending(mut self, name: &'static str, value: &str) -> Self {
        self.headers.insert(name, value.parse().unwrap());
        self
    }

    /// Returns an error if there is no response.
    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<Value>) -> reqwest::Result<Answer> {
        let mut request = self.http.request(method, format!("{}{path}", self.url)).headers(self.headers.clone());
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await?;
        Ok(Answer { status, headers, body: serde_json::from_str(&text).unwrap_or(Value::String(text)) })
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body)).await.unwrap()
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, Some(body)).await.unwrap()
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await.unwrap()
    }
}

impl Answer {
    /// The body of a response that must have this status.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
    }

    pub(crate) fn header(&self, name: &'static str) -> &str {
        self.headers.get(HeaderName::from_static(name)).map_or("", |value| value.to_str().unwrap())
    }
}

/// A string in a response.
#[track_caller]
pub(crate) fn text(value: &Value, pointer: &str) -> String {
    let text = value.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_else(|| panic!("there is no text at {pointer} in {value}")).to_owned()
}
