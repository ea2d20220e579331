//! The owner's notifications: mails, a chat, and test messages.

use actix_web::{HttpRequest, HttpResponse, get, post};
use askama::Template;
use buildtrack_accounts::{
    identity::mails,
    notifications::{
        schemas::{ChatNotifications, MailNotifications, URL_MAX},
        settings,
    },
};
use buildtrack_domain::{
    notifications::{Channel, StopReason},
    webhooks::Pong,
};
use buildtrack_http::{guard::app_of, problem::Problem};
use buildtrack_pages::{self as pages, Frame, filters};
use buildtrack_store::ChannelView;
use chrono::{DateTime, Utc};

use super::{
    Portal, SignedIn, answer,
    form::{Entered, Form, Pressed},
    frame,
    notices::notice_of,
    refused, see,
    shown::ProblemShown,
};

/// The paces of mails, with the keys of their names.
const PACES: [(&str, &str); 3] =
    [("off", "notifications-off"), ("daily", "notifications-daily"), ("at_once", "notifications-at-once")];
/// The forms of chats, with the keys of their names.
const FORMS: [(&str, &str); 2] = [("slack", "notifications-slack"), ("discord", "notifications-discord")];

#[derive(Template)]
#[template(path = "portal/notifications.html")]
struct NotificationsPage {
    frame: Frame,
    portal: Portal,
    /// Whether the server sends mail.
    is_mailing: bool,
    paces: Vec<ChoiceShown>,
    mail: Option<ChannelShown>,
    forms: Vec<ChoiceShown>,
    chat: Option<ChannelShown>,
    /// The address that was entered, with its errors. The one that is set is not shown.
    url: String,
    url_errors: Vec<String>,
    url_max: u64,
    /// What came of a test message to the chat.
    result: Option<Pong>,
}

/// One of several values.
struct ChoiceShown {
    value: &'static str,
    /// The key of its name.
    label: &'static str,
    is_chosen: bool,
}

/// The state of a channel.
struct ChannelShown {
    notified_at: Option<DateTime<Utc>>,
    failures: i64,
    failure: String,
    /// The key of the reason why the server has turned it off.
    stopped: Option<&'static str>,
}

impl From<&ChannelView> for ChannelShown {
    fn from(view: &ChannelView) -> Self {
        let stopped = view.stopped.map(|reason| match reason {
            StopReason::Gone => "notifications-stopped-gone",
            StopReason::Failing | StopReason::Owner => "notifications-stopped-failing",
        });
        let failure = view.failure.clone().unwrap_or_default();
        Self { notified_at: view.notified_at, failures: view.failures, failure, stopped }
    }
}

fn choices(known: &[(&'static str, &'static str)], chosen: &str) -> Vec<ChoiceShown> {
    let is_known = known.iter().any(|(value, _)| *value == chosen);
    let choice = |(index, &(value, label)): (usize, &(&'static str, &'static str))| ChoiceShown {
        value,
        label,
        is_chosen: if is_known { value == chosen } else { index == 0 },
    };
    known.iter().enumerate().map(choice).collect()
}

impl NotificationsPage {
    async fn of(request: &HttpRequest, owner: &SignedIn) -> Result<Self, Problem> {
        let app = app_of(request);
        let channels = app.store.notifications().channels(owner.0.owner_id).await?;
        let found = |channel| channels.iter().find(|view| view.setting.channel() == channel);
        let (mail, chat) = (found(Channel::Mail), found(Channel::Chat));
        let name = |view: Option<&ChannelView>| view.map_or("", |view| view.setting.as_str());
        Ok(Self {
            frame: frame(&pages::language(request).say("notifications-title")),
            portal: Portal::of(request, "inbox"),
            is_mailing: mails::is_configured(&app),
            paces: choices(&PACES, name(mail)),
            mail: mail.map(ChannelShown::from),
            forms: choices(&FORMS, name(chat)),
            chat: chat.map(ChannelShown::from),
            url: String::new(),
            url_errors: vec![],
            url_max: URL_MAX,
            result: None,
        })
    }

    fn noticing(self, notice: Option<&'static str>) -> Self {
        Self { portal: Portal { notice, ..self.portal }, ..self }
    }

    /// Fills in what was entered, and shows the errors of the address beside it.
    fn filled(self, entered: &Entered, problem: &Problem) -> Self {
        let errors = ProblemShown::of(problem, "").errors.into_iter();
        Self {
            url: entered.text("url").to_owned(),
            url_errors: errors.filter(|(name, _)| name == "url").map(|(_, message)| message).collect(),
            forms: choices(&FORMS, entered.text("form")),
            ..self
        }
    }

    /// Answers with the problem, which this page explains.
    fn refusing(self, request: &HttpRequest, problem: Problem) -> Problem {
        let portal = Portal::of(request, "inbox");
        refused(request, problem, portal, move |portal| Self { portal, ..self })
    }
}

/// The channels and their state.
#[get("/notifications")]
pub(super) async fn show(request: HttpRequest, owner: SignedIn) -> Result<HttpResponse, Problem> {
    let notices = [
        ("mail", "notifications-done-mail"),
        ("chat", "notifications-done-chat"),
        ("end", "notifications-done-end"),
        ("test", "notifications-done-test"),
    ];
    let notice = notice_of(&request, &notices)?;
    answer(&request, &NotificationsPage::of(&request, &owner).await?.noticing(notice))
}

/// Sets how often mails are sent.
#[post("/notifications/mail")]
pub(super) async fn set_mail(
    request: HttpRequest,
    owner: SignedIn,
    form: Form<MailNotifications>,
) -> Result<HttpResponse, Problem> {
    let (app, Form { body, .. }) = (app_of(&request), form);
    let set = async { settings::set_mail(&app, &owner.0, &body?).await }.await;
    let Err(problem) = set else { return Ok(see("/portal/notifications?done=mail")) };
    Err(NotificationsPage::of(&request, &owner).await?.refusing(&request, problem))
}

/// Sets the chat.
#[post("/notifications/chat")]
pub(super) async fn set_chat(
    request: HttpRequest,
    owner: SignedIn,
    form: Form<ChatNotifications>,
) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let set = async { settings::set_chat(&request, &owner.0, body?).await }.await;
    let Err(problem) = set else { return Ok(see("/portal/notifications?done=chat")) };
    let page = NotificationsPage::of(&request, &owner).await?.filled(&entered, &problem);
    Err(page.refusing(&request, problem))
}

/// Turns the chat off.
#[post("/notifications/chat/end")]
pub(super) async fn end_chat(request: HttpRequest, owner: SignedIn, _: Pressed) -> Result<HttpResponse, Problem> {
    settings::stop(&app_of(&request), &owner.0, Channel::Chat).await?;
    Ok(see("/portal/notifications?done=end"))
}

/// Sends a test message by the channel that the button names. The page shows what the chat answered.
#[post("/notifications/test")]
pub(super) async fn send_test(
    request: HttpRequest,
    owner: SignedIn,
    pressed: Pressed,
) -> Result<HttpResponse, Problem> {
    let page = NotificationsPage::of(&request, &owner).await?;
    if pressed.0.text("channel") == Channel::Mail.as_str() {
        return match mails::send_test(&app_of(&request), &owner.0).await {
            Ok(()) => Ok(see("/portal/notifications?done=test")),
            Err(problem) => Err(page.refusing(&request, problem)),
        };
    }
    let result = Some(settings::test_chat(&request, &owner.0).await?);
    answer(&request, &NotificationsPage { result, ..page })
}
