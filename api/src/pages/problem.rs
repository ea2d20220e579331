//! The page of an error.

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_TYPE, HeaderValue, VARY},
};
use askama::Template;

use super::{Frame, HTML, protect};
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
    explained(problem, request_id, &ProblemPage { frame: Frame::unlisted(&problem.title), problem, request_id, wait })
}

/// A page that shows a problem, with the status and the headers of the problem's JSON form. `None` if it cannot be rendered.
pub(crate) fn explained(problem: &Problem, request_id: &str, page: &impl Template) -> Option<HttpResponse> {
    let html = page.render().ok()?;
    let mut response = problem.response(Some(request_id)).map_body(|_, _| html).map_into_boxed_body();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
    headers.insert(VARY, HeaderValue::from_static("accept"));
    protect(headers);
    Some(response)
}
