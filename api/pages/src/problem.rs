//! The page of an error.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{CONTENT_TYPE, HeaderValue, VARY},
};
use askama::Template;
use buildtrack_http::problem::Problem;

use super::{Frame, HTML, Reader, describe, filters};

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'p> {
    frame: Frame,
    /// The title, or what the status means in the reader's language.
    heading: String,
    /// Whether the language is another than that of the problem's own texts.
    is_translated: bool,
    problem: &'p Problem,
    request_id: &'p str,
    /// Seconds to wait before a retry.
    wait: Option<u64>,
}

/// The page for a problem, with the status and the headers of its JSON form. `None` if it cannot be rendered.
pub fn problem(request: &HttpRequest, problem: &Problem, request_id: &str) -> Option<HttpResponse> {
    let wait = problem.retry_after.map(|wait| wait.as_secs().max(1));
    let reader = Reader::of(request);
    let is_translated = !reader.language.is_english();
    let heading = if is_translated { reader.language.say(meaning(problem.status)) } else { problem.title.clone() };
    let frame = Frame::unlisted(&heading);
    let page = ProblemPage { frame, heading, is_translated, problem, request_id, wait };
    explained(&reader, problem, request_id, &page)
}

/// The key of the message that says what a status means.
fn meaning(status: u16) -> &'static str {
    match status {
        401 => "problem-explained-unauthenticated",
        403 => "problem-explained-forbidden",
        404 => "problem-explained-not-found",
        409 | 412 => "problem-explained-conflict",
        410 => "problem-explained-gone",
        429 => "problem-explained-too-many",
        500.. => "problem-explained-server",
        _ => "problem-explained-bad-request",
    }
}

/// A page that shows a problem, with the status and the headers of the problem's JSON form. `None` if it cannot be rendered.
pub fn explained(reader: &Reader, problem: &Problem, request_id: &str, page: &impl Template) -> Option<HttpResponse> {
    let html = reader.render_page(page).ok()?;
    let mut response = problem.response(Some(request_id)).map_body(|_, _| html).map_into_boxed_body();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
    headers.insert(VARY, HeaderValue::from_static("accept, accept-language, cookie"));
    describe(headers, reader.language);
    Some(response)
}
