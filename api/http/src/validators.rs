//! Validators of pages, feeds and JSON, decided before the work. What they show is a function of the address, of the reader's language,
//! at most of the day, and of a [`Basis`]: what a client has as of the same basis is unchanged.
//!
//! An answer's tag is a hash of its body, so that it stays the same while other parts of the log grow. This process remembers the
//! tag of an answer with the position as of which the body was read. **Invariant:** a tag is remembered with a position that was read
//! before the body, after which caches hold nothing older, and is believed only while the database's log ends there. A state beside
//! the log is either the one that the body shows, or one that never returns to an earlier value.

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    http::{
        Method, StatusCode,
        header::{self, HeaderName, HeaderValue},
    },
};
use chrono::NaiveDate;
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};

use super::{etag::is_known, guard::app_of, problem::Problem};

/// The answers whose tags are remembered. One has some 1000 bytes.
const CAPACITY: usize = 4096;

/// The remembered tags.
pub(crate) struct Validators(Cache<Key, Known>);

/// The digest of the address and the form of an answer.
type Key = [u8; 32];

/// What an answer is a function of, beside its address, its language and the day.
#[derive(Clone, Copy)]
pub enum Basis<'s> {
    /// The log.
    Log,
    /// The log, and a state beside it.
    LogAnd(&'s str),
    /// A state alone. What changes with the binary only has an empty one.
    State(&'s str),
}

/// The end of a log: its position, and how often the database was found to have lost events.
type End = (i64, u64);

/// A basis as it was before the body was read: the end of the log, if it counts, and the digest of the state.
type Version = (Option<End>, Key);

/// The headers of an answer, as of a version.
#[derive(Clone)]
struct Known {
    version: Version,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// What a request asks for, and the version before it was read.
#[derive(Clone, Copy)]
struct Asked {
    key: Key,
    version: Version,
}

impl Validators {
    pub(super) fn new() -> Self {
        Self(Cache::new(CAPACITY))
    }
}

/// Answers 304 if the client has the JSON that the address shows as of this basis, before it is read. Not for the answers of
/// callers who see more than others, nor for those that show the time or side tables without an end that is cheap to read: sessions,
/// accounts, inboxes, exchanges, enrolments, webhooks. Their tags are hashes of what was read.
pub async fn unchanged_data(request: &HttpRequest, basis: Basis<'_>) -> Result<Option<HttpResponse>, Problem> {
    unchanged(request, "application/json", basis).await
}

/// Answers 304 if the client has what the address shows as of this basis, for a reader in this language. Otherwise the request
/// remembers what [`remember`] needs.
pub async fn unchanged(
    request: &HttpRequest,
    language: &str,
    basis: Basis<'_>,
) -> Result<Option<HttpResponse>, Problem> {
    if request.method() != Method::GET {
        return Ok(None);
    }
    let app = app_of(request);
    let (tail, day) = (app.store.log().tail(), app.store.log().clock().now().date_naive());
    let asked = Asked { key: key(request, language, day), version: basis.version((tail.head(), tail.rewinds())) };
    request.extensions_mut().insert(asked);
    let known = app.validators.0.get(&asked.key).filter(|known| known.version == asked.version);
    let Some(known) = known else { return Ok(None) };
    let mut tags = known.headers.iter().filter(|(name, _)| name == header::ETAG);
    if !tags.any(|(_, tag)| tag.to_str().is_ok_and(|tag| is_known(request, tag))) {
        return Ok(None);
    }
    // Another process may have committed events that this one has not received.
    if let (Some((head, _)), _) = asked.version
        && app.store.log().head().await? != head
    {
        return Ok(None);
    }
    let mut response = HttpResponse::NotModified();
    for header in known.headers {
        response.append_header(header);
    }
    Ok(Some(response.finish()))
}

/// Remembers the tag of an answer to a request that [`unchanged`] has seen.
pub fn remember(request: &HttpRequest, response: &HttpResponse) {
    let asked = request.extensions().get::<Asked>().copied();
    let Some(Asked { key, version }) = asked else { return };
    if !matches!(response.status(), StatusCode::OK | StatusCode::NOT_MODIFIED) {
        return;
    }
    let of_body = [header::CONTENT_TYPE, header::CONTENT_ENCODING, header::CONTENT_LENGTH];
    let headers = response.headers().iter().filter(|(name, _)| !of_body.contains(name));
    let headers = headers.map(|(name, value)| (name.clone(), value.clone())).collect();
    app_of(request).validators.0.insert(key, Known { version, headers });
}

impl Basis<'_> {
    fn version(self, end: End) -> Version {
        match self {
            Self::Log => (Some(end), digest(&[])),
            Self::LogAnd(state) => (Some(end), digest(&[state])),
            Self::State(state) => (None, digest(&[state])),
        }
    }
}

fn key(request: &HttpRequest, language: &str, day: NaiveDate) -> Key {
    let address = request.uri().path_and_query().map_or_else(|| request.path(), |address| address.as_str());
    digest(&[language, address, &day.to_string()])
}

fn digest(parts: &[&str]) -> Key {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part.len().to_be_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}
