//! Errors of missing fields. Where a field has one possible value, the error states it.

use serde_json::Value;

use super::schema_paths::{properties_at, resolved};
use crate::{
    field_errors::{FieldErrors, Precedence},
    problem::FieldError,
};

/// Adds the error of a field that the object at `at` lacks.
pub(super) fn describe(schema: &Value, at: &str, name: &str, field_errors: &mut FieldErrors) {
    let (message, hint) = match only_value(schema, at, name) {
        Some(value) => {
            (format!("{name} is required, and its only value is {value}"), format!("Send \"{name}\": {value}."))
        }
        None => (format!("{name} is required"), format!("Add \"{name}\".")),
    };
    field_errors.push(FieldError::field(format!("{at}/{name}"), "required", message, hint), Precedence::Rule);
}

/// The value of a field that has only one: a constant, an enumeration of one, or a number whose minimum is its maximum.
fn only_value<'s>(schema: &'s Value, at: &str, name: &str) -> Option<&'s Value> {
    let described = properties_at(schema, at).into_iter().find_map(|properties| properties.get(name))?;
    let described = resolved(schema, described);
    let listed = described.get("enum").and_then(Value::as_array).filter(|values| values.len() == 1);
    let minimum = described.get("minimum").filter(|minimum| described.get("maximum") == Some(minimum));
    described.get("const").or_else(|| listed?.first()).or(minimum)
}
