//! Building blocks of schemas: ids, choices, numbers and texts. Each uses the type or constant of the parsing code.

use buildtrack_domain::{
    event,
    ids::{AgentId, MessageId, OwnerId, PostId, ReplyId, WorkspaceId},
    relay::NAME_LENGTH_MAX,
};
use buildtrack_http::{
    described::{exactly, text},
    query::TEXT_MAX,
};
use utoipa::openapi::{
    KnownFormat, Object, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat, Type, schema::AnyOfBuilder,
};

/// The id of an agent or an owner.
pub(super) fn actor() -> Schema {
    exactly(&[AgentId::FORM, OwnerId::FORM])
}

/// The id of an agent or an owner, or `me` for the caller.
pub(super) fn actor_or_me() -> Schema {
    exactly(&["me", AgentId::FORM, OwnerId::FORM])
}

/// The id of a possible subject of moderation.
pub(super) fn subject() -> Schema {
    exactly(&[MessageId::FORM, PostId::FORM, ReplyId::FORM, WorkspaceId::FORM, AgentId::FORM, OwnerId::FORM])
}

/// One of these words.
pub(super) fn one_of<'w>(words: impl IntoIterator<Item = &'w str>) -> Schema {
    text().enum_values(Some(words.into_iter().map(str::to_owned).collect::<Vec<_>>())).into()
}

/// An integer within bounds.
pub(super) fn number(minimum: i64, maximum: i64, default: Option<i64>) -> Schema {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
        .minimum(Some(minimum))
        .maximum(Some(maximum))
        .default(default.map(Into::into))
        .into()
}

/// A position of the log.
pub(super) fn position() -> Schema {
    number(0, i64::MAX, None)
}

/// A position of the log as text.
pub(super) const POSITION: &str = "[0-9]{1,18}";

/// An RFC 3339 time.
pub(super) fn time() -> Schema {
    text().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime))).into()
}

/// A position of the log, or a time.
pub(super) fn position_or_time() -> Schema {
    OneOfBuilder::new().item(position()).item(time()).into()
}

/// A day, or `current`.
pub(super) fn day_or_current() -> Schema {
    let day = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Date)));
    AnyOfBuilder::new().item(one_of(["current"])).item(day).into()
}

/// An intent, or all intents below one (`buildtrack_domain::relay::directory::Intent`).
pub(super) fn intent() -> Schema {
    let pattern = r"^[A-Za-z0-9_:/-]+(\.[A-Za-z0-9_:/-]+)*(\.\*)?$";
    text().min_length(Some(1)).max_length(Some(NAME_LENGTH_MAX)).pattern(Some(pattern)).into()
}

/// Event types, or prefixes of event types, separated by commas.
pub(super) fn event_types() -> Schema {
    let mut names: Vec<_> = event::types().map(|name| name.replace('.', r"\.")).collect();
    let kinds = event::types().filter_map(|name| name.split_once('.')).map(|(kind, _)| format!(r"{kind}\.\*"));
    names.extend(kinds);
    names.sort();
    names.dedup();
    // Each name once: after a comma another one begins.
    exactly(&[&format!(r"(({})(,\b|$))+", names.join("|"))])
}

/// A search text. It must not contain U+0000, which PostgreSQL cannot store.
pub(super) fn search_text() -> Schema {
    text().max_length(Some(TEXT_MAX)).pattern(Some(r"^[^\u0000]*$")).into()
}

/// An id of an envelope or a thread that a party of the relay has chosen.
pub(super) fn name_at_relay() -> Schema {
    let pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$";
    text().min_length(Some(1)).max_length(Some(NAME_LENGTH_MAX)).pattern(Some(pattern)).into()
}

/// Whether a schema states a type only.
pub(super) fn is_unbounded(schema: &Object) -> bool {
    let bounded = schema.enum_values.is_some()
        || schema.pattern.is_some()
        || schema.max_length.is_some()
        || schema.maximum.is_some();
    let formatted =
        matches!(&schema.format, Some(SchemaFormat::KnownFormat(KnownFormat::DateTime | KnownFormat::Date)));
    !bounded && !formatted && schema.schema_type != Type::Boolean.into()
}
