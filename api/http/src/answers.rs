//! The answers of writes. They are serialized when positions and times are known, and stored with the write if the request
//! has an idempotency key.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{HeaderValue, LINK},
    },
};
use buildtrack_store::{Answer, Recorded};
use chrono::{DateTime, Utc};
use serde::Serialize;

/// 200 with a body.
pub fn shown(body: &impl Serialize) -> Answer {
    let body = serde_json::to_string(body).unwrap_or_default();
    Answer { status: 200, location: None, body, withheld: None, subject: None }
}

/// 201 with a body and the location of the new entity.
pub fn created(location: String, body: &impl Serialize) -> Answer {
    Answer { status: 201, location: Some(location), ..shown(body) }
}

/// Adds the canonical URL of the shown entity to the answer of a read (RFC 6596), for clients that link to it.
pub fn canonical(request: &HttpRequest, mut response: HttpResponse, url: &str) -> HttpResponse {
    let link = HeaderValue::from_str(&format!("<{url}>; rel=\"canonical\""));
    if let (true, StatusCode::OK, Ok(link)) = (request.method().is_safe(), response.status(), link) {
        response.headers_mut().insert(LINK, link);
    }
    response
}

/// 204, as the answer of a write.
pub fn nothing() -> Answer {
    Answer { status: 204, location: None, body: String::new(), withheld: None, subject: None }
}

/// 204 without a body.
pub fn no_content() -> HttpResponse {
    HttpResponse::NoContent().finish()
}

/// Returns the position and the time of the first recorded event.
pub fn position_and_time(recorded: &[Recorded]) -> (i64, DateTime<Utc>) {
    recorded.first().map(|event| (event.position, event.recorded_at)).unwrap_or_default()
}
