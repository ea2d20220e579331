//! The owner's account: e-mail address, password, sessions and deletion.

use actix_web::{HttpRequest, HttpResponse, get, post};
use askama::Template;
use buildtrack_accounts::identity::{
    account_schemas::{AccountEnd, EmailChange, PasswordChange},
    credentials, departure, session_lists,
};
use buildtrack_domain::identity::PASSWORD_MAX;
use buildtrack_http::{
    app::App,
    guard::app_of,
    problem::Problem,
    query::{Parameters, path_id},
    session_cookie,
};
use buildtrack_pages::{Frame, filters};
use buildtrack_store::SessionView;

use super::{
    Portal, SignedIn, answer,
    form::{Form, Pressed},
    frame, refused, see,
    shown::{Field, FormShown, Kind},
    sign_in::EMAIL_MAX,
};

#[derive(Template)]
#[template(path = "portal/account.html")]
struct AccountPage {
    frame: Frame,
    portal: Portal,
    /// The active sessions, with whether the request uses it.
    sessions: Vec<(SessionView, bool)>,
    forms: Forms,
}

/// The forms of the page.
struct Forms {
    email: FormShown,
    password: FormShown,
    deletion: FormShown,
}

impl Forms {
    fn new(token: &str) -> Self {
        Self { email: email_form(token), password: password_form(token), deletion: deletion_form(token) }
    }
}

/// The owner's account.
#[get("/account")]
pub(super) async fn show(request: HttpRequest, owner: SignedIn) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(&request, &["done"]);
    let done = parameters.text("done");
    parameters.finish()?;
    let notice = match done.as_deref() {
        Some("email") => Some("portal-done-email"),
        Some("password") => Some("portal-done-password"),
        Some("session") => Some("portal-done-session"),
        Some("sessions") => Some("portal-done-sessions"),
        _ => None,
    };
    let sessions = sessions(&app_of(&request), &owner).await?;
    let portal = Portal { notice, ..Portal::of(&request, "account") };
    let forms = Forms::new(&portal.token);
    answer(&request, &account_page(portal, sessions, forms))
}

async fn sessions(app: &App, owner: &SignedIn) -> Result<Vec<(SessionView, bool)>, Problem> {
    let caller = &owner.0.caller;
    let current = caller.session().id;
    let sessions = app.store.identity().sessions_of(caller.id()).await?;
    let marked = sessions.into_iter().map(|session| {
        let is_current = session.id == current;
        (session, is_current)
    });
    Ok(marked.collect())
}

fn account_page(portal: Portal, sessions: Vec<(SessionView, bool)>, forms: Forms) -> AccountPage {
    let frame = frame(&portal.language.say("portal-account"));
    AccountPage { frame, portal, sessions, forms }
}

fn email_form(token: &str) -> FormShown {
    let fields = vec![
        Field::new("email", "portal-email-new", Kind::Email, EMAIL_MAX),
        Field::new("password", "portal-password-current", Kind::Password("current-password"), PASSWORD_MAX),
    ];
    FormShown::new("address", "/portal/account/email", "portal-email-change", token).with(fields)
}

fn password_form(token: &str) -> FormShown {
    let fields = vec![
        Field::new("password", "portal-password-current", Kind::Password("current-password"), PASSWORD_MAX),
        Field::new("newPassword", "portal-password-new", Kind::Password("new-password"), PASSWORD_MAX)
            .help("portal-password-help"),
    ];
    FormShown::new("change", "/portal/account/password", "portal-password-change", token).with(fields)
}

fn deletion_form(token: &str) -> FormShown {
    let fields = vec![
        Field::new(
            "texts",
            "portal-deletion-texts",
            Kind::Choice(&[("keep", "portal-deletion-keep"), ("redact", "portal-deletion-redact")]),
            0,
        ),
        Field::new("password", "portal-password-current", Kind::Password("current-password"), PASSWORD_MAX),
    ];
    FormShown::new("deletion", "/portal/account/deletion", "portal-deletion-button", token).with(fields).grave()
}

/// Changes the e-mail address. A server with mail asks for the token that it sends to the new one.
#[post("/account/email")]
pub(super) async fn change_email(
    request: HttpRequest,
    owner: SignedIn,
    form: Form<EmailChange>,
) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let changed = async { credentials::replace_email(&request, &owner.0, body?).await }.await;
    let problem = match changed {
        Ok(true) => return Ok(see("/portal/confirmations/email?done=mail")),
        Ok(false) => return Ok(see("/portal/account?done=email")),
        Err(problem) => problem,
    };
    let sessions = sessions(&app_of(&request), &owner).await?;
    let portal = Portal::of(&request, "account");
    let mut forms = Forms::new(&portal.token);
    forms.email = forms.email.filled(&entered, &problem);
    Err(refused(&request, problem, portal, |portal| account_page(portal, sessions, forms)))
}

/// Changes the password.
#[post("/account/password")]
pub(super) async fn change_password(
    request: HttpRequest,
    owner: SignedIn,
    form: Form<PasswordChange>,
) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let changed = async { credentials::replace_password(&request, &owner.0, body?).await }.await;
    let Err(problem) = changed else { return Ok(see("/portal/account?done=password")) };
    let sessions = sessions(&app_of(&request), &owner).await?;
    let portal = Portal::of(&request, "account");
    let mut forms = Forms::new(&portal.token);
    forms.password = forms.password.filled(&entered, &problem);
    Err(refused(&request, problem, portal, |portal| account_page(portal, sessions, forms)))
}

/// Ends the session that the button names, or all others.
#[post("/account/sessions")]
pub(super) async fn end_sessions(
    request: HttpRequest,
    owner: SignedIn,
    pressed: Pressed,
) -> Result<HttpResponse, Problem> {
    let (app, caller) = (app_of(&request), &owner.0.caller);
    match pressed.0.text("session") {
        "others" => {
            session_lists::end_other_sessions(&app, caller).await?;
            Ok(see("/portal/account?done=sessions"))
        }
        id => {
            session_lists::end_session(&app, caller, path_id(id, "session")?).await?;
            Ok(see("/portal/account?done=session"))
        }
    }
}

/// Deletes the account.
#[post("/account/deletion")]
pub(super) async fn delete(
    request: HttpRequest,
    owner: SignedIn,
    form: Form<AccountEnd>,
) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let app = app_of(&request);
    let left = async { departure::delete_account(&request, &owner.0, body?).await }.await;
    let Err(problem) = left else {
        let mut response = see("/portal/sign-in?done=deleted");
        response.add_cookie(&session_cookie::expired(&app)).map_err(|error| Problem::internal(&error))?;
        return Ok(response);
    };
    let sessions = sessions(&app, &owner).await?;
    let portal = Portal::of(&request, "account");
    let mut forms = Forms::new(&portal.token);
    forms.deletion = forms.deletion.filled(&entered, &problem);
    Err(refused(&request, problem, portal, |portal| account_page(portal, sessions, forms)))
}
