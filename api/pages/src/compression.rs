//! Compression of pages and feeds. Pages for one reader alone stay as they are: they hold form tokens, whose bytes the length of a
//! compressed page could tell.

use std::io::Write;

use actix_web::{
    HttpRequest, HttpResponse,
    body::MessageBody,
    http::{
        StatusCode,
        header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, HeaderValue, VARY},
    },
};
use flate2::{Compression, write::GzEncoder};

/// Compresses the body of an answer if the client accepts gzip. Its tag then names a form of the same contents (a weak tag).
pub fn compressed(request: &HttpRequest, mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().append(VARY, HeaderValue::from_static("accept-encoding"));
    if response.status() != StatusCode::OK || !accepts_gzip(request) {
        return response;
    }
    let (head, body) = response.into_parts();
    let bytes = match body.try_into_bytes() {
        Ok(bytes) => bytes,
        Err(body) => return head.set_body(body),
    };
    let Some(zipped) = gzip(&bytes) else { return head.set_body(bytes).map_into_boxed_body() };
    let mut response = head.set_body(zipped).map_into_boxed_body();
    let headers = response.headers_mut();
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    let weak = headers.get(ETAG).and_then(|tag| tag.to_str().ok()).map(|tag| format!("W/{tag}"));
    if let Some(tag) = weak.and_then(|tag| HeaderValue::from_str(&tag).ok()) {
        headers.insert(ETAG, tag);
    }
    response
}

fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

/// Whether the client names gzip with a weight above zero.
pub fn accepts_gzip(request: &HttpRequest) -> bool {
    let values = request.headers().get_all(ACCEPT_ENCODING).filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let refuses = |part: &str| {
            let weight = part.strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok());
            weight.is_some_and(|weight| weight <= 0.0)
        };
        is_gzip && !parts.any(refuses)
    })
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn answered(accepted: &'static str) -> HttpResponse {
        let request = TestRequest::get().insert_header((ACCEPT_ENCODING, accepted)).to_http_request();
        let response = HttpResponse::Ok().insert_header((ETAG, "\"tag\"")).body("word ".repeat(1000));
        compressed(&request, response)
    }

    #[test]
    fn a_page_is_compressed_for_clients_that_accept_it() {
        for (accepted, expected) in
            [("gzip, deflate, br", true), ("br, GZIP;q=0.5", true), ("gzip;q=0, br", false), ("identity", false)]
        {
            let response = answered(accepted);
            assert_eq!(response.headers().get(CONTENT_ENCODING).is_some(), expected, "{accepted}");
            assert_eq!(response.headers().get(ETAG).unwrap(), if expected { "W/\"tag\"" } else { "\"tag\"" });
            assert_eq!(response.headers().get(VARY).unwrap(), "accept-encoding");
            let body = response.into_body().try_into_bytes().unwrap();
            assert_eq!(body.len() < 200, expected, "{accepted}: {}", body.len());
        }
    }
}
