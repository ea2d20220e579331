//! The switch of the language, which every page has at its end.

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::header::{CACHE_CONTROL, LOCATION},
    web::Path,
};
use buildtrack_http::{guard::app_of, problem::Problem, query::Parameters};

use super::{languages::Language, reader::is_local};

/// Chooses a language for the pages, and returns to the page that was read.
#[get("/language/{tag}")]
pub(crate) async fn choose_language(request: HttpRequest, tag: Path<String>) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(&request, &["next"]);
    let next = parameters.raw("next");
    parameters.finish()?;
    let language = Language::tagged(&tag).ok_or_else(|| Problem::not_found("language"))?;
    let next = next.filter(|address| is_local(address)).unwrap_or_else(|| "/".to_owned());
    let mut response =
        HttpResponse::SeeOther().insert_header((LOCATION, next)).insert_header((CACHE_CONTROL, "no-store")).finish();
    response.add_cookie(&language.chosen(&app_of(&request))).map_err(|error| Problem::internal(&error))?;
    Ok(response)
}
