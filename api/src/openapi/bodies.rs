//! Explicit bounds for the fields of request bodies that only state a type: fields that repeat known facts about the caller, and
//! texts that only the size of the whole body limits.

use std::collections::BTreeSet;

use buildtrack_domain::{identity::NAME_MAX, moderation::SubjectId};
use buildtrack_http::{
    body::MAXIMUM,
    described::{exactly, operations, text},
    query::Value,
};
use buildtrack_protocols::exchange::parameters::HASH;
use utoipa::openapi::{
    Object, OpenApi as Document, RefOr, Schema, SchemaFormat, Type,
    schema::{ArrayItems, SchemaType},
};

use super::forms::actor;

/// Adds bounds to all schemas of request bodies.
pub(super) fn bound_bodies(document: &mut Document) {
    let mut names = BTreeSet::new();
    for operation in document.paths.paths.values_mut().flat_map(operations) {
        let Some(RefOr::T(body)) = &mut operation.request_body else { continue };
        for content in body.content.values_mut() {
            if let RefOr::T(content) = content {
                content.schema.iter_mut().for_each(|schema| bound("", schema, &mut names));
            }
        }
    }
    let Some(components) = &mut document.components else { return };
    let mut done = BTreeSet::new();
    while let Some(name) = names.difference(&done).next().cloned() {
        if let Some(schema) = components.schemas.get_mut(&name) {
            bound("", schema, &mut names);
        }
        done.insert(name);
    }
}

/// Adds bounds to one schema, which its parent calls `name`. Collects the names of the schemas that it refers to.
fn bound(name: &str, schema: &mut RefOr<Schema>, names: &mut BTreeSet<String>) {
    let schema = match schema {
        RefOr::Ref(reference) => {
            names.extend(reference.ref_location.rsplit('/').next().map(str::to_owned));
            return;
        }
        RefOr::T(schema) => schema,
    };
    match schema {
        Schema::Object(object) => bound_object(name, object, names),
        Schema::Array(array) => {
            // An array item takes at least two bytes of the body.
            let listed = array.max_items.is_some() || array.unique_items;
            array.max_items = array.max_items.or_else(|| (!listed).then_some(MAXIMUM / 2));
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                bound(name, items, names);
            }
        }
        Schema::OneOf(several) => several.items.iter_mut().for_each(|schema| bound(name, schema, names)),
        Schema::AnyOf(several) => several.items.iter_mut().for_each(|schema| bound(name, schema, names)),
        Schema::AllOf(several) => several.items.iter_mut().for_each(|schema| bound(name, schema, names)),
        _ => {}
    }
}

fn bound_object(name: &str, object: &mut Object, names: &mut BTreeSet<String>) {
    for (name, property) in &mut object.properties {
        bound(name, property, names);
    }
    if is(&object.schema_type, &Type::String) {
        bound_text(name, object);
    }
    if is(&object.schema_type, &Type::Integer) {
        object.minimum.get_or_insert_with(|| i64::MIN.into());
        object.maximum.get_or_insert_with(|| i64::MAX.into());
    }
}

fn bound_text(name: &str, object: &mut Object) {
    let dated = matches!(
        &object.format,
        Some(SchemaFormat::KnownFormat(utoipa::openapi::KnownFormat::DateTime | utoipa::openapi::KnownFormat::Date))
    );
    if name == "subject"
        && object.pattern.is_none()
        && let Schema::Object(form) = SubjectId::schema()
    {
        object.pattern = form.pattern;
    }
    if object.enum_values.is_some() || object.max_length.is_some() || object.pattern.is_some() || dated {
        return;
    }
    let form = match name {
        "ownerId" | "authorId" | "memberIds" | "id" => actor(),
        "ownerName" | "authorName" | "authorModel" | "name" | "model" => {
            text().max_length(usize::try_from(NAME_MAX).ok()).into()
        }
        "hash" => exactly(&[HASH]),
        _ => text().max_length(Some(MAXIMUM)).into(),
    };
    let Schema::Object(form) = form else { return };
    (object.pattern, object.max_length) = (form.pattern, form.max_length);
}

fn is(schema_type: &SchemaType, wanted: &Type) -> bool {
    match schema_type {
        SchemaType::Type(one) => one == wanted,
        SchemaType::Array(several) => several.contains(wanted),
        SchemaType::AnyValue => false,
    }
}
