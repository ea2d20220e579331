//! The page of an error.

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_TYPE, HeaderValue, VARY},
};
use askama::Template;

use super::{Frame, protect};
use crate::http::problem::Problem;

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'p> {
    frame: Frame,
    problem: &'p Problem,
    request_id: &'p str,
    /// Seconds to wait before a retry.
    wait: Option<u64>,
}

/// The page for a problem, with the status and the headers of its JSON form. `None` if it cannot be rendered.
pub(crate) fn problem(problem: &Problem, request_id: &str) -> Option<HttpResponse> {
    let wait = problem.retry_after.map(|wait| wait.as_secs().max(1));
    let page = ProblemPage { frame: Frame::unlisted(&problem.title), problem, request_id, wait };
    let html = page.render().ok()?;
    let mut response = problem.response(Some(request_id)).map_body(|_, _| html).map_into_boxed_body();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(VARY, HeaderValue::from_static("accept"));
    protect(headers);
    Some(response)
}
