//! Errors of unknown fields, with the fields that the body can have at that place.

use serde_json::{Map, Value};

use super::schema_paths::properties_at;
use crate::{
    field_errors::{FieldErrors, Precedence},
    problem::FieldError,
    unknown_names::unknown_name,
};

const HINT: &str = "Remove the field, or check its spelling: names are in camelCase.";

/// Adds an error for each unknown field of the object at `at`. The first one lists the known fields.
pub(super) fn describe(schema: &Value, at: &str, unknown: &[String], field_errors: &mut FieldErrors) {
    let known = fields_at(schema, at);
    let mut list = (!known.is_empty()).then(|| format!("Fields: {}. Names are in camelCase.", known.join(", ")));
    for name in unknown {
        if field_errors.is_full() {
            field_errors.skip(1);
            continue;
        }
        let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        let message = unknown_name(name, "field of this body", &known);
        let hint = list.take().unwrap_or_else(|| HINT.to_owned());
        field_errors.push(FieldError::field(pointer, "unknown_field", message, hint), Precedence::Rule);
    }
}

/// The fields that a schema names for the object at `at`, a JSON Pointer into the value.
fn fields_at<'s>(schema: &'s Value, at: &str) -> Vec<&'s str> {
    let properties = properties_at(schema, at).into_iter();
    let mut fields: Vec<_> = properties.flat_map(Map::keys).map(String::as_str).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}
