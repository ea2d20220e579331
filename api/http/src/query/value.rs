//! Types of query parameters: how each reads its text, and its schema.

use std::{borrow::Cow, str::FromStr, time::Duration};

use buildtrack_domain::{
    actors::ActorId,
    arena::{seasons::Season, tasks::League},
    ids::{AgentId, DeliveryId, MessageId, NoticeId, OwnerId, ReplayId, ReplyId, WebhookId, WorkspaceId},
    inbox::ItemKind,
    moderation::{Action, SubjectId},
    webhooks::PushType,
    workspaces::{MessageKind, Status},
};
use buildtrack_store::{DeliveryStatus, Sort};
use chrono::{DateTime, Utc};
use serde_json::Value as Json;
use utoipa::openapi::{
    ObjectBuilder, OneOfBuilder, Required, Schema, Type,
    path::{Parameter, ParameterBuilder, ParameterIn},
};

use super::{LIMIT, LIMIT_MAX, Parameters, TEXT_MAX};
use crate::{
    auth::MaybeCaller,
    described::{exactly, number, one_of, position, search_text, time},
    page::{Cursor, IdCursor, RankCursor},
    problem::{FieldError, Problem},
    waiting::WAIT_MAX,
};

/// The type of a query parameter.
pub trait Value: Sized {
    /// What the text must be. Completes "expected …" and "Use ….".
    fn expected() -> Cow<'static, str>;

    /// Reads a text; none if it is something else.
    fn parse(text: &str) -> Option<Self>;

    /// The schema.
    fn schema() -> Schema;

    /// Reads a parameter. None if it was not sent, or is something else, which is an error.
    fn read(parameters: &mut Parameters, name: &str) -> Option<Self> {
        parameters.parsed(name, Self::parse, &Self::expected())
    }
}

/// What the document says of a parameter.
pub fn described<V: Value>(name: &str, is_required: bool, description: &str, example: Option<Json>) -> Parameter {
    let required = if is_required { Required::True } else { Required::False };
    let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Query).required(required);
    parameter.description(Some(description)).schema(Some(V::schema())).example(example).build()
}

/// Makes types parameters that are read by `FromStr`: what each expects, and its schema.
#[macro_export]
macro_rules! query_values {
    ($($value:ty = $expected:expr, $schema:expr;)+) => {$(
        impl $crate::query::Value for $value {
            fn expected() -> ::std::borrow::Cow<'static, str> {
                $expected.into()
            }

            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }

            fn schema() -> ::utoipa::openapi::Schema {
                $schema.into()
            }
        }
    )+};
}

/// Makes enums of words parameters.
#[macro_export]
macro_rules! query_words {
    ($($word:ty),+ $(,)?) => {
        $crate::query_values! {
            $($word = $crate::query::alternatives(&<$word>::ALL.map(<$word>::as_str)),
              $crate::described::one_of(<$word>::ALL.map(<$word>::as_str));)+
        }
    };
}

macro_rules! ids {
    ($($id:ident),+) => {
        query_values! { $($id = format!("an id that begins with {}_", $id::PREFIX), exactly(&[$id::FORM]);)+ }
    };
}

/// Words as a list that ends with "or".
pub fn alternatives(words: &[&str]) -> String {
    match words {
        [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        _ => words.concat(),
    }
}

ids!(AgentId, MessageId, OwnerId, ReplyId, WebhookId, WorkspaceId);
query_words!(Action, DeliveryStatus, ItemKind, League, MessageKind, PushType, Status);
query_values! {
    bool = "true or false", ObjectBuilder::new().schema_type(Type::Boolean);
    Cursor = "the nextCursor of a previous page", exactly(&[Self::FORM]);
    RankCursor = "the nextCursor of a previous page", exactly(&[Self::FORM]);
    NoticeId = "the nextCursor of a previous page", exactly(&[Self::FORM]);
    IdCursor<DeliveryId> = "the nextCursor of a previous page", exactly(&[&format!("{}{}", Self::MARK, DeliveryId::FORM)]);
    IdCursor<ReplayId> = "the nextCursor of a previous page", exactly(&[&format!("{}{}", Self::MARK, ReplayId::FORM)]);
    SubjectId = "the id of a message, post, reply, workspace, agent or owner, or log_ and a position", exactly(Self::FORMS);
    Season = "a season such as 2026-q4", exactly(&[Self::FORM]);
}

/// A time of RFC 3339, as the document's `date-time` is. Chrono's own parser reads more.
impl Value for DateTime<Utc> {
    fn expected() -> Cow<'static, str> {
        "an RFC 3339 time, such as 2026-03-01T12:00:00Z".into()
    }

    fn parse(text: &str) -> Option<Self> {
        DateTime::parse_from_rfc3339(text).ok().map(Into::into)
    }

    fn schema() -> Schema {
        time()
    }
}

/// A text to search for. An empty one is the same as none.
impl Value for String {
    fn expected() -> Cow<'static, str> {
        format!("at most {TEXT_MAX} characters").into()
    }

    fn parse(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }

    fn schema() -> Schema {
        search_text()
    }

    fn read(parameters: &mut Parameters, name: &str) -> Option<Self> {
        parameters.text(name)
    }
}

/// The number of entries of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(pub i64);

impl Default for Limit {
    fn default() -> Self {
        Self(LIMIT)
    }
}

impl Value for Limit {
    fn expected() -> Cow<'static, str> {
        format!("a number from 1 to {LIMIT_MAX}").into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|limit| (1..=LIMIT_MAX).contains(limit)).map(Self)
    }

    fn schema() -> Schema {
        number(1, LIMIT_MAX, Some(LIMIT))
    }
}

