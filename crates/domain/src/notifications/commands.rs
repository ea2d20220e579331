//! The commands on an owner's channels.

use std::convert::Infallible;

use super::{
    Channel, ChatForm, ChatSet, MailPace, MailSet, NotificationEvent, Notifications, NotificationsStopped, StopReason,
};
use crate::{decide::Command, ids::OwnerId};

/// Sends mails, at this pace.
#[derive(Debug, Clone, Copy)]
pub struct SetMail {
    /// The owner.
    pub owner_id: OwnerId,
    /// How often.
    pub pace: MailPace,
}

impl Command for SetMail {
    type State<'a> = &'a Notifications;
    type Event = NotificationEvent;
    type Error = Infallible;

    fn decide(&self, notifications: &Notifications) -> Result<Vec<NotificationEvent>, Infallible> {
        let Self { owner_id, pace } = *self;
        let is_set = notifications.mail == Some(pace);
        Ok(if is_set { vec![] } else { vec![MailSet { owner_id, pace }.into()] })
    }
}

/// Sends messages to a chat. The address may be another one than before, so each setting is an event.
#[derive(Debug, Clone, Copy)]
pub struct SetChat {
    /// The owner.
    pub owner_id: OwnerId,
    /// The body that the chat expects.
    pub form: ChatForm,
}

impl Command for SetChat {
    type State<'a> = &'a Notifications;
    type Event = NotificationEvent;
    type Error = Infallible;

    fn decide(&self, _: &Notifications) -> Result<Vec<NotificationEvent>, Infallible> {
        let Self { owner_id, form } = *self;
        Ok(vec![ChatSet { owner_id, form }.into()])
    }
}

/// Turns a channel off. One that is off stays as it is.
#[derive(Debug, Clone, Copy)]
pub struct StopChannel {
    /// The owner.
    pub owner_id: OwnerId,
    /// The channel.
    pub channel: Channel,
    /// The reason.
    pub reason: StopReason,
}

impl Command for StopChannel {
    type State<'a> = &'a Notifications;
    type Event = NotificationEvent;
    type Error = Infallible;

    fn decide(&self, notifications: &Notifications) -> Result<Vec<NotificationEvent>, Infallible> {
        let Self { owner_id, channel, reason } = *self;
        let is_on = match channel {
            Channel::Mail => notifications.mail.is_some(),
            Channel::Chat => notifications.chat.is_some(),
        };
        Ok(if is_on { vec![NotificationsStopped { owner_id, channel, reason }.into()] } else { vec![] })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::decide::testing::given;

    const OWNER: OwnerId = OwnerId::new(Uuid::from_u128(1));

    fn mail(pace: MailPace) -> NotificationEvent {
        MailSet { owner_id: OWNER, pace }.into()
    }

    fn chat(form: ChatForm) -> NotificationEvent {
        ChatSet { owner_id: OWNER, form }.into()
    }

    fn stopped(channel: Channel, reason: StopReason) -> NotificationEvent {
        NotificationsStopped { owner_id: OWNER, channel, reason }.into()
    }

    #[test]
    fn a_pace_that_is_set_already_adds_no_event() {
        let set = |pace| SetMail { owner_id: OWNER, pace };
        let daily = given::<Notifications>([mail(MailPace::Daily)]);
        assert_eq!(set(MailPace::Daily).decide(&daily), Ok(vec![]));
        assert_eq!(set(MailPace::AtOnce).decide(&daily), Ok(vec![mail(MailPace::AtOnce)]));
    }

    #[test]
    fn each_setting_of_a_chat_is_an_event_because_its_address_may_differ() {
        let slack = given::<Notifications>([chat(ChatForm::Slack)]);
        let set = SetChat { owner_id: OWNER, form: ChatForm::Slack };
        assert_eq!(set.decide(&slack), Ok(vec![chat(ChatForm::Slack)]));
    }

    #[test]
    fn a_channel_is_turned_off_once_and_alone() {
        let both = given::<Notifications>([mail(MailPace::Daily), chat(ChatForm::Discord)]);
        let stop = StopChannel { owner_id: OWNER, channel: Channel::Chat, reason: StopReason::Gone };
        let event = stopped(Channel::Chat, StopReason::Gone);
        assert_eq!(stop.decide(&both), Ok(vec![event.clone()]));
        let left = given::<Notifications>([mail(MailPace::Daily), chat(ChatForm::Discord), event]);
        assert_eq!(left, Notifications { mail: Some(MailPace::Daily), chat: None });
        assert_eq!(stop.decide(&left), Ok(vec![]));
    }

    #[test]
    fn its_stream_and_its_data_are_pinned() {
        let id = "ow_00000000000000000000000001";
        assert_eq!(Notifications::stream(OWNER), format!("notifications:{id}"));
        assert_eq!(mail(MailPace::AtOnce).encode(), format!(r#"{{"ownerId":"{id}","pace":"at_once"}}"#));
        assert_eq!(chat(ChatForm::Slack).encode(), format!(r#"{{"ownerId":"{id}","form":"slack"}}"#));
        let text = format!(r#"{{"ownerId":"{id}","channel":"chat","reason":"failing"}}"#);
        assert_eq!(stopped(Channel::Chat, StopReason::Failing).encode(), text);
    }
}
