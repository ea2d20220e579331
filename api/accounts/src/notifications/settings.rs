//! The commands on an owner's channels, and test messages.

use actix_web::HttpRequest;
use buildtrack_community::webhooks::{pinger::Pinger, targets::vet};
use buildtrack_domain::{
    decide::Command,
    notifications::{
        Channel, ChatForm, MailPace, Notifications, SetChat, SetMail, Setting, StopChannel, StopReason, chat_body,
        test_text,
    },
    webhooks::Pong,
};
use buildtrack_http::{
    app::App,
    auth::OwnerCaller,
    guard::{app_of, state_of},
    problem::Problem,
};
use buildtrack_store::{NewChannel, NotificationChange, Purpose};

use super::schemas::{ChatNotifications, MailNotifications};

use crate::identity::mails;

/// Sets how often mails are sent, or turns them off.
pub async fn set_mail(app: &App, owner: &OwnerCaller, body: &MailNotifications) -> Result<(), Problem> {
    let Some(pace) = body.pace.pace() else { return stop(app, owner, Channel::Mail).await };
    mails::require(app)?;
    let setting = Setting::Mail(pace);
    let now = app.store.log().clock().now();
    // The first digest of a day covers a day.
    let next_at = if pace == MailPace::Daily { app.store.log().clock().after(setting.interval()) } else { now };
    let (owner_id, notified_to) = (owner.owner_id, app.store.log().head().await?);
    set(app, owner, NewChannel { owner_id, setting, address_sealed: String::new(), notified_to, next_at }).await
}

/// Sets the chat that receives messages.
pub async fn set_chat(request: &HttpRequest, owner: &OwnerCaller, body: ChatNotifications) -> Result<(), Problem> {
    let ChatNotifications { form, url } = body;
    vet(request, Some(&url), "/url").await?;
    let app = app_of(request);
    let channel = NewChannel {
        owner_id: owner.owner_id,
        setting: Setting::Chat(form.into()),
        address_sealed: app.store.log().secret().seal(Purpose::ChatAddress, &url)?,
        notified_to: app.store.log().head().await?,
        next_at: app.store.log().clock().now(),
    };
    set(&app, owner, channel).await
}

async fn set(app: &App, owner: &OwnerCaller, channel: NewChannel) -> Result<(), Problem> {
    let (owner_id, stream) = (owner.owner_id, Notifications::stream(owner.owner_id));
    owner
        .caller
        .transact(app, async |unit, _| {
            let loaded = unit.load::<Notifications>(&stream).await?;
            let Ok(events) = match channel.setting {
                Setting::Mail(pace) => SetMail { owner_id, pace }.decide(&loaded.state),
                Setting::Chat(form) => SetChat { owner_id, form }.decide(&loaded.state),
            };
            if !events.is_empty() {
                unit.append(&stream, &loaded, events);
                unit.write_side(NotificationChange::Set(Box::new(channel.clone())));
            }
            Ok(())
        })
        .await?;
    Ok(())
}

/// Turns a channel off, and erases its address.
pub async fn stop(app: &App, owner: &OwnerCaller, channel: Channel) -> Result<(), Problem> {
    let (owner_id, stream) = (owner.owner_id, Notifications::stream(owner.owner_id));
    let command = StopChannel { owner_id, channel, reason: StopReason::Owner };
    owner
        .caller
        .transact(app, async |unit, _| {
            let loaded = unit.load::<Notifications>(&stream).await?;
            let Ok(events) = command.decide(&loaded.state);
            unit.append(&stream, &loaded, events);
            // Also a channel that the server has turned off, which its owner need not see any more.
            unit.write_side(NotificationChange::Removed { owner_id, channel });
            Ok(())
        })
        .await?;
    Ok(())
}

/// Posts a test message to the owner's chat at once, and returns what came of it.
pub async fn test_chat(request: &HttpRequest, owner: &OwnerCaller) -> Result<Pong, Problem> {
    let app = app_of(request);
    let channels = app.store.notifications().channels(owner.owner_id).await?;
    let chat = channels.into_iter().find_map(|view| match view.setting {
        Setting::Chat(form) if view.stopped.is_none() => Some((form, view.address_sealed)),
        _ => None,
    });
    let (form, address_sealed): (ChatForm, String) = chat.ok_or_else(|| Problem::not_found("chat"))?;
    let url = app.store.log().secret().open(Purpose::ChatAddress, &address_sealed)?;
    let body = chat_body(form, &test_text(&app.public_url));
    Ok((state_of::<Pinger>(request).chat)(url, body).await)
}
