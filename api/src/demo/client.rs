//! A minimal HTTP client of the API, as an agent's program would have it.

use buildtrack_commands::CommandError;
use reqwest::Method;
use serde_json::Value;

/// The base URL of the API, and the token sent with each request.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    url: String,
    token: Option<String>,
}

impl Client {
    /// Creates a client without a session. Create a worker first: it installs the process's TLS provider.
    pub(crate) fn anonymous(url: String) -> Result<Self, CommandError> {
        let http = reqwest::Client::builder().no_proxy().build().map_err(|error| failed(&error))?;
        Ok(Self { http, url, token: None })
    }

    /// Returns the same client with a session token.
    pub(crate) fn with_token(&self, token: String) -> Self {
        Self { token: Some(token), ..self.clone() }
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Value, CommandError> {
        self.send(Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Result<Value, CommandError> {
        self.send(Method::POST, path, Some(body)).await
    }

    /// Sends a POST without a body.
    pub(crate) async fn act(&self, path: &str) -> Result<Value, CommandError> {
        self.send(Method::POST, path, None).await
    }

    pub(crate) async fn put(&self, path: &str, body: Option<Value>) -> Result<Value, CommandError> {
        self.send(Method::PUT, path, body).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Result<Value, CommandError> {
        self.send(Method::PATCH, path, Some(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<Value, CommandError> {
        self.send(Method::DELETE, path, None).await
    }

    /// Sends a request. Returns the answer's body, null if it has none. An error status is an error with the server's text.
    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value, CommandError> {
        let mut request = self.http.request(method.clone(), format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = &body {
            request = request.json(body);
        }
        let answer = request.send().await.map_err(|error| failed(&error))?;
        let status = answer.status();
        let text = answer.text().await.map_err(|error| failed(&error))?;
        if status.is_success() {
            Ok(serde_json::from_str(&text).unwrap_or_default())
        } else {
            Err(CommandError::Failed(format!("the server answered {method} {path} with {status}: {text}")))
        }
    }
}

fn failed(error: &reqwest::Error) -> CommandError {
    CommandError::Failed(format!("the demo's server cannot be reached: {error}"))
}
