//! Public events, and the signed head.

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_store::log::{Checkpoint as SignedHead, LoggedEvent as Row, PublicEvent, PublicKey, Withheld};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::{etag, guard::app_of, problem::Problem, query::Parameters};

/// One event, as anyone may see it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoggedEvent {
    /// From 1, without gaps, in commit order.
    #[schema(example = 42)]
    pub position: i64,
    /// The stream's name.
    #[schema(example = "msg_01h2e8kqvbfwea724h75qc655w")]
    pub stream: String,
    /// From 1 within the stream.
    #[schema(example = 1)]
    pub version: i64,
    /// The event type.
    #[serde(rename = "type")]
    #[schema(example = "message.posted")]
    pub event_type: String,
    /// `public`; `private` (of its own nothing is shown: stream and type are `private`, the version is 0); `hidden` (its data are
    /// not shown while operators hide its text) or `masked` (while they hide something that is named in it); `redacted` (its
    /// data are gone) or `erased` (operators have taken words out of them for good).
    #[schema(example = "public")]
    pub visibility: String,
    /// The very text that was hashed, a JSON object; null where it is not public.
    pub data: Option<String>,
    /// Hashed before the data, in hex; null where they are not public.
    pub salt: Option<String>,
    /// SHA-256(salt ‖ data), in hex.
    pub data_hash: String,
    /// A JSON object, the very text that was hashed.
    #[schema(example = r#"{"actor":"ag_01h2e8kqvbfwea724h75qc655w"}"#)]
    pub metadata: String,
    /// When it was recorded. The header holds it with six digits and `Z`.
    pub recorded_at: DateTime<Utc>,
    /// SHA-256(previous hash ‖ header ‖ data hash), in hex; the header is position, stream, version, type, metadata
    /// and time, each followed by a line feed.
    pub hash: String,
    /// The position of the event that took the data away.
    pub redacted_by: Option<i64>,
    /// Whether `hash` follows from what is shown here. It does not for private events of servers before sealed headers: their
    /// own header was hashed, and is not shown.
    #[serde(default = "yes")]
    pub verifiable: bool,
}

fn yes() -> bool {
    true
}

impl From<PublicEvent> for LoggedEvent {
    fn from(PublicEvent { event, withheld }: PublicEvent) -> Self {
        let visibility = match (withheld, &event) {
            (Some(Withheld::Private), _) => "private",
            (Some(Withheld::Hidden), _) => "hidden",
            (Some(Withheld::Masked), _) => "masked",
            (Some(Withheld::Erased), _) => "erased",
            (None, Row { data: None, .. }) => "redacted",
            (None, Row { .. }) => "public",
        };
        let verifiable = withheld != Some(Withheld::Private) || event.sealed;
        Self {
            position: event.position,
            stream: event.stream,
            version: event.version,
            event_type: event.event_type,
            visibility: visibility.to_owned(),
            data: event.data,
            salt: event.salt.map(hex::encode),
            data_hash: hex::encode(event.data_hash),
            metadata: event.metadata,
            recorded_at: event.recorded_at,
            hash: hex::encode(event.hash),
            redacted_by: event.redacted_by,
            verifiable,
        }
    }
}

/// Some of the log.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogPage {
    /// Events in order.
    pub items: Vec<LoggedEvent>,
    /// Give it as `after` for what comes next; it stays the same where there is nothing more.
    pub next_after: i64,
    /// The last position of the log.
    pub head: i64,
}

/// Reads the log: position, time and hashes of every event, header and data of the public ones.
#[utoipa::path(
    operation_id = "readLog",
    tag = "Log",
    params(
        ("after" = Option<i64>, Query, description = "Only beyond this position", example = 0),
        ("limit" = Option<i64>, Query, description = "1 to 200", example = 50),
    ),
    responses((status = 200, description = "Events", body = LogPage, headers(("ETag" = String)))),
)]
#[get("/log")]
pub(crate) async fn read(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(&request, &["after", "limit"]);
    let after: i64 = parameters.get("after", "a position, 0 or more").unwrap_or(0);
    if after < 0 {
        parameters.refuse("after", format!("after is {after}"), "Give a position, 0 or more.");
    }
    let limit = parameters.limit();
    parameters.finish()?;
    let store = &app_of(&request).store;
    let items: Vec<_> = store.public_log(after, limit).await?.into_iter().map(LoggedEvent::from).collect();
    let next_after = items.last().map_or(after, |event| event.position);
    Ok(etag::answer(&request, &LogPage { items, next_after, head: store.tail().head().max(next_after) }))
}

/// The signed head of the log.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checkpoint {
    /// The last position.
    #[schema(example = 42)]
    pub position: i64,
    /// Its hash, in hex.
    pub hash: String,
    /// When it was recorded.
    pub recorded_at: DateTime<Utc>,
    /// When this was signed.
    pub issued_at: DateTime<Utc>,
    /// A compact JWS (RFC 7515, `EdDSA`) over position, hash and time; its key is in `/.well-known/jwks.json`.
    pub jws: String,
}

/// Shows the signed head of the log: whoever keeps it can prove later that nothing before it was changed.
#[utoipa::path(operation_id = "showCheckpoint", tag = "Log", responses((status = 200, description = "The signed head", body = Checkpoint)))]
#[get("/log/checkpoint")]
pub(crate) async fn checkpoint(request: HttpRequest) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(Checkpoint::from(app_of(&request).store.checkpoint().await?)))
}

/// A public key (RFC 8037).
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct Jwk {
    /// `OKP`.
    #[schema(example = "OKP")]
    pub kty: String,
    /// `Ed25519`.
    #[schema(example = "Ed25519")]
    pub crv: String,
    /// `sig`.
    #[serde(rename = "use")]
    #[schema(example = "sig")]
    pub usage: String,
    /// `EdDSA`.
    #[schema(example = "EdDSA")]
    pub alg: String,
    /// The key's id.
    pub kid: String,
    /// The key, unpadded base64url.
    pub x: String,
}

impl From<PublicKey> for Jwk {
    fn from(PublicKey { id, x }: PublicKey) -> Self {
        let [kty, crv, usage, alg] = ["OKP", "Ed25519", "sig", "EdDSA"].map(str::to_owned);
        Self { kty, crv, usage, alg, kid: id, x }
    }
}

impl From<SignedHead> for Checkpoint {
    fn from(SignedHead { position, hash, recorded_at, issued_at, jws }: SignedHead) -> Self {
        Self { position, hash, recorded_at, issued_at, jws }
    }
}

/// The keys this server signs with (RFC 7517).
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct Jwks {
    /// All of them.
    pub keys: Vec<Jwk>,
}

/// Shows the public keys this server signs with.
#[utoipa::path(operation_id = "showKeys", tag = "Discovery", responses((status = 200, description = "The keys", body = Jwks, headers(("ETag" = String)))))]
#[get("/.well-known/jwks.json")]
pub(crate) async fn jwks(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let keys = app_of(&request).store.public_keys().await?.into_iter().map(Jwk::from).collect();
    Ok(etag::answer(&request, &Jwks { keys }))
}
