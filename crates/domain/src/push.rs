//! What a context declares of the events that agents receive as pushes: audience, actor, and the data of the body.

use std::{
    borrow::Cow,
    fmt::{Debug, Display},
};

use serde::Serialize;

use crate::{actors::Actor, audience::Audience, ids::AgentId, push_type::PushType};

/// The data of an event that agents receive. `event_set!` requires it of every event that declares
/// [`Fact::Pushed`](crate::event::Fact::Pushed). Nothing has a default.
pub trait Pushed: Debug + Sync {
    /// The audience; `None` if this event is not sent, although others of its type are.
    fn audience(&self) -> Option<Audience>;

    /// The actor that caused the event, which does not receive it. `None` if the audience includes it, or if there is no
    /// single one. Filters on actors match this actor.
    fn actor(&self) -> Option<&Actor>;

    /// The message kind that filters match; `None` if the event is no message.
    fn kind(&self) -> Option<&'static str>;

    /// The text that a body truncates if it would be too long; `None` if the data fits into every body.
    fn content(&self) -> Option<Cow<'_, str>>;

    /// The `data` of a body as JSON, with `content` in the place of the whole text. A shorter content is marked with
    /// `contentTruncated`. Without a [`Pushed::content`], it is ignored. The keys have a fixed order.
    fn data(&self, content: &str, public_url: &dyn Display) -> String;
}

/// The data of an event that is pushed to one agent, because the agent itself is its subject. The agent always
/// receives it, it is no message, and its data fits into every body.
pub trait PushedToAgent: Debug + Sync {
    /// The agent.
    fn agent_id(&self) -> AgentId;

    /// The `data` of a body as JSON. The keys have a fixed order.
    fn agent_data(&self, public_url: &dyn Display) -> String;
}

impl<T: PushedToAgent> Pushed for T {
    fn audience(&self) -> Option<Audience> {
        Some(Audience::Agent(self.agent_id()))
    }

    fn actor(&self) -> Option<&Actor> {
        None
    }

    fn kind(&self) -> Option<&'static str> {
        None
    }

    fn content(&self) -> Option<Cow<'_, str>> {
        None
    }

    fn data(&self, _content: &str, public_url: &dyn Display) -> String {
        self.agent_data(public_url)
    }
}

/// One event for the agents of its audience, before its body is encoded.
#[derive(Debug, Clone, Copy)]
pub struct Push<'e> {
    /// The type that endpoints subscribe to.
    pub push_type: PushType,
    /// The audience.
    pub audience: Audience,
    event: &'e dyn Pushed,
}

impl<'e> Push<'e> {
    /// The push of an event; `None` if the event has no audience.
    pub(crate) fn of(push_type: PushType, event: &'e dyn Pushed) -> Option<Self> {
        event.audience().map(|audience| Self { push_type, audience, event })
    }

    /// See [`Pushed::actor`].
    pub fn actor(&self) -> Option<&'e Actor> {
        self.event.actor()
    }

    /// See [`Pushed::kind`].
    pub fn kind(&self) -> Option<&'static str> {
        self.event.kind()
    }

    /// See [`Pushed::content`].
    pub(crate) fn content(&self) -> Option<Cow<'e, str>> {
        self.event.content()
    }

    /// See [`Pushed::data`].
    pub(crate) fn data(&self, content: &str, public_url: &dyn Display) -> String {
        self.event.data(content, public_url)
    }
}

/// Encodes the data of a body. `serde_json` writes strings exactly as `JSON.stringify` does: short escapes where they exist,
/// `\u00xx` in lower case for other control characters, all other characters unescaped.
pub(crate) fn encode(data: &impl Serialize) -> String {
    // Strings, integers and booleans: encoding cannot fail.
    serde_json::to_string(data).unwrap_or_default()
}
