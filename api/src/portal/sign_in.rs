//! Opening an account, login and logout.

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, post};
use askama::Template;
use buildtrack_domain::identity::{NAME_MAX, PASSWORD_MAX};
use buildtrack_settings::Registration;

use super::{
    Portal, SignedIn, answer,
    form::{Entered, Form, Pressed},
    frame, refused, see,
    shown::{Field, FormShown, Kind},
};
use crate::{
    http::{guard::app_of, idempotency::Key, problem::Problem, query::Parameters, session_cookie},
    identity::{accounts, schemas::NewAccount, session_schemas::Login, sessions},
    pages::{Frame, encoded},
};

const EMAIL_MAX: u64 = 254;
const INVITE_MAX: u64 = 100;
const ACCOUNT_OPEN: &str = "The account is open. Sign in with its e-mail address and password.";
const SEE_MAIL: &str = "We have sent a mail to the address. It names the next step.";
const PASSWORD_CHANGED: &str = "The password is changed. Sign in with the new one.";
const DELETED: &str = "Your account is deleted.";

#[derive(Template)]
#[template(path = "portal/sign-in.html")]
struct SignInPage {
    frame: Frame,
    portal: Portal,
    form: FormShown,
}

#[derive(Template)]
#[template(path = "portal/sign-up.html")]
struct SignUpPage {
    frame: Frame,
    portal: Portal,
    /// `None` if the server opens no accounts.
    form: Option<FormShown>,
}

/// The login.
#[get("/sign-in")]
pub(super) async fn show(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(&request, &["next", "done"]);
    let (wanted, done) = (parameters.text("next"), parameters.text("done"));
    parameters.finish()?;
    let notice = match done.as_deref() {
        Some("open") => Some(ACCOUNT_OPEN),
        Some("mail") => Some(SEE_MAIL),
        Some("password") => Some(PASSWORD_CHANGED),
        Some("deleted") => Some(DELETED),
        _ => None,
    };
    let portal = Portal { notice, ..Portal::of(&request, "") };
    answer(&sign_in_page(portal, login_form(wanted.as_deref())))
}

fn sign_in_page(portal: Portal, form: FormShown) -> SignInPage {
    SignInPage { frame: frame("Sign in"), portal, form }
}

fn login_form(wanted: Option<&str>) -> FormShown {
    let fields = vec![
        Field::new("email", "E-mail address", Kind::Email, EMAIL_MAX),
        Field::new("password", "Password", Kind::Password("current-password"), PASSWORD_MAX),
    ];
    let action = match wanted {
        Some(wanted) => format!("/portal/sign-in?next={}", encoded(wanted)),
        None => "/portal/sign-in".to_owned(),
    };
    FormShown::new("login", action, "Sign in", "").with(fields)
}

/// Opens a session, and goes to the page that was wanted.
#[post("/sign-in")]
pub(super) async fn enter(request: HttpRequest, form: Form<Login>) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(&request, &["next"]);
    let wanted = parameters.text("next");
    parameters.finish()?;
    let Form { entered, body } = form;
    let opened = async { sessions::open(&request, body?, &Key::default()).await }.await;
    match opened {
        Ok((session, _)) => {
            let mut response = see(wanted.as_deref().filter(|path| is_page(path)).unwrap_or("/portal"));
            let cookie = session_cookie::holding(&app_of(&request), session.token, sessions::LENGTH);
            response.add_cookie(&cookie).map_err(|error| Problem::internal(&error))?;
            Ok(response)
        }
        Err(problem) => {
            let form = login_form(wanted.as_deref()).filled(&entered, &problem);
            Err(refused(&request, problem, Portal::of(&request, ""), |portal| sign_in_page(portal, form)))
        }
    }
}

/// Whether a path is that of a page of the portal, so that a link to the login leads to no other site.
fn is_page(path: &str) -> bool {
    session_cookie::is_portal(path)
        && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-'))
}

/// The form for a new account.
#[get("/sign-up")]
pub(super) async fn show_new(request: HttpRequest) -> Result<HttpResponse, Problem> {
    Parameters::of(&request, &[]).finish()?;
    let form = account_form(&request);
    answer(&sign_up_page(Portal::of(&request, ""), form))
}

fn sign_up_page(portal: Portal, form: Option<FormShown>) -> SignUpPage {
    SignUpPage { frame: frame("Open an account"), portal, form }
}

fn account_form(request: &HttpRequest) -> Option<FormShown> {
    let mut fields = vec![
        Field::new("displayName", "Name", Kind::Text, NAME_MAX)
            .help("Public: it is shown with your texts and your agents."),
        Field::new("email", "E-mail address", Kind::Email, EMAIL_MAX).help("For the login. Never shown to others."),
        Field::new("password", "Password", Kind::Password("new-password"), PASSWORD_MAX).help("10 to 200 characters."),
    ];
    match app_of(request).settings.registration {
        Registration::Closed => return None,
        Registration::Invite => fields.push(
            Field::new("invite", "Invite code", Kind::Text, INVITE_MAX)
                .help("This server opens accounts by invitation. Its operator gives out the codes."),
        ),
        Registration::Open => {}
    }
    Some(FormShown::new("account", "/portal/sign-up", "Open the account", "").with(fields))
}

/// Opens an account. The answer does not say whether the address has one already.
#[post("/sign-up")]
pub(super) async fn open(request: HttpRequest, form: Form<NewAccount>) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let begun = async { accounts::begin_account(&request, body?, &Key::default()).await }.await;
    match begun {
        Ok(answer) if answer.status() == StatusCode::ACCEPTED => Ok(see("/portal/sign-in?done=mail")),
        Ok(_) => Ok(see("/portal/sign-in?done=open")),
        Err(problem) => Err(refused_account(&request, &entered, problem)),
    }
}

fn refused_account(request: &HttpRequest, entered: &Entered, problem: Problem) -> Problem {
    let form = account_form(request).map(|form| form.filled(entered, &problem));
    refused(request, problem, Portal::of(request, ""), |portal| sign_up_page(portal, form))
}

/// Ends the session, here and in the cookie.
#[post("/sign-out")]
pub(super) async fn leave(request: HttpRequest, owner: SignedIn, _: Pressed) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    sessions::close(&app, &owner.0.caller).await?;
    let mut response = see("/");
    response.add_cookie(&session_cookie::expired(&app)).map_err(|error| Problem::internal(&error))?;
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::is_page;

    #[test]
    fn the_login_leads_to_pages_of_the_portal_alone() {
        for path in ["/portal", "/portal/account", "/portal/agents/ag_01h2e8kqvbfwea724h75qc655w"] {
            assert!(is_page(path), "{path}");
        }
        for path in [
            "//evil.example",
            "/portal/../..//evil.example",
            "/portals",
            "https://evil.example/portal",
            "/portal\\",
            "",
        ] {
            assert!(!is_page(path), "{path}");
        }
    }
}
