//! Lists in pages: the header `Link` of an answer names the next page (RFC 8288).

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{HeaderValue, LINK},
    },
};
use serde::Serialize;

use super::{guard::app_of, page::Page};

/// The maximum number of bytes of the header. A longer address is left out; the body has the cursor, too.
const LINK_MAX: usize = 2048;

/// A part of a list.
pub trait List: Serialize {
    /// The parameter of the next page. By default `cursor`.
    const PARAMETER: &'static str = "cursor";

    /// The value of the parameter; `None` on the last page.
    fn next(&self) -> Option<String>;
}

impl<T: Serialize> List for Page<T> {
    fn next(&self) -> Option<String> {
        self.next_cursor.clone()
    }
}

/// Adds the address of the next page to an answer.
pub fn linked<L: List>(request: &HttpRequest, mut response: HttpResponse, list: &L) -> HttpResponse {
    let next = list.next().filter(|_| response.status() == StatusCode::OK);
    if let Some(link) = next.and_then(|value| link(request, L::PARAMETER, &value)) {
        response.headers_mut().insert(LINK, link);
    }
    response
}

/// The address of the request with another value of one parameter. Every value that a list continues with needs no encoding.
fn link(request: &HttpRequest, parameter: &str, value: &str) -> Option<HeaderValue> {
    let given = request.query_string().split('&');
    let others = given.filter(|pair| !pair.is_empty() && pair.split('=').next() != Some(parameter));
    let query: String = others.flat_map(|pair| [pair, "&"]).collect();
    let (app, path) = (app_of(request), request.path());
    let link = format!("<{}{path}?{query}{parameter}={value}>; rel=\"next\"", app.public_url);
    HeaderValue::from_str(&link).ok().filter(|_| link.len() <= LINK_MAX)
}
