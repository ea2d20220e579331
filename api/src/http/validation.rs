//! From bytes to a typed body, or to every fault in them at once.
//!
//! What is right is read once, by serde, and checked by `validator`. What is not is looked at again through the
//! schema that the OpenAPI document publishes, which names every wrong field; so the documentation and the check
//! cannot drift apart.

use std::{borrow::Cow, sync::LazyLock};

use buildtrack_domain::actors::Actor;
use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::{PartialSchema, ToSchema};
use validator::{Validate, ValidationErrors, ValidationErrorsKind};

use super::{
    problem::{FieldError, Problem},
    whole_numbers,
};

/// A body that requests carry.
pub(crate) trait Input: DeserializeOwned + Validate + ToSchema + PartialSchema {
    /// Where it repeats what the server knows of the caller: JSON Pointers, and what must stand there, if anything.
    const CLAIMS: &'static [(&'static str, Known)] = &[];
}

/// What the server knows of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    Id,
    Name,
    Kind,
    Model,
}

impl Known {
    fn of(self, caller: &Actor) -> Option<String> {
        match self {
            Self::Id => Some(caller.id.to_string()),
            Self::Name => Some(caller.name.clone()),
            Self::Kind => Some(caller.kind.as_str().to_owned()),
            Self::Model => caller.model.clone(),
        }
    }
}

/// How deep a body may nest; serde's own limit is 128.
const DEPTH: &str = "The body nests too deep.";

/// Reads a body; `caller` is who sent it.
pub(crate) fn parse<T: Input>(bytes: &[u8], caller: Option<&Actor>) -> Result<T, Problem> {
    let parsed = whole_numbers::from_slice::<T>(bytes);
    let mut errors = match &parsed {
        Ok(body) => body.validate().map_or_else(|faults| diagnose::<T>(bytes, Some(&faults)), |()| vec![]),
        Err(error) => {
            // serde stops at the first fault, and calls a number where a name is due a fault of syntax.
            serde_json::from_slice::<Value>(bytes).map_err(|error| malformed(&error))?;
            let errors = diagnose::<T>(bytes, None);
            if errors.is_empty() { vec![FieldError::field("", "invalid", error.to_string(), HINT)] } else { errors }
        }
    };
    // PostgreSQL's text cannot hold U+0000, so no text may. JSON writes it as an escape only.
    let may_hold_nul = bytes.windows(6).any(|window| window == br"\u0000");
    if may_hold_nul || !T::CLAIMS.is_empty() {
        let value = serde_json::from_slice(bytes).unwrap_or_default();
        find_nul(&value, &mut String::new(), &mut errors);
        if let Some(caller) = caller {
            let claims = T::CLAIMS.iter().filter(|(pointer, _)| !is_named(&errors, pointer));
            let refuted: Vec<_> =
                claims.filter_map(|(pointer, known)| refute(&value, pointer, known.of(caller))).collect();
            errors.extend(refuted);
        }
    }
    match parsed {
        Ok(body) if errors.is_empty() => Ok(body),
        _ => Err(Problem::invalid(errors)),
    }
}

