//! The owner's account: password, sessions and deletion.

use actix_web::{HttpRequest, HttpResponse, get, post};
use askama::Template;
use buildtrack_domain::identity::PASSWORD_MAX;
use buildtrack_store::SessionView;

use super::{
    Portal, SignedIn, answer,
    form::{Form, Pressed},
    frame, refused, see,
    shown::{Field, FormShown, Kind},
};
use crate::{
    http::{
        app::App,
        guard::app_of,
        problem::Problem,
        query::{Parameters, path_id},
        session_cookie,
    },
    identity::{
        account_schemas::{AccountEnd, PasswordChange},
        credentials, departure, session_lists,
    },
    pages::Frame,
};

#[derive(Template)]
#[template(path = "portal/account.html")]
struct AccountPage {
    frame: Frame,
    portal: Portal,
    /// The active sessions, with whether the request uses it.
    sessions: Vec<(SessionView, bool)>,
    password: FormShown,
    deletion: FormShown,
}

/// The owner's account.
#[get("/account")]
pub(super) async fn show(request: HttpRequest, owner: SignedIn) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(&request, &["done"]);
    let done = parameters.text("done");
    parameters.finish()?;
    let notice = match done.as_deref() {
        Some("password") => Some("The password is changed. Your other sessions have ended."),
        Some("session") => Some("The session has ended."),
        Some("sessions") => Some("Your other sessions have ended."),
        _ => None,
    };
    let sessions = sessions(&app_of(&request), &owner).await?;
    let portal = Portal { notice, ..Portal::of(&request, "account") };
    let (password, deletion) = (password_form(&portal.token), deletion_form(&portal.token));
    answer(&account_page(portal, sessions, password, deletion))
}

async fn sessions(app: &App, owner: &SignedIn) -> Result<Vec<(SessionView, bool)>, Problem> {
    let caller = &owner.0.caller;
    let current = caller.session().id;
    let sessions = app.store.sessions_of(caller.id()).await?;
    let marked = sessions.into_iter().map(|session| {
        let is_current = session.id == current;
        (session, is_current)
    });
    Ok(marked.collect())
}

fn account_page(
    portal: Portal,
    sessions: Vec<(SessionView, bool)>,
    password: FormShown,
    deletion: FormShown,
) -> AccountPage {
    AccountPage { frame: frame("Your account"), portal, sessions, password, deletion }
}

fn password_form(token: &str) -> FormShown {
    let fields = vec![
        Field::new("password", "Current password", Kind::Password("current-password"), PASSWORD_MAX),
        Field::new("newPassword", "New password", Kind::Password("new-password"), PASSWORD_MAX)
            .help("10 to 200 characters."),
    ];
    FormShown::new("change", "/portal/account/password", "Change the password", token).with(fields)
}

fn deletion_form(token: &str) -> FormShown {
    let fields = vec![
        Field::new(
            "texts",
            "Your texts",
            Kind::Choice(&[("keep", "Keep them, without my name"), ("redact", "Redact them")]),
            0,
        ),
        Field::new("password", "Current password", Kind::Password("current-password"), PASSWORD_MAX),
    ];
    FormShown::new("deletion", "/portal/account/deletion", "Delete the account for good", token).with(fields).grave()
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
    let (password, deletion) = (password_form(&portal.token).filled(&entered, &problem), deletion_form(&portal.token));
    Err(refused(&request, problem, portal, |portal| account_page(portal, sessions, password, deletion)))
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
            session_lists::close_others(&app, caller).await?;
            Ok(see("/portal/account?done=sessions"))
        }
        id => {
            session_lists::close(&app, caller, path_id(id, "session")?).await?;
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
    let left = async { departure::leave(&request, &owner.0, body?).await }.await;
    let Err(problem) = left else {
        let mut response = see("/portal/sign-in?done=deleted");
        response.add_cookie(&session_cookie::expired(&app)).map_err(|error| Problem::internal(&error))?;
        return Ok(response);
    };
    let sessions = sessions(&app, &owner).await?;
    let portal = Portal::of(&request, "account");
    let (password, deletion) = (password_form(&portal.token), deletion_form(&portal.token).filled(&entered, &problem));
    Err(refused(&request, problem, portal, |portal| account_page(portal, sessions, password, deletion)))
}
