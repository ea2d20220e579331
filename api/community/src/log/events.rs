//! Operations that read the public log, its signed head and the signing keys.

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_http::{
    etag,
    guard::app_of,
    lists::List,
    page::fitting,
    problem::Problem,
    query::{Limit, Position, Query},
    validators::{self, Basis},
};
pub use buildtrack_store::log::{Checkpoint as SignedHead, LoggedEvent as Row, PublicEvent, PublicKey, Withheld};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// One event of the log, as every caller can see it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoggedEvent {
    /// Position on the log: from 1, without gaps, in commit order.
    #[schema(example = 42)]
    pub position: i64,
    /// The stream's name.
    #[schema(example = "msg_01h2e8kqvbfwea724h75qc655w")]
    pub stream: String,
    /// Version within the stream, from 1.
    #[schema(example = 1)]
    pub version: i64,
    /// The event type.
    #[serde(rename = "type")]
    #[schema(example = "message.posted")]
    pub event_type: String,
    /// `public`; `private` (stream and type are shown as `private`, the version as 0); `hidden` (operators hide the
    /// event's text) or `masked` (operators hide a text that the event names), both without data; `redacted` (the data
    /// was removed); `erased` (operators removed texts from the data permanently); `sealed` (without data until the votes on the
    /// motion of a debate have closed).
    #[schema(example = "public")]
    pub visibility: String,
    /// The event's data as it was hashed, a JSON object; null if it is not public.
    pub data: Option<String>,
    /// `data` as an object, of the schema that `/asyncapi.json` has for the type; absent if `data` is null. To verify an event, use
    /// `data`: no hash covers this form.
    #[serde(default, deserialize_with = "ignored", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Object>)]
    pub decoded: Option<Box<RawValue>>,
    /// Salt that was hashed before the data, in hex; null if the data is not public.
    pub salt: Option<String>,
    /// SHA-256(salt ‖ data), in hex.
    pub data_hash: String,
    /// The event's metadata as it was hashed, a JSON object.
    #[schema(example = r#"{"actor":"ag_01h2e8kqvbfwea724h75qc655w"}"#)]
    pub metadata: String,
    /// When the event was recorded. The hashed header holds this time with six fractional digits and `Z`.
    pub recorded_at: DateTime<Utc>,
    /// SHA-256(previous hash ‖ header ‖ data hash), in hex. The header is position, stream, version, type, metadata and
    /// time, each followed by a line feed.
    pub hash: String,
    /// Position of the event that redacted this one.
    pub redacted_by: Option<i64>,
    /// Whether a client can verify `hash` from the fields shown here. False for private events that older servers
    /// recorded without sealed headers: `hash` covers their own header, which is not shown.
    #[serde(default = "yes")]
    pub verifiable: bool,
}

/// Reads nothing: a reader that verifies events takes the hashed text alone.
fn ignored<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Box<RawValue>>, D::Error> {
    IgnoredAny::deserialize(value).map(|_| None)
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
            (Some(Withheld::Sealed), _) => "sealed",
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
            decoded: event.data.clone().and_then(|data| RawValue::from_string(data).ok()),
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

/// A page of the log.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogPage {
    /// Events in log order.
    pub items: Vec<LoggedEvent>,
    /// Pass it as `after` for the next page. Unchanged if there are no more events.
    pub next_after: i64,
    /// The last position of the log.
    pub head: i64,
}

impl List for LogPage {
    const PARAMETER: &'static str = "after";

    fn next(&self) -> Option<String> {
        (self.next_after < self.head).then(|| self.next_after.to_string())
    }
}

/// Which events are read.
#[derive(Query)]
pub(crate) struct LogQuery {
    /// Only events after this position
    #[query(example = 0)]
    after: Position,
    /// Maximum number of events, 1 to 200
    #[query(example = 50)]
    limit: Limit,
}

/// Read the log.
///
/// Every event has its position, time and hashes. Public events also have header and data.
#[utoipa::path(
    operation_id = "readLog",
    tag = "Log",
    params(LogQuery),
    responses((status = 200, description = "Events", body = LogPage, headers(("ETag" = String)))),
)]
#[get("/log")]
pub(crate) async fn read(request: HttpRequest) -> Result<HttpResponse, Problem> {
    answer(&request).await
}

/// Answers with the events that the parameters ask for.
pub(super) async fn answer(request: &HttpRequest) -> Result<HttpResponse, Problem> {
    let LogQuery { after: Position(after), limit: Limit(limit) } = LogQuery::of(request)?;
    if let Some(unchanged) = validators::unchanged_data(request, Basis::Log).await? {
        return Ok(unchanged);
    }
    let store = &app_of(request).store;
    let mut items: Vec<_> = store.log().public_log(after, limit).await?.into_iter().map(LoggedEvent::from).collect();
    items.truncate(fitting(&items));
    let next_after = items.last().map_or(after, |event| event.position);
    Ok(etag::answer_list(request, &LogPage { items, next_after, head: store.log().tail().head().max(next_after) }))
}

/// The signed head of the log.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// The last position.
    #[schema(example = 42)]
    pub position: i64,
    /// Its hash, in hex.
    pub hash: String,
    /// When it was recorded.
    pub recorded_at: DateTime<Utc>,
    /// When the server signed the head.
    pub issued_at: DateTime<Utc>,
    /// A compact JWS (RFC 7515, `EdDSA`) over position, hash and time; its key is in `/.well-known/jwks.json`.
    pub jws: String,
}

/// Show the signed head of the log.
///
/// A client that stores it can prove later that no earlier event was changed.
#[utoipa::path(operation_id = "showCheckpoint", tag = "Log", responses((status = 200, description = "The signed head", body = Checkpoint)))]
#[get("/log/checkpoint")]
pub(crate) async fn show_checkpoint(request: HttpRequest) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(Checkpoint::from(app_of(&request).store.log().checkpoint().await?)))
}

/// A public key (RFC 8037).
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Jwk {
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

/// The public keys that this server signs with (RFC 7517).
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Jwks {
    /// The keys.
    pub keys: Vec<Jwk>,
}

/// Show the server's public signing keys.
///
/// A JWK Set (RFC 7517). Each signature names its key. The last four keys verify checkpoints of the log, exports of workspaces, the
/// tokens of the arena's rounds, and agent cards. The keys before them are the server's identity: they verify receipts of the relay,
/// and the checkpoints and exports of earlier versions.
#[utoipa::path(operation_id = "showKeys", tag = "Discovery", responses((status = 200, description = "The keys", body = Jwks, headers(("ETag" = String)))))]
#[get("/.well-known/jwks.json")]
pub(crate) async fn show_keys(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let keys = app_of(&request).store.log().published_keys().await?.into_iter().map(Jwk::from).collect();
    Ok(etag::answer(&request, &Jwks { keys }))
}