/// Whether a fault of the field, or of something in it, is known.
fn is_named(errors: &[FieldError], pointer: &str) -> bool {
    let rest = |error: &FieldError| error.pointer.as_deref().and_then(|at| at.strip_prefix(pointer)).map(str::to_owned);
    errors.iter().filter_map(rest).any(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Names a field that says something else than what the server knows.
fn refute(value: &Value, pointer: &str, known: Option<String>) -> Option<FieldError> {
    let sent = value.pointer(pointer)?.as_str()?;
    if known.as_deref() == Some(sent) {
        return None;
    }
    let message = match known {
        Some(known) => format!("it is {sent:?}, but the caller's is {known:?}"),
        None => format!("it is {sent:?}, but the caller has none"),
    };
    let hint = "Leave it out, or send what GET /api/v1/me shows.";
    Some(FieldError::field(pointer, "not_yours", message, hint))
}

/// The pattern of a text that is more than spaces.
const NOT_BLANK: &str = r"\S";

const HINT: &str = "See the operation in /docs.";

fn malformed(error: &serde_json::Error) -> Problem {
    let detail = if error.to_string().starts_with("recursion limit") {
        DEPTH.to_owned()
    } else {
        format!("The body is not JSON: {error}.")
    };
    let hint = "Send one JSON object, encoded in UTF-8, with Content-Type: application/json.";
    Problem::new(actix_web::http::StatusCode::BAD_REQUEST, "malformed_json", detail, hint)
}

/// Every fault that a schema finds.
pub(crate) fn faults(schema: &Validator, value: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    schema.iter_errors(value).for_each(|error| describe(&error, &mut errors));
    errors
}

/// Every fault that the published schema and the validator find.
fn diagnose<T: Input>(bytes: &[u8], faults: Option<&ValidationErrors>) -> Vec<FieldError> {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return vec![] };
    let mut errors = Vec::new();
    match schema_of::<T>() {
        Ok(schema) => schema.iter_errors(&value).for_each(|error| describe(&error, &mut errors)),
        Err(error) => tracing::error!(%error, schema = %T::name(), "a published schema is no schema"),
    }
    if let Some(faults) = faults {
        collect(faults, &mut String::new(), &mut errors);
    }
    errors
}

/// The published schema, or that of a body which only a protocol document describes; compiled anew, because only wrong bodies
/// need it.
fn schema_of<T: Input>() -> Result<Validator, ValidationError<'static>> {
    static COMPONENTS: LazyLock<Value> = LazyLock::new(|| {
        let document = serde_json::to_value(crate::openapi::document()).unwrap_or_default();
        document["components"].clone()
    });
    let reference = format!("#/components/schemas/{}", T::name());
    let mut schema = serde_json::json!({ "$ref": reference, "components": *COMPONENTS });
    let mut own = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut own);
    if let Some(known) = schema["components"]["schemas"].as_object_mut() {
        for (name, unpublished) in own {
            known.entry(name).or_insert_with(|| serde_json::to_value(unpublished).unwrap_or_default());
        }
    }
    jsonschema::draft202012::options().should_validate_formats(true).build(&schema)
}

fn describe(error: &ValidationError<'_>, errors: &mut Vec<FieldError>) {
    let at = error.instance_path().as_str().to_owned();
    let mut push = |pointer: String, code: &str, message: String, hint: String| {
        let known = errors.iter_mut().find(|known| known.pointer.as_deref() == Some(&pointer));
        let fault = FieldError::field(pointer, code, message, hint);
        // Each field once, with what says most: what is of the wrong type, or empty, is not measured by other rules too.
        match known {
            None => errors.push(fault),
            Some(known) if code == "wrong_type" || known.code == "blank" => *known = fault,
            Some(_) => {}
        }
    };
    let name = at.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("the body").to_owned();
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let property = property.as_str().unwrap_or_default();
            push(
                format!("{at}/{property}"),
                "required",
                format!("{property} is required"),
                format!("Add \"{property}\"."),
            );
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            for property in unexpected {
                let pointer = format!("{at}/{}", property.replace('~', "~0").replace('/', "~1"));
                let hint = "Leave it out, or check its spelling: names are in camelCase.".to_owned();
                push(pointer, "unknown_field", format!("{property} is not a field of this body"), hint);
            }
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            // An optional field is «null or this»: what is wrong is what this says.
            let branch = context.iter().rev().find(|branch| !branch.iter().any(is_null_type));
            match branch {
                Some(branch) if !branch.is_empty() => branch.iter().for_each(|error| describe(error, errors)),
                _ => push(at, "invalid", format!("{name} is not of a form that is known here"), HINT.to_owned()),
            }
        }
        kind => {
            let (code, message) = explain(kind, &name, error.instance());
            push(at, code, message, HINT.to_owned());
        }
    }
}

fn is_null_type(error: &ValidationError<'_>) -> bool {
    matches!(error.kind(), ValidationErrorKind::Type { .. }) && error.to_string().ends_with("\"null\"")
}

