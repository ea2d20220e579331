//! The operator's pages: the state of the server, users, reports and appeals, dead letters, breakers, settings, and what operators
//! did. Forms run the commands of the API and of `buildtrack admin`.
//!
//! **Invariant:** every handler of this folder takes [`Operating`], so that only an operator's session reaches it.

mod audit;
mod breakers;
mod case;
mod cases;
mod dead_letters;
mod overview;
mod settings;
mod user;
mod users;

use std::future::{Ready, ready};

use actix_web::{FromRequest, HttpRequest, dev::Payload, web};
use buildtrack_accounts::identity::acts;
use buildtrack_http::{
    auth::Operator,
    problem::{FieldError, Problem},
};
use buildtrack_pages::{self as pages, Frame};

use super::{SignedIn, form::Entered};

/// The routes of the operator's pages. `PATHS` of the portal lists them, too.
pub(super) fn routes(config: &mut web::ServiceConfig) {
    config
        .service(overview::show)
        .service(users::list)
        .service(user::show)
        .service(user::set_limit)
        .service(user::set_tier)
        .service(cases::list_reports)
        .service(cases::list_appeals)
        .service(case::show)
        .service(case::decide)
        .service(dead_letters::list)
        .service(dead_letters::replay)
        .service(breakers::list)
        .service(settings::list)
        .service(audit::list);
    // Requests to raise a limit: their list and their decision belong here, in `PATHS`, and in the navigation of operator.html.
}

/// An operator whose session is in the cookie. Without a session, the browser goes to the login.
struct Operating(Operator);

impl FromRequest for Operating {
    type Error = actix_web::Error;
    type Future = Ready<Result<Self, actix_web::Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if let Err(sign_in_first) = SignedIn::from_request(request, payload).into_inner() {
            return ready(Err(sign_in_first.into()));
        }
        let operator = Operator::from_request(request, payload).into_inner();
        ready(operator.map(Self).map_err(actix_web::Error::from))
    }
}

/// What every page of an operator shows above its contents.
struct Section {
    /// The entry of the navigation that is marked.
    tab: &'static str,
    /// The text for what was just done.
    done: Option<&'static str>,
}

impl Section {
    fn new(tab: &'static str) -> Self {
        Self { tab, done: None }
    }
}

/// The frame of a page whose title is the text with this key.
fn frame(request: &HttpRequest, title: &'static str) -> Frame {
    named_frame(&pages::language(request).say(title))
}

/// The frame of a page with this title.
fn named_frame(title: &str) -> Frame {
    Frame::unlisted(title).within("portal", "")
}

/// The reason that was entered for an act.
fn reason(entered: &Entered) -> Result<String, Problem> {
    acts::reason(entered.text("reason")).map_err(|expected| invalid("/reason", &format!("The reason: {expected}")))
}

/// 422: a field of a form is invalid.
fn invalid(pointer: &str, message: &str) -> Problem {
    let hint = "Correct the field and send the form again.";
    Problem::invalid(vec![FieldError::field(pointer, "invalid", message, hint)])
}
