//! Opening an account, login and logout.

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, post};
use askama::Template;
use buildtrack_accounts::identity::{accounts, mails, schemas::NewAccount, session_schemas::Login, sessions};
use buildtrack_domain::identity::{NAME_MAX, PASSWORD_MAX};
use buildtrack_http::{guard::app_of, idempotency::Key, problem::Problem, query::Parameters, session_cookie};
use buildtrack_pages::{Frame, encoded, filters, is_local};
use buildtrack_settings::Registration;

use super::{
    Portal, SignedIn, answer,
    form::{Entered, Form, Pressed},
    frame, refused, see,
    shown::{Field, FormShown, Kind},
};

pub(super) const EMAIL_MAX: u64 = 254;
const INVITE_MAX: u64 = 100;

#[derive(Template)]
#[template(path = "portal/sign-in.html")]
struct SignInPage {
    frame: Frame,
    portal: Portal,
    form: FormShown,
    /// Whether the server can send a mail to set a new password.
    has_mail: bool,
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
    let (wanted, done) = (parameters.raw("next"), parameters.text("done"));
    parameters.finish()?;
    let wanted = wanted.filter(|path| is_page(path));
    let notice = match done.as_deref() {
        Some("open") => Some("portal-done-open"),
        Some("password") => Some("portal-done-password-sign-in"),
        Some("deleted") => Some("portal-done-deleted"),
        _ => None,
    };
    let portal = Portal { notice, ..Portal::of(&request, "") };
    let has_mail = mails::is_configured(&app_of(&request));
    answer(&request, &sign_in_page(portal, login_form(wanted.as_deref()), has_mail))
}

fn sign_in_page(portal: Portal, form: FormShown, has_mail: bool) -> SignInPage {
    SignInPage { frame: frame(&portal.language.say("portal-sign-in")), portal, form, has_mail }
}

fn login_form(wanted: Option<&str>) -> FormShown {
    let fields = vec![
        Field::new("email", "portal-email", Kind::Email, EMAIL_MAX),
        Field::new("password", "portal-password", Kind::Password("current-password"), PASSWORD_MAX),
    ];
    let action = match wanted {
        Some(wanted) => format!("/portal/sign-in?next={}", encoded(wanted)),
        None => "/portal/sign-in".to_owned(),
    };
    FormShown::new("login", action, "portal-sign-in", "").with(fields)
}

/// Opens a session, and goes to the page that was wanted.
#[post("/sign-in")]
pub(super) async fn enter(request: HttpRequest, form: Form<Login>) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(&request, &["next"]);
    let wanted = parameters.raw("next");
    parameters.finish()?;
    let wanted = wanted.filter(|path| is_page(path));
    let Form { entered, body } = form;
    let opened = async { sessions::open(&request, body?, &Key::default()).await }.await;
    match opened {
        Ok((session, _)) => {
            let mut response = see(wanted.as_deref().unwrap_or("/portal"));
            let cookie = session_cookie::holding(&app_of(&request), session.token, sessions::LENGTH);
            response.add_cookie(&cookie).map_err(|error| Problem::internal(&error))?;
            Ok(response)
        }
        Err(problem) => {
            let form = login_form(wanted.as_deref()).filled(&entered, &problem);
            let has_mail = mails::is_configured(&app_of(&request));
            Err(refused(&request, problem, Portal::of(&request, ""), move |portal| {
                sign_in_page(portal, form, has_mail)
            }))
        }
    }
}

/// Whether a path is that of a page of the portal, so that a link to the login leads to no other site.
fn is_page(path: &str) -> bool {
    session_cookie::is_portal(path) && is_local(path)
}

/// The form for a new account.
#[get("/sign-up")]
pub(super) async fn show_new(request: HttpRequest) -> Result<HttpResponse, Problem> {
    Parameters::of(&request, &[]).finish()?;
    let form = account_form(&request);
    answer(&request, &sign_up_page(Portal::of(&request, ""), form))
}

fn sign_up_page(portal: Portal, form: Option<FormShown>) -> SignUpPage {
    SignUpPage { frame: frame(&portal.language.say("portal-sign-up")), portal, form }
}

fn account_form(request: &HttpRequest) -> Option<FormShown> {
    let mut fields = vec![
        Field::new("displayName", "portal-name", Kind::Text, NAME_MAX).help("portal-sign-up-name-help"),
        Field::new("email", "portal-email", Kind::Email, EMAIL_MAX).help("portal-sign-up-email-help"),
        Field::new("password", "portal-password", Kind::Password("new-password"), PASSWORD_MAX)
            .help("portal-password-help"),
    ];
    match app_of(request).settings.registration {
        Registration::Closed => return None,
        Registration::Invite => {
            fields.push(Field::new("invite", "portal-invite", Kind::Text, INVITE_MAX).help("portal-invite-help"));
        }
        Registration::Open => {}
    }
    Some(FormShown::new("account", "/portal/sign-up", "portal-sign-up-button", "").with(fields))
}

/// Opens an account. The answer does not say whether the address has one already.
#[post("/sign-up")]
pub(super) async fn open(request: HttpRequest, form: Form<NewAccount>) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let begun = async { accounts::open_account(&request, body?, &Key::default()).await }.await;
    match begun {
        Ok(answer) if answer.status() == StatusCode::ACCEPTED => Ok(see("/portal/confirmations/account?done=mail")),
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
