//! An owner's choice of channels, folded from its stream.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    decide::State,
    event::{event_set, unlisted_events},
    ids::OwnerId,
    words,
};

event_set! {
    /// The events of an owner's notifications; stream `notifications:ow_…`.
    pub enum NotificationEvent: Uncached {
        /// The owner receives mails.
        MailSet(MailSet) = "notifications.mail_set", Private, [];
        /// A chat of the owner receives messages.
        ChatSet(ChatSet) = "notifications.chat_set", Private, [];
        /// A channel was turned off.
        Stopped(NotificationsStopped) = "notifications.stopped", Private, [Essential];
    }
}

unlisted_events!(NotificationEvent);

words! {
    /// A way to notify an owner.
    pub enum Channel {
        /// Mails to the account's address.
        Mail = "mail",
        /// Messages to an incoming webhook of a chat.
        Chat = "chat",
    }
}

words! {
    /// How often mails are sent.
    pub enum MailPace {
        /// At most once a day.
        Daily = "daily",
        /// As soon as there is something new, within a bound.
        AtOnce = "at_once",
    }
}

words! {
    /// The body that a chat expects.
    pub enum ChatForm {
        /// `{"text": …}`, as Slack's incoming webhooks expect it, and those of Mattermost and Rocket.Chat.
        Slack = "slack",
        /// `{"content": …}`, as Discord's webhooks expect it.
        Discord = "discord",
    }
}

words! {
    /// The reason why a channel was turned off.
    pub enum StopReason {
        /// The owner turned it off.
        Owner = "owner",
        /// The chat answered that its webhook does not exist any more: 404 or 410.
        Gone = "gone",
        /// It failed too often.
        Failing = "failing",
    }
}

/// A channel with its setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Mails at this pace.
    Mail(MailPace),
    /// Messages in this form.
    Chat(ChatForm),
}

impl Setting {
    /// Parses the setting of a channel.
    pub fn of(channel: Channel, text: &str) -> Result<Self, words::UnknownName> {
        match channel {
            Channel::Mail => text.parse().map(Self::Mail),
            Channel::Chat => text.parse().map(Self::Chat),
        }
    }

    /// The channel.
    pub fn channel(self) -> Channel {
        match self {
            Self::Mail(_) => Channel::Mail,
            Self::Chat(_) => Channel::Chat,
        }
    }

    /// The wire name of the pace or form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mail(pace) => pace.as_str(),
            Self::Chat(form) => form.as_str(),
        }
    }

    /// The shortest time between two messages.
    pub fn interval(self) -> Duration {
        match self {
            Self::Mail(pace) => pace.interval(),
            Self::Chat(_) => Duration::from_mins(1),
        }
    }
}

impl MailPace {
    /// The shortest time between two mails.
    fn interval(self) -> Duration {
        match self {
            Self::Daily => Duration::from_hours(24),
            Self::AtOnce => Duration::from_mins(20),
        }
    }
}

/// The failed attempts in a row after which a channel is turned off: after about a day.
pub const FAILURES_MAX: i64 = 12;

/// The longest wait after a failed attempt.
const WAIT_MAX: Duration = Duration::from_hours(6);

/// The wait after this number of failed attempts in a row: a minute, then twice as long each time, up to six hours.
pub fn retry_wait(failures: i64) -> Duration {
    let doublings = u32::try_from(failures.saturating_sub(1).clamp(0, 16)).unwrap_or_default();
    Duration::from_mins(1).saturating_mul(2_u32.saturating_pow(doublings)).min(WAIT_MAX)
}

/// See [`NotificationEvent::MailSet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MailSet {
    /// The owner.
    pub owner_id: OwnerId,
    /// How often.
    pub pace: MailPace,
}

/// See [`NotificationEvent::ChatSet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatSet {
    /// The owner.
    pub owner_id: OwnerId,
    /// The body that the chat expects.
    pub form: ChatForm,
}

/// See [`NotificationEvent::Stopped`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotificationsStopped {
    /// The owner.
    pub owner_id: OwnerId,
    /// The channel.
    pub channel: Channel,
    /// The reason.
    pub reason: StopReason,
}

/// An owner's channels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Notifications {
    /// How often mails are sent; `None` if none are.
    pub mail: Option<MailPace>,
    /// The form of the chat; `None` if there is no chat.
    pub chat: Option<ChatForm>,
}

impl Notifications {
    /// The stream of an owner's notifications.
    pub fn stream(owner_id: OwnerId) -> String {
        format!("notifications:{owner_id}")
    }
}

impl State for Notifications {
    type Event = NotificationEvent;

    fn apply(self, event: &NotificationEvent) -> Self {
        match event {
            NotificationEvent::MailSet(data) => Self { mail: Some(data.pace), ..self },
            NotificationEvent::ChatSet(data) => Self { chat: Some(data.form), ..self },
            NotificationEvent::Stopped(data) => match data.channel {
                Channel::Mail => Self { mail: None, ..self },
                Channel::Chat => Self { chat: None, ..self },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_channel_is_turned_off_alone() {
        let owner_id = OwnerId::new(Uuid::from_u128(1));
        let both = Notifications::default()
            .apply(&NotificationEvent::MailSet(MailSet { owner_id, pace: MailPace::Daily }))
            .apply(&NotificationEvent::ChatSet(ChatSet { owner_id, form: ChatForm::Slack }));
        assert_eq!(both, Notifications { mail: Some(MailPace::Daily), chat: Some(ChatForm::Slack) });
        let without = |channel| {
            let reason = StopReason::Owner;
            both.apply(&NotificationEvent::Stopped(NotificationsStopped { owner_id, channel, reason }))
        };
        assert_eq!(without(Channel::Mail), Notifications { mail: None, ..both });
        assert_eq!(without(Channel::Chat), Notifications { chat: None, ..both });
    }

    #[test]
    fn each_setting_has_its_shortest_interval() {
        let minutes = |setting: Setting| setting.interval().as_secs() / 60;
        assert_eq!(minutes(Setting::Mail(MailPace::Daily)), 24 * 60);
        assert_eq!(minutes(Setting::Mail(MailPace::AtOnce)), 20);
        assert_eq!(minutes(Setting::Chat(ChatForm::Slack)), 1);
    }

    #[test]
    fn a_setting_survives_its_text() {
        for setting in [Setting::Mail(MailPace::Daily), Setting::Chat(ChatForm::Slack)] {
            assert_eq!(Setting::of(setting.channel(), setting.as_str()), Ok(setting));
        }
        assert_eq!(Setting::of(Channel::Mail, "slack"), Err(words::UnknownName));
    }

    #[test]
    fn the_waits_grow_to_six_hours_and_end_after_a_day() {
        let waits: Vec<_> = (1..=FAILURES_MAX).map(|failures| retry_wait(failures).as_secs() / 60).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360]);
        assert_eq!(retry_wait(i64::MAX), WAIT_MAX);
    }
}
