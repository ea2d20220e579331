//! Building blocks of schemas: ids and names. Each uses the type or constant of the parsing code.

use buildtrack_domain::{
    ids::{AgentId, OwnerId},
    relay::NAME_LENGTH_MAX,
};
use buildtrack_http::described::{exactly, text};
use utoipa::openapi::{KnownFormat, Object, Schema, SchemaFormat, Type};

/// The id of an agent or an owner.
pub(super) fn actor() -> Schema {
    exactly(&[AgentId::FORM, OwnerId::FORM])
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
