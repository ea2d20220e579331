//! Validation of bodies against the published schemas, each compiled once.
//!
//! **Invariant:** [`NODES_MAX`] bounds the work for any value. Only the beginning of a long array or a wide object is
//! compared. It has more errors than an answer lists.

mod required_fields;
mod schema_paths;
mod unknown_fields;

use std::{
    any::TypeId,
    borrow::Cow,
    collections::{HashMap, HashSet},
    mem,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use jsonschema::{
    JsonType, ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    field_errors::{FieldErrors, Precedence},
    input::{HINT, Input},
    problem::{FieldError, shortened},
};

/// The number of array items that are compared. Every published `maxItems` is lower.
pub const ITEMS_MAX: usize = 1024;
/// The number of object members that are compared besides those that a schema names.
const OTHERS_MAX: usize = 32;
/// The number of characters of a member's name that are compared and shown.
const NAME_MAX: usize = 100;
/// The number of values that are compared before arrays and objects are cut to their first member.
const NODES_MAX: usize = 8192;
/// The pattern of a text with at least one non-space character.
const NOT_BLANK: &str = r"\S";

/// A compiled schema.
#[derive(Debug)]
pub struct Form {
    validator: Validator,
    /// The schema, for the names of fields at each place.
    schema: Value,
    /// All member names in the schema, at any depth.
    names: HashSet<String>,
}

impl Form {
    /// Compiles a schema.
    pub fn compile(schema: &Value, formats: bool) -> Result<Self, ValidationError<'static>> {
        let options = jsonschema::draft202012::options().should_validate_formats(formats);
        let mut names = HashSet::new();
        collect_names(schema, &mut names);
        Ok(Self { validator: options.build(schema)?, schema: schema.clone(), names })
    }

    /// Whether a value is valid.
    pub fn fits(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }

    /// Adds the errors of a value. Stops when the answer's list of errors is full.
    pub fn compare(&self, mut value: Value, field_errors: &mut FieldErrors) {
        Excerpt { names: &self.names, left: NODES_MAX }.cut(&mut value);
        self.validator.iter_errors(&value).for_each(|error| describe(&error, &self.schema, field_errors));
    }
}

/// The compiled schema of a type, or `None` if its schema is invalid.
type Compiled = Arc<OnceLock<Option<Form>>>;

/// The schemas of bodies, each compiled when the first invalid body of its type arrives.
#[derive(Debug)]
pub struct Forms {
    document: &'static str,
    /// The published schemas, by name. Read once: they are needed for invalid bodies only.
    published: OnceLock<Value>,
    compiled: Mutex<HashMap<TypeId, Compiled>>,
}

/// The part of the document that is read.
#[derive(Default, Deserialize)]
struct Document {
    components: Components,
}

#[derive(Default, Deserialize)]
struct Components {
    schemas: Value,
}

impl Forms {
    /// Takes the published OpenAPI document.
    pub fn of(document: &'static str) -> Self {
        Self { document, published: OnceLock::new(), compiled: Mutex::default() }
    }

    fn published(&self) -> &Value {
        self.published.get_or_init(|| {
            let document: Document = serde_json::from_str(self.document).unwrap_or_else(|error| {
                tracing::error!(%error, "cannot read the schemas from the OpenAPI document");
                Document::default()
            });
            document.components.schemas
        })
    }

    /// Adds the errors of a value against the published schema of a body.
    pub(crate) fn compare<T: Input>(&self, value: Value, field_errors: &mut FieldErrors) {
        let form = {
            let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(compiled.entry(TypeId::of::<T>()).or_default())
        };
        if let Some(form) = form.get_or_init(|| compiled::<T>(self.published())) {
            form.compare(value, field_errors);
        }
    }
}

fn compiled<T: Input>(published: &Value) -> Option<Form> {
    let compiled = Form::compile(&schema_of::<T>(published), true);
    compiled.inspect_err(|error| tracing::error!(%error, schema = %T::name(), "a published schema is invalid")).ok()
}

/// The published schema of a body with the schemas that it refers to, or the schema of a body that only a protocol document
/// describes.
fn schema_of<T: Input>(published: &Value) -> Value {
    let mut own = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut own);
    let own: HashMap<_, _> = own.into_iter().collect();
    let find = |name: &str| {
        let unpublished = || own.get(name).and_then(|schema| serde_json::to_value(schema).ok());
        published.get(name).cloned().or_else(unpublished).unwrap_or_default()
    };
    let (mut schemas, mut wanted) = (Map::new(), vec![T::name().into_owned()]);
    while let Some(name) = wanted.pop() {
        if !schemas.contains_key(&name) {
            let schema = find(&name);
            collect_references(&schema, &mut wanted);
            schemas.insert(name, schema);
        }
    }
    json!({ "$ref": format!("{SCHEMA}{}", T::name()), "components": { "schemas": schemas } })
}

const SCHEMA: &str = "#/components/schemas/";

fn collect_references(schema: &Value, wanted: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            let named = members.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix(SCHEMA));
            wanted.extend(named.map(ToOwned::to_owned));
            members.values().for_each(|member| collect_references(member, wanted));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, wanted)),
        _ => {}
    }
}

