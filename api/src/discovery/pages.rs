//! The page of problem codes.

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_http::{guard::app_of, problem::Problem, validators::Basis};
use buildtrack_pages::{self as pages, Frame, ProblemCodes};

/// The page of problem codes. The `type` of a problem links to it.
#[get("/docs/problems")]
pub(crate) async fn problems(request: HttpRequest) -> Result<HttpResponse, Problem> {
    if let Some(unchanged) = pages::unchanged_as_of(&request, Basis::State("")).await? {
        return Ok(unchanged);
    }
    let language = pages::language(&request);
    let frame = Frame::new(&request, &language.say("guide-problems"), language.say("guide-problems-description"));
    pages::answer(&request, &ProblemCodes::of(frame, app_of(&request).declared))
}
