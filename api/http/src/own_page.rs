//! A page that a handler shows in place of the general page of a problem.

use actix_web::{HttpMessage, HttpRequest, HttpResponse};

use super::problem::Problem;

type Render = dyn FnOnce(&Problem, &str) -> Option<HttpResponse>;

/// The page for the problem that the handler answers with: for example a form with what was entered. It is kept in the
/// request's extensions until the outermost middleware has the problem and the id of the request.
pub struct OwnPage(Box<Render>);

impl OwnPage {
    /// Keeps a page for the problem of this request.
    pub fn keep(request: &HttpRequest, render: impl FnOnce(&Problem, &str) -> Option<HttpResponse> + 'static) {
        request.extensions_mut().insert(Self(Box::new(render)));
    }

    /// Renders the page that was kept, if there is one.
    pub(super) fn render(request: &HttpRequest, problem: &Problem, request_id: &str) -> Option<HttpResponse> {
        let page = request.extensions_mut().remove::<Self>()?;
        (page.0)(problem, request_id)
    }
}