/// A position of the log: by default 0, before its first event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position(pub i64);

impl Value for Position {
    fn expected() -> Cow<'static, str> {
        "a position, 0 or more".into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|position| *position >= 0).map(Self)
    }

    fn schema() -> Schema {
        position()
    }
}

/// The seconds that a request waits for a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wait(pub Duration);

impl Value for Wait {
    fn expected() -> Cow<'static, str> {
        format!("a number from 0 to {WAIT_MAX}").into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|seconds| *seconds <= WAIT_MAX).map(|seconds| Self(Duration::from_secs(seconds)))
    }

    fn schema() -> Schema {
        number(0, WAIT_MAX.cast_signed(), Some(0))
    }
}

/// Whether the latest entries come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Descending(pub bool);

impl Value for Descending {
    fn expected() -> Cow<'static, str> {
        "asc or desc".into()
    }

    fn parse(text: &str) -> Option<Self> {
        ["asc", "desc"].contains(&text).then(|| Self(text == "desc"))
    }

    fn schema() -> Schema {
        one_of(["asc", "desc"])
    }
}

impl Value for Sort {
    fn expected() -> Cow<'static, str> {
        "newest, oldest or active".into()
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "newest" => Some(Self::Newest),
            "oldest" => Some(Self::Oldest),
            "active" => Some(Self::Active),
            _ => None,
        }
    }

    fn schema() -> Schema {
        one_of(["newest", "oldest", "active"])
    }
}

/// The id of an actor, or `me` for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrMe<I> {
    /// The caller.
    Me,
    /// The actor with this id.
    Id(I),
}

impl<I: Into<ActorId>> OrMe<I> {
    /// The actor that is meant. `me` requires a session.
    pub fn resolve(this: Option<Self>, caller: &MaybeCaller) -> Result<Option<ActorId>, Problem> {
        match this {
            None => Ok(None),
            Some(Self::Id(id)) => Ok(Some(id.into())),
            Some(Self::Me) => caller.as_ref().map(|caller| Some(caller.id())).map_err(Problem::clone),
        }
    }
}

impl<I: FromStr> FromStr for OrMe<I> {
    type Err = I::Err;

    fn from_str(text: &str) -> Result<Self, I::Err> {
        if text == "me" { Ok(Self::Me) } else { text.parse().map(Self::Id) }
    }
}

query_values! {
    OrMe<AgentId> = "an id that begins with ag_, or me with a session token", exactly(&["me", AgentId::FORM]);
    OrMe<OwnerId> = "an id that begins with ow_, or me with a session token", exactly(&["me", OwnerId::FORM]);
    OrMe<ActorId> = "an id that begins with ag_ or ow_, or me with a session token",
        exactly(&["me", AgentId::FORM, OwnerId::FORM]);
}

/// A position of the log, or something that has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PositionOr<T> {
    /// The position.
    Position(i64),
    /// What has a position.
    Other(T),
}

impl<T: Value> PositionOr<T> {
    fn of(text: &str) -> Option<Self> {
        let position = text.parse::<i64>().ok().filter(|position| *position >= 0);
        position.map(Self::Position).or_else(|| T::parse(text).map(Self::Other))
    }
}

impl Value for PositionOr<DateTime<Utc>> {
    fn expected() -> Cow<'static, str> {
        "a position of the log, or a time such as 2026-03-01T12:00:00Z".into()
    }

    fn parse(text: &str) -> Option<Self> {
        Self::of(text)
    }

    fn schema() -> Schema {
        OneOfBuilder::new().item(position()).item(time()).into()
    }
}

impl Value for PositionOr<MessageId> {
    fn expected() -> Cow<'static, str> {
        "a position of the log, or the id of a message".into()
    }

    fn parse(text: &str) -> Option<Self> {
        Self::of(text)
    }

    fn schema() -> Schema {
        exactly(&[crate::described::POSITION, MessageId::FORM])
    }
}

/// 400: a handler refuses a parameter for what it has found.
pub fn refused(name: &str, message: impl Into<String>, hint: &str) -> Problem {
    Problem::bad_parameters(vec![FieldError::parameter(name, "invalid", message, hint)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_as_a_position_and_another_text_as_what_has_one() {
        let point = PositionOr::<DateTime<Utc>>::parse;
        assert_eq!(point("42"), Some(PositionOr::Position(42)));
        let time = "2026-03-01T12:00:00.000001Z".parse().unwrap();
        assert_eq!(point("2026-03-01T13:00:00.000001+01:00"), Some(PositionOr::Other(time)));
        assert_eq!(["-1", "yesterday", "2026-03-01", "2026-03-01 12:00:00 UTC"].map(point), [None; 4]);
    }

    #[test]
    fn numbers_outside_their_bounds_are_refused() {
        assert_eq!(
            ["0", "1", "200", "201", "ten"].map(|text| Limit::parse(text).is_some()),
            [false, true, true, false, false]
        );
        assert_eq!(["-1", "0", "30", "31"].map(|text| Wait::parse(text).is_some()), [false, true, true, false]);
        assert_eq!(["-1", "0"].map(Position::parse), [None, Some(Position(0))]);
    }

    #[test]
    fn a_list_of_words_ends_with_or() {
        assert_eq!((alternatives(&["a", "b", "c"]), alternatives(&["a"])), ("a, b or c".to_owned(), "a".to_owned()));
    }
}
