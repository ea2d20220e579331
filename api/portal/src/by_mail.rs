//! What a token from a mail does: it opens an account, confirms an e-mail address, or sets a new password. Its reader copies it
//! from the mail into a form, so that no address, log or history of a browser holds it.

use actix_web::{HttpRequest, HttpResponse, get, post};
use askama::Template;
use buildtrack_accounts::identity::{
    account_schemas::{Confirmation, Reset, ResetRequest},
    accounts, credentials, recovery,
};
use buildtrack_domain::identity::PASSWORD_MAX;
use buildtrack_http::{guard::app_of, idempotency::Key, problem::Problem, query::Parameters};
use buildtrack_pages::{Frame, filters};

use super::{
    Portal, answer,
    form::{Entered, Form},
    frame, refused, see,
    shown::{Field, FormShown, Kind},
    sign_in::EMAIL_MAX,
};

/// The maximum number of characters of a token.
const TOKEN_MAX: u64 = 100;

/// A page with one form, for which no session is needed.
#[derive(Template)]
#[template(path = "portal/by-mail.html")]
struct MailPage {
    frame: Frame,
    portal: Portal,
    /// The keys of the heading and of the sentence below it.
    title: &'static str,
    lead: &'static str,
    form: FormShown,
}

/// What a page is for.
#[derive(Debug, Clone, Copy)]
enum Step {
    ConfirmAccount,
    ConfirmEmail,
    AskForPassword,
    SetPassword,
}

impl Step {
    fn path(self) -> &'static str {
        match self {
            Self::ConfirmAccount => "/portal/confirmations/account",
            Self::ConfirmEmail => "/portal/confirmations/email",
            Self::AskForPassword => "/portal/forgotten-password",
            Self::SetPassword => "/portal/new-password",
        }
    }

    /// The keys of the heading, of the sentence below it, and of the button.
    fn texts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::ConfirmAccount => ("portal-confirm-account", "portal-token-lead", "portal-confirm"),
            Self::ConfirmEmail => ("portal-confirm-email", "portal-token-lead", "portal-confirm"),
            Self::AskForPassword => ("portal-forgotten", "portal-forgotten-lead", "portal-forgotten-button"),
            Self::SetPassword => ("portal-new-password", "portal-token-lead", "portal-new-password-button"),
        }
    }

    fn form(self, token: &str) -> FormShown {
        let from_mail = || Field::new("token", "portal-token", Kind::Text, TOKEN_MAX).help("portal-token-help");
        let fields = match self {
            Self::ConfirmAccount | Self::ConfirmEmail => vec![from_mail()],
            Self::AskForPassword => vec![Field::new("email", "portal-email", Kind::Email, EMAIL_MAX)],
            Self::SetPassword => vec![
                from_mail(),
                Field::new("newPassword", "portal-password-new", Kind::Password("new-password"), PASSWORD_MAX)
                    .help("portal-password-help"),
            ],
        };
        FormShown::new("mail", self.path(), self.texts().2, token).with(fields)
    }

    fn page(self, portal: Portal, form: FormShown) -> MailPage {
        let (title, lead, _) = self.texts();
        MailPage { frame: frame(&portal.language.say(title)), portal, title, lead, form }
    }
}

fn show(request: &HttpRequest, step: Step) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(request, &["done"]);
    let done = parameters.text("done");
    parameters.finish()?;
    let notice = match done.as_deref() {
        Some("mail") => Some("portal-done-mail"),
        Some("reset") => Some("portal-done-reset"),
        _ => None,
    };
    let portal = Portal { notice, ..Portal::of(request, "") };
    let form = step.form(&portal.token);
    answer(request, &step.page(portal, form))
}

/// Goes on to a page, or shows the problem beside the form.
fn carried_out(
    request: &HttpRequest,
    (step, entered): (Step, &Entered),
    done: Result<(), Problem>,
    page: &str,
) -> Result<HttpResponse, Problem> {
    let Err(problem) = done else { return Ok(see(page)) };
    let portal = Portal::of(request, "");
    let form = step.form(&portal.token).filled(entered, &problem);
    Err(refused(request, problem, portal, move |portal| step.page(portal, form)))
}

/// The form that opens an account with a token.
#[get("/confirmations/account")]
pub(super) async fn show_account(request: HttpRequest) -> Result<HttpResponse, Problem> {
    show(&request, Step::ConfirmAccount)
}

/// Opens an account with a token.
#[post("/confirmations/account")]
pub(super) async fn confirm_account(request: HttpRequest, form: Form<Confirmation>) -> Result<HttpResponse, Problem> {
    let (Form { entered, body }, app) = (form, app_of(&request));
    let done = async { accounts::confirm_account(&app, &body?.token, &Key::default()).await }.await;
    carried_out(&request, (Step::ConfirmAccount, &entered), done.map(drop), "/portal/sign-in?done=open")
}

/// The form that confirms a new e-mail address with a token.
#[get("/confirmations/email")]
pub(super) async fn show_email(request: HttpRequest) -> Result<HttpResponse, Problem> {
    show(&request, Step::ConfirmEmail)
}

/// Confirms a new e-mail address with a token.
#[post("/confirmations/email")]
pub(super) async fn confirm_email(request: HttpRequest, form: Form<Confirmation>) -> Result<HttpResponse, Problem> {
    let (Form { entered, body }, app) = (form, app_of(&request));
    let done = async { credentials::settle_email(&app, &body?.token, &Key::default()).await }.await;
    carried_out(&request, (Step::ConfirmEmail, &entered), done.map(drop), "/portal/account?done=email")
}

/// The form that asks for a mail to set a new password.
#[get("/forgotten-password")]
pub(super) async fn show_forgotten(request: HttpRequest) -> Result<HttpResponse, Problem> {
    show(&request, Step::AskForPassword)
}

/// Sends a mail to set a new password. The answer does not say whether the address has an account.
#[post("/forgotten-password")]
pub(super) async fn ask_for_password(request: HttpRequest, form: Form<ResetRequest>) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let done = async { recovery::send_token(&request, &body?.email, &Key::default()).await }.await;
    carried_out(&request, (Step::AskForPassword, &entered), done.map(drop), "/portal/new-password?done=reset")
}

/// The form that sets a new password with a token.
#[get("/new-password")]
pub(super) async fn show_new_password(request: HttpRequest) -> Result<HttpResponse, Problem> {
    show(&request, Step::SetPassword)
}

/// Sets a new password with a token, and ends all sessions of the owner.
#[post("/new-password")]
pub(super) async fn set_password(request: HttpRequest, form: Form<Reset>) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let done = async { recovery::reset(&request, body?, &Key::default()).await }.await;
    carried_out(&request, (Step::SetPassword, &entered), done.map(drop), "/portal/sign-in?done=password")
}
