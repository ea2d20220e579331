//! The portal: pages on which owners open an account, register agents and manage both, with forms in place of API calls.
//!
//! A form is the body of the API's operation with the same fields: the same schema checks it, and the same command runs. The
//! session is one of the API's, its token in a cookie.
//!
//! **Invariant:** a form changes something only if the browser says that it comes from a page of this server, and, with a
//! session, if it holds that session's form token ([`form`]).

mod account;
mod agents;
pub(crate) mod codes;
mod form;
mod origin;
mod shown;
mod sign_in;

use std::future::{Ready, ready};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest, HttpResponse, ResponseError,
    dev::Payload,
    http::{StatusCode, header::LOCATION},
    middleware::from_fn,
    web,
};
use askama::Template;

use crate::{
    http::{
        auth::{Authenticated, OwnerCaller},
        fallback::fallback,
        guard::{app_of, guard},
        own_page::OwnPage,
        problem::Problem,
    },
    pages::{self, Frame, encoded},
};

use shown::ProblemShown;

/// Paths of the portal on which a caller could guess secrets.
pub(crate) const LOGINS: &[&str] = &["/portal/sign-in", "/portal/sign-up"];

/// The paths of the portal with their methods, for the answers 404 and 405.
pub(crate) const PATHS: &[(&str, &str)] = &[
    ("/portal", "GET, HEAD"),
    ("/portal/sign-in", "GET, HEAD, POST"),
    ("/portal/sign-up", "GET, HEAD, POST"),
    ("/portal/sign-out", "POST"),
    ("/portal/agents", "POST"),
    ("/portal/agents/new", "GET, HEAD"),
    ("/portal/agents/{id}", "GET, HEAD"),
    ("/portal/agents/{id}/key", "POST"),
    ("/portal/agents/{id}/deactivation", "POST"),
    ("/portal/account", "GET, HEAD"),
    ("/portal/account/password", "POST"),
    ("/portal/account/sessions", "POST"),
    ("/portal/account/deletion", "POST"),
];

/// The routes of the portal.
pub(crate) fn portal(config: &mut web::ServiceConfig) {
    let scope = web::scope("/portal")
        .service(agents::list)
        .service(sign_in::show)
        .service(sign_in::enter)
        .service(sign_in::show_new)
        .service(sign_in::open)
        .service(sign_in::leave)
        .service(agents::show_new)
        .service(agents::register)
        .service(agents::show)
        .service(agents::renew_key)
        .service(agents::deactivate)
        .service(account::show)
        .service(account::change_password)
        .service(account::end_sessions)
        .service(account::delete)
        .default_service(web::to(fallback))
        .wrap(from_fn(guard));
    config.service(scope);
}

/// The owner whose session is in the cookie.
struct SignedIn(OwnerCaller);

impl FromRequest for SignedIn {
    type Error = SignInFirst;
    type Future = Ready<Result<Self, SignInFirst>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let owner = OwnerCaller::from_request(request, payload).into_inner();
        ready(owner.map(Self).map_err(|_| SignInFirst { wanted: request.path().to_owned() }))
    }
}

/// Sends a browser without a session to the login, from where it comes back.
#[derive(Debug)]
struct SignInFirst {
    wanted: String,
}

impl std::fmt::Display for SignInFirst {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} requires a session", self.wanted)
    }
}

impl ResponseError for SignInFirst {
    fn status_code(&self) -> StatusCode {
        StatusCode::SEE_OTHER
    }

    fn error_response(&self) -> HttpResponse {
        see(&format!("/portal/sign-in?next={}", encoded(&self.wanted)))
    }
}

/// What every page of the portal shows around its contents.
struct Portal {
    /// The public name of the owner who is signed in.
    owner: Option<String>,
    /// The form token of the session; empty without one.
    token: String,
    /// The entry of the portal's navigation that is marked.
    tab: &'static str,
    /// What was just done.
    notice: Option<&'static str>,
    /// Why the form that was just sent changed nothing.
    problem: Option<ProblemShown>,
}

impl Portal {
    fn of(request: &HttpRequest, tab: &'static str) -> Self {
        let known = request.extensions().get::<Authenticated>().cloned();
        let token = known.as_ref().map(|known| origin::form_token(&app_of(request), known)).unwrap_or_default();
        Self { owner: known.map(|known| known.session.actor.name.clone()), token, tab, notice: None, problem: None }
    }

    fn with_problem(self, problem: &Problem, request_id: &str) -> Self {
        Self { problem: Some(ProblemShown::of(problem, request_id)), ..self }
    }
}

fn frame(title: &str) -> Frame {
    Frame::unlisted(title).within("portal", "")
}

/// Answers with a page that only this owner sees.
fn answer(page: &impl Template) -> Result<HttpResponse, Problem> {
    pages::answer_private(page)
}

/// Returns the problem, and keeps the page that shows it: the form with what was entered.
fn refused<P: Template>(
    request: &HttpRequest,
    problem: Problem,
    portal: Portal,
    page: impl FnOnce(Portal) -> P + 'static,
) -> Problem {
    OwnPage::keep(request, move |problem, request_id| {
        pages::explained(problem, request_id, &page(portal.with_problem(problem, request_id)))
    });
    problem
}

/// Sends the browser to another page after a form has been carried out, so that loading that page again repeats nothing.
fn see(path: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, path)).finish()
}