fn collect_names(schema: &Value, names: &mut HashSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                names.extend(properties.keys().cloned());
            }
            if let Some(Value::Array(required)) = members.get("required") {
                names.extend(required.iter().filter_map(Value::as_str).map(ToOwned::to_owned));
            }
            members.values().for_each(|member| collect_names(member, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        _ => {}
    }
}

/// Cuts a value to the compared part. Members that a schema names stay, so that none of them is reported as missing.
struct Excerpt<'f> {
    names: &'f HashSet<String>,
    left: usize,
}

impl Excerpt<'_> {
    fn cut(&mut self, value: &mut Value) {
        self.left = self.left.saturating_sub(1);
        match value {
            Value::Array(items) => {
                items.truncate(self.left.clamp(1, ITEMS_MAX));
                for item in items {
                    self.cut(item);
                }
            }
            Value::Object(members) => {
                let mut others = self.left.clamp(1, OTHERS_MAX);
                let remaining = mem::take(members).into_iter().filter_map(|(name, mut member)| {
                    let known = self.names.contains(&name);
                    if !known {
                        others = others.checked_sub(1)?;
                    }
                    self.cut(&mut member);
                    Some((if known { name } else { shortened(name, NAME_MAX) }, member))
                });
                *members = remaining.collect();
            }
            _ => {}
        }
    }
}

fn describe(error: &ValidationError<'_>, schema: &Value, field_errors: &mut FieldErrors) {
    let at = error.instance_path().as_str();
    let name = at.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("the body");
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            required_fields::describe(schema, at, property.as_str().unwrap_or_default(), field_errors);
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            unknown_fields::describe(schema, at, unexpected, field_errors);
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            // The schema of an optional field is «null or this». The relevant errors are those of «this».
            let branch = context.iter().rev().find(|branch| !branch.iter().any(is_null_type));
            match branch {
                Some(branch) if !branch.is_empty() => {
                    for error in branch {
                        describe(error, schema, field_errors);
                    }
                }
                _ => {
                    let message = format!("{name} matches none of the allowed forms");
                    field_errors.push(FieldError::field(at, "invalid", message, HINT), Precedence::Rule);
                }
            }
        }
        // Further errors are only counted: formatting one would measure its whole text.
        _ if field_errors.is_full() => field_errors.skip(1),
        kind => {
            let (code, message) = explain(kind, name, error.instance());
            field_errors.push(FieldError::field(at, code, message, HINT), precedence(kind));
        }
    }
}

fn is_null_type(error: &ValidationError<'_>) -> bool {
    matches!(error.kind(), ValidationErrorKind::Type { kind: TypeKind::Single(JsonType::Null) })
}

fn explain(kind: &ValidationErrorKind, name: &str, instance: &Value) -> (&'static str, String) {
    let characters = || instance.as_str().map_or(0, |text| text.chars().count());
    match kind {
        ValidationErrorKind::MaxLength { limit } => {
            ("too_long", format!("{name} has {} characters; at most {limit} are allowed", characters()))
        }
        ValidationErrorKind::MinLength { limit } => {
            ("too_short", format!("{name} has {} characters; at least {limit} are required", characters()))
        }
        ValidationErrorKind::MaxItems { limit } => ("too_many", format!("{name} has more than {limit} entries")),
        ValidationErrorKind::MinItems { limit } => ("too_few", format!("{name} has fewer than {limit} entries")),
        ValidationErrorKind::UniqueItems => ("duplicate", format!("{name} has duplicate entries")),
        ValidationErrorKind::Enum { options } => ("not_allowed", format!("{name} must be one of {options}")),
        ValidationErrorKind::Constant { expected_value } => ("not_allowed", format!("{name} must be {expected_value}")),
        ValidationErrorKind::Type { kind } => ("wrong_type", format!("{name} has the wrong type: {}", expected(kind))),
        ValidationErrorKind::Minimum { limit } => ("too_small", format!("{name} must be at least {limit}")),
        ValidationErrorKind::Maximum { limit } => ("too_large", format!("{name} must be at most {limit}")),
        ValidationErrorKind::Pattern { pattern } if pattern == NOT_BLANK => {
            ("blank", format!("{name} must not be blank"))
        }
        ValidationErrorKind::Pattern { pattern } => ("wrong_form", format!("{name} must match {pattern}")),
        ValidationErrorKind::Format { format } => ("wrong_form", format!("{name} is not a valid {format}")),
        _ => ("invalid", format!("{name} is not valid")),
    }
}

fn precedence(kind: &ValidationErrorKind) -> Precedence {
    match kind {
        ValidationErrorKind::Type { .. } => Precedence::Type,
        ValidationErrorKind::Pattern { pattern } if pattern == NOT_BLANK => Precedence::Blank,
        _ => Precedence::Rule,
    }
}

fn expected(kind: &TypeKind) -> Cow<'static, str> {
    match kind {
        TypeKind::Single(expected) => format!("expected {expected}").into(),
        TypeKind::Multiple(_) => "expected another type".into(),
    }
}

#[cfg(test)]
mod tests;