fn explain(kind: &ValidationErrorKind, name: &str, instance: &Value) -> (&'static str, String) {
    let characters = instance.as_str().map_or(0, |text| text.chars().count());
    match kind {
        ValidationErrorKind::MaxLength { limit } => {
            ("too_long", format!("{name} has {characters} characters; at most {limit} are allowed"))
        }
        ValidationErrorKind::MinLength { limit } => {
            ("too_short", format!("{name} has {characters} characters; at least {limit} are needed"))
        }
        ValidationErrorKind::MaxItems { limit } => ("too_many", format!("{name} has more than {limit} entries")),
        ValidationErrorKind::MinItems { limit } => ("too_few", format!("{name} has fewer than {limit} entries")),
        ValidationErrorKind::UniqueItems => ("duplicate", format!("{name} names something twice")),
        ValidationErrorKind::Enum { options } => ("not_allowed", format!("{name} must be one of {options}")),
        ValidationErrorKind::Constant { expected_value } => ("not_allowed", format!("{name} must be {expected_value}")),
        ValidationErrorKind::Type { .. } => ("wrong_type", format!("{name} is of the wrong type: {}", shortened(kind))),
        ValidationErrorKind::Minimum { limit } => ("too_small", format!("{name} must be at least {limit}")),
        ValidationErrorKind::Maximum { limit } => ("too_large", format!("{name} must be at most {limit}")),
        ValidationErrorKind::Pattern { pattern } if pattern == NOT_BLANK => {
            ("blank", format!("{name} holds nothing but spaces"))
        }
        ValidationErrorKind::Pattern { pattern } => ("wrong_form", format!("{name} must match {pattern}")),
        ValidationErrorKind::Format { format } => ("wrong_form", format!("{name} is no {format}")),
        _ => ("invalid", format!("{name} is not what is expected here")),
    }
}

fn shortened(kind: &ValidationErrorKind) -> Cow<'static, str> {
    match kind {
        ValidationErrorKind::Type { kind: jsonschema::error::TypeKind::Single(expected) } => {
            format!("expected {expected}").into()
        }
        _ => "expected another type".into(),
    }
}

/// What only `validator` checks: rules that span fields, and forms that a schema does not know.
fn collect(faults: &ValidationErrors, at: &mut String, errors: &mut Vec<FieldError>) {
    for (field, kind) in faults.errors() {
        let length = at.len();
        // A rule about several fields is about the whole.
        if field != "__all__" {
            at.push('/');
            at.push_str(&camel_case(field));
        }
        match kind {
            ValidationErrorsKind::Field(several) => {
                // The schema's word on the same field is the more precise one.
                if !is_named(errors, at) {
                    errors.extend(several.iter().map(|fault| {
                        let message = fault.message.clone().unwrap_or_else(|| "the value is not allowed".into());
                        FieldError::field(at.clone(), &fault.code, message, HINT)
                    }));
                }
            }
            ValidationErrorsKind::Struct(inner) => collect(inner, at, errors),
            ValidationErrorsKind::List(items) => {
                for (index, inner) in items {
                    let length = at.len();
                    at.push('/');
                    at.push_str(&index.to_string());
                    collect(inner, at, errors);
                    at.truncate(length);
                }
            }
        }
        at.truncate(length);
    }
}

fn camel_case(field: &str) -> String {
    let mut words = field.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (head, tail) = word.split_at(word.len().min(1));
        name + &head.to_uppercase() + tail
    })
}

fn find_nul(value: &Value, at: &mut String, errors: &mut Vec<FieldError>) {
    let mut into = |key: &str, inner: &Value| {
        let length = at.len();
        at.push('/');
        at.push_str(&key.replace('~', "~0").replace('/', "~1"));
        find_nul(inner, at, errors);
        at.truncate(length);
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, inner)| into(key, inner)),
        Value::Array(items) => items.iter().enumerate().for_each(|(index, inner)| into(&index.to_string(), inner)),
        Value::String(text) if text.contains('\0') => {
            let hint = "Remove it; all other characters are allowed.";
            errors.push(FieldError::field(at.clone(), "nul_character", "the text holds the character U+0000", hint));
        }
        _ => {}
    }
}
