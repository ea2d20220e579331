//! Web pages for people: the list of problem codes and Swagger UI, served from the binary.

use actix_web::{HttpRequest, HttpResponse, get, http::header::LOCATION, web};
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::{
    http::{guard::app_of, problem::Problem},
    pages::{self, Frame, ProblemCodes},
};

/// The page of problem codes. The `type` of a problem links to it.
#[get("/docs/problems")]
pub(crate) async fn problems(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let frame = Frame::new(&request, "Problems", "Every error code of this server, with its meaning and remedy.");
    pages::answer(&request, &ProblemCodes::of(frame, app_of(&request).declared))
}

/// Redirects `/docs` to `/docs/`, where the relative links of the documentation work.
#[get("/docs")]
pub(crate) async fn docs_folder() -> HttpResponse {
    HttpResponse::TemporaryRedirect().insert_header((LOCATION, "/docs/")).finish()
}

/// Serves Swagger UI at `/docs/` from the binary. It fetches nothing from other servers.
pub(crate) fn docs(config: &mut web::ServiceConfig) {
    let ui = Config::new(["/openapi.json"]).try_it_out_enabled(true).persist_authorization(true).deep_linking(true);
    // Without this, every reader's browser asks validator.swagger.io to validate the document.
    let ui = ui.validator_url("none");
    config.service(docs_folder).service(SwaggerUi::new("/docs/{_:.*}").config(ui));
}
