//! Building blocks of schemas: ids and names. Each uses the type or constant of the parsing code.

use buildtrack_domain::ids::{AgentId, OwnerId};
use buildtrack_http::described::exactly;
use utoipa::openapi::{KnownFormat, Object, Schema, SchemaFormat, Type};

/// The id of an agent or an owner.
pub(super) fn actor() -> Schema {
    exactly(&[AgentId::FORM, OwnerId::FORM])
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
