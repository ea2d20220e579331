//! Reads from pages of other sites: the CORS protocol (Fetch Standard, «HTTP-CORS protocol»).
//!
//! **Invariant:** only public reads are open to other sites, and no answer allows credentials. A page of another site
//! reads nothing that any client without a session could not read.

use actix_web::{
    HttpRequest, HttpResponse,
    body::BoxBody,
    dev::ServiceResponse,
    http::{
        Method,
        header::{
            ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
            ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HeaderValue, ORIGIN,
        },
    },
};

use super::public_reads::{is_public_path, is_public_read};

const METHODS: &str = "GET, HEAD";
/// Headers of a read that browsers ask for. `Authorization` is not among them.
const ALLOWED: &str = "If-None-Match, Last-Event-ID";
/// Headers of an answer that a page may read.
const EXPOSED: &str = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";
/// Seconds for which a browser keeps the answer to a preflight.
const MAX_AGE: &str = "7200";

/// The answer to a browser that asks whether a page of another site may send a read. `None` for every other request:
/// without this answer the browser does not send its request.
pub(super) fn preflight(request: &HttpRequest) -> Option<HttpResponse> {
    let asked = request.headers().get(ACCESS_CONTROL_REQUEST_METHOD)?.to_str().ok()?;
    let is_preflight = request.method() == Method::OPTIONS && request.headers().contains_key(ORIGIN);
    if !is_preflight || !METHODS.split(", ").any(|method| method == asked) || !is_public_path(request) {
        return None;
    }
    let mut response = HttpResponse::NoContent();
    response.insert_header((ACCESS_CONTROL_ALLOW_ORIGIN, "*"));
    response.insert_header((ACCESS_CONTROL_ALLOW_METHODS, METHODS));
    response.insert_header((ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED));
    response.insert_header((ACCESS_CONTROL_MAX_AGE, MAX_AGE));
    Some(response.finish())
}

/// Opens the answer of a public read, and its errors, to pages of other sites.
pub(super) fn open(response: &mut ServiceResponse<BoxBody>) {
    if !is_public_read(response.request()) {
        return;
    }
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
}
