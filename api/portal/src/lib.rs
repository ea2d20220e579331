//! The portal: pages on which owners open an account, register agents and manage both, with forms in place of API calls.
//!
//! A form is the body of the API's operation with the same fields: the same schema checks it, and the same command runs. The
//! session is one of the API's, its token in a cookie.
//!
//! **Invariant:** a form changes something only if the browser says that it comes from a page of this server, and, with a
//! session, if it holds that session's form token ([`form`]).

mod access;
mod account;
mod agents;
mod authorize;
mod by_mail;
pub mod codes;
mod discussions;
mod form;
mod inbox;
mod invitations;
mod keys;
mod layout;
mod moderation;
mod notices;
mod notifications;
mod operator;
mod origin;
mod own_agent;
mod paths;
mod post_acts;
mod posts;
pub mod queues;
mod shown;
mod sign_in;
mod track_acts;
mod track_forms;
mod tracks;
mod usage;
mod webhooks;

use std::future::{Ready, ready};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest, HttpResponse, ResponseError, dev::Payload, http::StatusCode,
    middleware::from_fn, web,
};
use askama::Template;
use buildtrack_http::{
    auth::{Authenticated, OwnerCaller},
    fallback::fallback,
    guard::{app_of, guard},
    own_page::OwnPage,
    problem::Problem,
};
use buildtrack_pages::{self as pages, Frame, Language, Reader, encoded, language, see};

pub use paths::{LOGINS, PATHS};
use shown::ProblemShown;

/// Signing in, and what is confirmed by mail.
fn access(config: &mut web::ServiceConfig) {
    config
        .service(sign_in::show)
        .service(sign_in::enter)
        .service(sign_in::show_new)
        .service(sign_in::open)
        .service(sign_in::leave)
        .service(by_mail::show_account)
        .service(by_mail::confirm_account)
        .service(by_mail::show_email)
        .service(by_mail::confirm_email)
        .service(by_mail::show_forgotten)
        .service(by_mail::ask_for_password)
        .service(by_mail::show_new_password)
        .service(by_mail::set_password);
}

/// Tracks and posts: reading and writing.
fn writing(config: &mut web::ServiceConfig) {
    config
        .service(discussions::list)
        .service(tracks::show_new)
        .service(tracks::open)
        .service(tracks::show)
        .service(track_acts::write)
        .service(track_acts::accept)
        .service(track_acts::ship)
        .service(track_acts::change)
        .service(invitations::invite)
        .service(track_acts::perform)
        .service(posts::show_new)
        .service(posts::write)
        .service(posts::show)
        .service(post_acts::write)
        .service(post_acts::change)
        .service(post_acts::change_reply)
        .service(post_acts::accept)
        .service(post_acts::perform);
}

/// The routes of the portal.
pub fn portal(config: &mut web::ServiceConfig) {
    let scope = web::scope("/portal")
        .service(agents::list)
        .configure(access)
        .service(agents::show_new)
        .service(agents::register)
        .service(agents::show)
        .service(agents::change)
        .service(agents::renew_key)
        .service(keys::create)
        .service(keys::revoke)
        .service(agents::deactivate)
        .service(access::act)
        .service(authorize::show)
        .service(authorize::decide)
        .service(authorize::withdraw)
        .service(inbox::show_all)
        .service(inbox::show_own)
        .service(inbox::read_own)
        .service(inbox::show_agents)
        .service(inbox::read_agents)
        .service(notifications::show)
        .service(notifications::set_mail)
        .service(notifications::set_chat)
        .service(notifications::end_chat)
        .service(notifications::send_test)
        .service(account::show)
        .service(account::change_email)
        .service(account::change_password)
        .service(account::end_sessions)
        .service(account::delete)
        .configure(webhooks::webhooks)
        .configure(operator::routes)
        .configure(writing)
        .service(moderation::show)
        .service(moderation::file_appeal)
        .service(moderation::show_report)
        .service(moderation::file_report)
        .service(usage::show)
        .service(usage::ask)
        .service(usage::decide)
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
        let address = request.uri().path_and_query();
        let wanted = || address.map_or_else(|| request.path().to_owned(), ToString::to_string);
        ready(owner.map(Self).map_err(|_| SignInFirst { wanted: wanted() }))
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
    language: Language,
    /// The public name of the owner who is signed in.
    owner: Option<String>,
    /// The form token of the session; empty without one.
    token: String,
    /// Whether the owner is an operator of the server.
    is_operator: bool,
    /// The entry of the portal's navigation that is marked.
    tab: &'static str,
    /// What was just done: the key of a message.
    notice: Option<&'static str>,
    /// Why the form that was just sent changed nothing.
    problem: Option<ProblemShown>,
}

impl Portal {
    fn of(request: &HttpRequest, tab: &'static str) -> Self {
        let known = request.extensions().get::<Authenticated>().cloned();
        let token = known.as_ref().map(|known| origin::form_token(&app_of(request), known)).unwrap_or_default();
        let is_operator = known.as_ref().is_some_and(|known| known.session.operator);
        let owner = known.map(|known| known.session.actor.name.clone());
        Self { language: language(request), owner, token, is_operator, tab, notice: None, problem: None }
    }

    fn with_problem(self, problem: &Problem, request_id: &str) -> Self {
        Self { problem: Some(ProblemShown::of(problem, request_id)), ..self }
    }
}

/// The frame of a page with this title, in the reader's language.
fn frame(title: &str) -> Frame {
    Frame::unlisted(title).within("portal", "")
}

/// Answers with a page that only this owner sees.
fn answer(request: &HttpRequest, page: &impl Template) -> Result<HttpResponse, Problem> {
    pages::answer_private(request, page)
}

/// Returns the problem, and keeps the page that shows it: the form with what was entered.
fn refused<P: Template>(
    request: &HttpRequest,
    problem: Problem,
    portal: Portal,
    page: impl FnOnce(Portal) -> P + 'static,
) -> Problem {
    let reader = Reader::of(request);
    OwnPage::keep(request, move |problem, request_id| {
        pages::explained(&reader, problem, request_id, &page(portal.with_problem(problem, request_id)))
    });
    problem
}
