//! One call: its request, its response, and why it has none.

use std::{error::Error, time::Duration};

use buildtrack_domain::targets::TargetError;
use reqwest::{Method, StatusCode, header::HeaderMap};

use super::resolver::ResolveError;

/// Characters of an error cause that are kept.
const REASON_MAX: usize = 300;

/// A request.
#[derive(Clone)]
pub struct Request<'a> {
    /// The method.
    pub method: Method,
    /// The address, which the client vets.
    pub url: &'a str,
    /// Names and values, in this order.
    pub headers: Vec<(&'static str, String)>,
    /// The exact body; `None` sends none.
    pub body: Option<String>,
    /// Bounds of the call.
    pub limits: Limits,
}

impl std::fmt::Debug for Request<'_> {
    /// An address, a header or a body may contain a secret.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Request").field("method", &self.method).finish_non_exhaustive()
    }
}

/// Bounds of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time from the beginning of the call to the end of the response.
    pub timeout: Duration,
    /// Bytes of the response body that are read.
    pub body_max: usize,
}

/// A response, of any status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, up to the limits.
    pub body: Body,
    /// How long the call took, including the body.
    pub elapsed: Duration,
}

/// A response body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// Its first bytes.
    pub bytes: Vec<u8>,
    /// Whether it ended within the limits. False as well for a body of exactly the maximum length.
    pub is_complete: bool,
}

impl Body {
    /// Reads up to `limit` bytes. A late or broken body keeps what arrived.
    pub(super) async fn read(mut response: reqwest::Response, limit: usize) -> Self {
        let mut bytes = Vec::new();
        while bytes.len() < limit {
            match response.chunk().await {
                Ok(Some(piece)) => bytes.extend_from_slice(&piece),
                Ok(None) => return Self { bytes, is_complete: true },
                Err(_) => return Self { bytes, is_complete: false },
            }
        }
        // Dropping the unread rest closes the connection.
        bytes.truncate(limit);
        Self { bytes, is_complete: false }
    }
}

/// Why a call has no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The address is not an allowed target.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The host name does not resolve, or resolves to no allowed address.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// The time limit passed.
    #[error("no answer in time")]
    Timeout,
    /// No connection: refused, not made in time, or the certificate is not trusted.
    #[error("no connection: {0}")]
    Connect(String),
    /// The connection broke, or the response is not valid HTTP.
    #[error("no valid answer: {0}")]
    Answer(String),
}

impl CallError {
    /// The kind of error in one word, for traces.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Target(_) => "target",
            Self::Resolve(_) => "resolve",
            Self::Timeout => "timeout",
            Self::Connect(_) => "connect",
            Self::Answer(_) => "answer",
        }
    }
}

impl From<reqwest::Error> for CallError {
    fn from(error: reqwest::Error) -> Self {
        let error = error.without_url();
        let mut source: Option<&(dyn Error + 'static)> = Some(&error);
        while let Some(cause) = source {
            if let Some(error) = cause.downcast_ref::<ResolveError>() {
                return error.clone().into();
            }
            source = cause.source();
        }
        match error {
            // A connection that is not made in time is both.
            error if error.is_connect() => Self::Connect(reason(&error)),
            error if error.is_timeout() => Self::Timeout,
            error => Self::Answer(reason(&error)),
        }
    }
}

/// The innermost cause, in one line without characters that a database rejects.
pub(super) fn reason(error: &reqwest::Error) -> String {
    let mut cause: &(dyn Error + 'static) = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string().chars().filter(|character| !character.is_control()).take(REASON_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_connection_that_is_not_made_in_time_is_no_late_answer() {
        // An error means that a provider is installed already.
        drop(rustls::crypto::ring::default_provider().install_default());
        // It takes connections, and never begins TLS.
        let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let client = reqwest::Client::builder().no_proxy().connect_timeout(Duration::from_millis(50));
        let client = client.tls_certs_only([]).build().unwrap();
        let refused = client.get(format!("https://{}", silent.local_addr().unwrap())).send().await;
        assert_eq!(CallError::from(refused.unwrap_err()).kind(), "connect");
    }
}
