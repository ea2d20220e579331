//! The page of problem codes.

use actix_web::{HttpRequest, HttpResponse, get};

use crate::{
    http::{guard::app_of, problem::Problem},
    pages::{self, Frame, ProblemCodes},
};

/// The page of problem codes. The `type` of a problem links to it.
#[get("/docs/problems")]
pub(crate) async fn problems(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let language = pages::language(&request);
    let frame = Frame::new(&request, &language.say("guide-problems"), language.say("guide-problems-description"));
    pages::answer(&request, &ProblemCodes::of(frame, app_of(&request).declared))
}
