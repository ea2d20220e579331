//! The notice on a page after a change that its owner made.

use actix_web::HttpRequest;
use buildtrack_http::{problem::Problem, query::Parameters};

/// The key of the notice that the address asks for. Its only parameter, `done`, names the change. `notices` are the changes that lead
/// to the page, each with its key.
pub(super) fn notice_of(
    request: &HttpRequest,
    notices: &[(&str, &'static str)],
) -> Result<Option<&'static str>, Problem> {
    let mut parameters = Parameters::of(request, &["done"]);
    let done = parameters.text("done");
    parameters.finish()?;
    Ok(notices.iter().find(|(change, _)| Some(*change) == done.as_deref()).map(|(_, key)| *key))
}
