//! Request bodies: read within size and time limits, validated, and deduplicated by idempotency key.

use std::{future::Future, pin::Pin, time::Duration};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest,
    dev::Payload,
    error::InternalError,
    http::{
        StatusCode,
        header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderValue},
    },
    web::{Bytes, BytesMut},
};
use futures_util::StreamExt;

use super::{
    auth::{Authenticated, session_ended},
    guard::app_of,
    idempotency::{self, Entry, Key},
    problem::Problem,
    validation::{self, Input},
};

/// The maximum number of bytes of a body. A message of 20000 characters fits, each an escaped surrogate pair.
pub const MAXIMUM: usize = 320 * 1024;
/// The time limit for the arrival of a body.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

type Extracting<T> = Pin<Box<dyn Future<Output = Result<T, actix_web::Error>>>>;

/// A JSON body.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: Input + 'static> FromRequest for Json<T> {
    type Error = actix_web::Error;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            check_type(&request)?;
            let bytes = read(payload).await?;
            Ok(Self(read_as(&request, bytes).await?))
        })
    }
}

/// A POST with a JSON body.
#[derive(Debug)]
pub struct Submission<T> {
    /// The body.
    pub body: T,
    /// The idempotency key of the request.
    pub key: Key,
}

impl<T: Input + 'static> FromRequest for Submission<T> {
    type Error = actix_web::Error;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            check_type(&request)?;
            let bytes = read(payload).await?;
            let key = enter(&request, &bytes).await?;
            Ok(Self { body: read_as(&request, bytes).await?, key })
        })
    }
}

/// The unparsed bytes of a body.
#[derive(Debug)]
pub struct Raw(pub Bytes);

impl FromRequest for Raw {
    type Error = actix_web::Error;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            check_type(&request)?;
            Ok(Self(read(payload).await?))
        })
    }
}

/// A POST without a body.
#[derive(Debug)]
pub struct Act(pub Key);

impl FromRequest for Act {
    type Error = actix_web::Error;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let bytes = read(payload).await?;
            let empty = bytes.iter().all(u8::is_ascii_whitespace) || bytes.trim_ascii() == b"{}";
            if !empty {
                let detail = "The operation takes no body, but the request has one.";
                let hint = "Send the request without a body.";
                return Err(Problem::new(StatusCode::BAD_REQUEST, "unexpected_body", detail, hint).into());
            }
            Ok(Self(enter(&request, &bytes).await?))
        })
    }
}

/// Parses a body. If the body contradicts the known state of the caller, the state is read again from the database before
/// the request is rejected: another replica may have renamed the caller just before.
async fn read_as<T: Input>(request: &HttpRequest, bytes: Bytes) -> Result<T, Problem> {
    let app = app_of(request);
    let known = request.extensions().get::<Authenticated>().cloned();
    let caller = known.as_ref().map(|known| known.session.actor.clone());
    if T::CLAIMS.is_empty() {
        return validation::read(&app, bytes, caller).await;
    }
    match (validation::read(&app, bytes.clone(), caller.clone()).await, known) {
        (Err(problem), Some(known)) if problem.status == 422 => {
            let session = app.store.identity().session(&known.token_hash, true).await?.ok_or_else(session_ended)?;
            if caller.as_ref() == Some(&session.actor) {
                return Err(problem);
            }
            validation::read(&app, bytes, Some(session.actor.clone())).await
        }
        (parsed, _) => parsed,
    }
}

async fn enter(request: &HttpRequest, bytes: &[u8]) -> Result<Key, actix_web::Error> {
    match idempotency::enter(request, &app_of(request), bytes).await? {
        Entry::New(key) => Ok(key),
        Entry::Answered(response) => Err(InternalError::from_response("answered before", response).into()),
    }
}

fn check_type(request: &HttpRequest) -> Result<(), Problem> {
    // No door expands a body, so that a small one cannot become a large one.
    let coded = |coding: &&HeaderValue| !coding.as_bytes().eq_ignore_ascii_case(b"identity");
    if let Some(coding) = request.headers().get(CONTENT_ENCODING).filter(coded) {
        let detail = format!("The body's Content-Encoding is {coding:?}.");
        let hint = "Send the body as it is, without a Content-Encoding.";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail, hint));
    }
    let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json")) {
        return Ok(());
    }
    let detail = format!("The body's Content-Type is {kind:?}.");
    let hint = "Send JSON, with Content-Type: application/json.";
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail, hint))
}

/// Reads a body within the limits of size and time.
pub async fn read(payload: Payload) -> Result<Bytes, Problem> {
    let slow = |_| {
        let detail = format!("The body did not arrive within {} s.", READ_TIMEOUT.as_secs());
        Problem::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", detail, "Send the request again.").retryable(None)
    };
    tokio::time::timeout(READ_TIMEOUT, collect(payload)).await.map_err(slow)?
}

async fn collect(mut payload: Payload) -> Result<Bytes, Problem> {
    let mut bytes = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let broken = |error| {
            let detail = format!("The connection broke before the whole body arrived: {error}.");
            Problem::new(StatusCode::BAD_REQUEST, "broken_body", detail, "Send the request again.").retryable(None)
        };
        let chunk = chunk.map_err(broken)?;
        if bytes.len() + chunk.len() > MAXIMUM {
            let detail = format!("The body has more than {MAXIMUM} bytes.");
            let hint = "Shorten the text, or publish long material elsewhere and link to it.";
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", detail, hint));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.freeze())
}
