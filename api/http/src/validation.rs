//! Parsing and validation of bodies: from bytes to a typed value, or to a list of up to twenty errors.
//!
//! A valid body is parsed once by serde and checked by `validator`. An invalid one is compared with the schema in the OpenAPI
//! document ([`forms`](crate::forms)), which reports each invalid field. Therefore the documentation and the check cannot diverge.
//!
//! **Invariant:** each step takes time in proportion to the body, and its errors fit into one answer.

use std::sync::Arc;

use actix_web::web::Bytes;
use buildtrack_domain::actors::Actor;
use serde_json::Value;
use validator::{ValidationErrors, ValidationErrorsKind};

use super::{
    beginnings,
    field_errors::FieldErrors,
    forms::Forms,
    problem::{FieldError, Problem, shortened},
    whole_numbers,
};
use crate::app::App;

pub use super::input::{CallerFact, HINT, Input};

/// The detail for a body that exceeds serde's nesting limit of 128.
const DEPTH: &str = "The body is nested too deeply.";

/// The maximum number of bytes of a body that is parsed on the server's own thread. Larger ones use the threads for long work.
pub const INLINE_MAX: usize = 16 * 1024;

/// Parses a body without delaying other requests: large bodies, and the search for errors in an invalid one, use the threads
/// for long work.
pub async fn read<T: Input>(app: &App, bytes: Bytes, caller: Option<Actor>) -> Result<T, Problem> {
    if bytes.len() > INLINE_MAX {
        let forms = Arc::clone(&app.forms);
        return app.work.run(move || parse(&forms, &bytes, caller.as_ref())).await?;
    }
    let read = Read::of(&bytes);
    if read.is_right() {
        return read.into_result(&app.forms, &bytes, caller.as_ref());
    }
    let forms = Arc::clone(&app.forms);
    app.work.run(move || read.into_result(&forms, &bytes, caller.as_ref())).await?
}

/// Parses a body that `caller` has sent.
pub fn parse<T: Input>(forms: &Forms, bytes: &[u8], caller: Option<&Actor>) -> Result<T, Problem> {
    Read::of(bytes).into_result(forms, bytes, caller)
}

/// The result of serde and `validator` for a body.
struct Read<T> {
    body: Result<T, serde_json::Error>,
    broken: Option<ValidationErrors>,
    /// serde reads an array as an object whose members have no names.
    is_array: bool,
}

impl<T: Input> Read<T> {
    fn of(bytes: &[u8]) -> Self {
        let body = whole_numbers::from_slice::<T>(bytes);
        let broken = body.as_ref().ok().and_then(|body| body.validate().err());
        Self { body, broken, is_array: bytes.trim_ascii_start().starts_with(b"[") }
    }

    fn is_right(&self) -> bool {
        self.body.is_ok() && self.broken.is_none() && !self.is_array
    }

    /// Returns the body, or the list of its errors.
    fn into_result(self, forms: &Forms, bytes: &[u8], caller: Option<&Actor>) -> Result<T, Problem> {
        // PostgreSQL's text type cannot store U+0000, so that no text may contain it. In JSON it occurs only as an escape.
        let may_hold_nul = bytes.windows(6).any(|window| window == br"\u0000");
        let is_right = self.is_right();
        let body = match self.body {
            Ok(body) if is_right && !may_hold_nul && T::CLAIMS.is_empty() => return Ok(body),
            body => body,
        };
        let value = match beginnings::read(bytes) {
            Err(error) if body.is_err() => return Err(malformed(&error)),
            value => value.unwrap_or_default(),
        };
        let mut nul = FieldErrors::default();
        if may_hold_nul {
            find_nul(&value, &mut String::new(), &mut nul);
        }
        let contradictions = caller.map(|caller| contradictions::<T>(&value, caller)).unwrap_or_default();
        let mut field_errors = if is_right {
            FieldErrors::default()
        } else {
            diagnose::<T>(forms, value, body.as_ref().err(), self.broken)
        };
        field_errors.append(nul);
        for (pointer, error) in contradictions {
            if !field_errors.is_named(pointer) {
                field_errors.add(error);
            }
        }
        match body {
            Ok(body) if field_errors.is_empty() => Ok(body),
            _ => Err(Problem::invalid(field_errors)),
        }
    }
}

/// Collects the errors that the schema and the validator report. serde's error is the fallback: serde stops at the first error
/// and reports a number instead of a name as a syntax error.
fn diagnose<T: Input>(
    forms: &Forms,
    value: Value,
    error: Option<&serde_json::Error>,
    broken: Option<ValidationErrors>,
) -> FieldErrors {
    let mut field_errors = FieldErrors::default();
    forms.compare::<T>(value, &mut field_errors);
    if let Some(broken) = broken {
        collect(&broken, &mut String::new(), &mut field_errors);
    }
    if let (Some(error), true) = (error, field_errors.is_empty()) {
        field_errors.add(FieldError::field("", "invalid", error.to_string(), HINT));
    }
    field_errors
}

/// Lists the fields that contradict the known facts about the caller.
fn contradictions<T: Input>(value: &Value, caller: &Actor) -> Vec<(&'static str, FieldError)> {
    let claims = T::CLAIMS.iter();
    claims.filter_map(|(pointer, known)| Some((*pointer, contradiction(value, pointer, known.of(caller))?))).collect()
}

/// Returns an error if a field contradicts a known fact.
fn contradiction(value: &Value, pointer: &str, known: Option<String>) -> Option<FieldError> {
    let sent = value.pointer(pointer)?.as_str()?;
    if known.as_deref() == Some(sent) {
        return None;
    }
    let sent = shortened(sent.to_owned(), SHOWN_MAX);
    let message = match known {
        Some(known) => format!("the value is {sent:?}, but the caller's is {known:?}"),
        None => format!("the value is {sent:?}, but the caller has none"),
    };
    let hint = "Remove the field, or send the value from GET /api/v1/me.";
    Some(FieldError::field(pointer, "not_yours", message, hint))
}

/// The number of characters of a sent value that an error shows.
const SHOWN_MAX: usize = 100;

fn malformed(error: &serde_json::Error) -> Problem {
    let detail = if error.to_string().starts_with("recursion limit") {
        DEPTH.to_owned()
    } else {
        format!("The body is not valid JSON: {error}.")
    };
    let hint = "Send one JSON object, encoded in UTF-8, with Content-Type: application/json.";
    Problem::new(actix_web::http::StatusCode::BAD_REQUEST, "malformed_json", detail, hint)
}

/// Adds the errors of rules that only `validator` checks: rules about several fields, and forms that JSON Schema lacks.
fn collect(broken: &ValidationErrors, at: &mut String, field_errors: &mut FieldErrors) {
    for (field, kind) in broken.errors() {
        if field_errors.is_full() {
            return field_errors.skip(1);
        }
        let length = at.len();
        // A rule about several fields belongs to the whole body.
        if field != "__all__" {
            at.push('/');
            at.push_str(&camel_case(field));
        }
        match kind {
            ValidationErrorsKind::Field(several) => {
                // The schema's error of the same field is more precise.
                if !field_errors.is_named(at) {
                    for fault in several {
                        let message = fault.message.clone().unwrap_or_else(|| "the value is not allowed".into());
                        field_errors.add(FieldError::field(at.clone(), &fault.code, message, HINT));
                    }
                }
            }
            ValidationErrorsKind::Struct(inner) => collect(inner, at, field_errors),
            ValidationErrorsKind::List(items) => {
                for (index, inner) in items {
                    let length = at.len();
                    at.push('/');
                    at.push_str(&index.to_string());
                    collect(inner, at, field_errors);
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

fn find_nul(value: &Value, at: &mut String, field_errors: &mut FieldErrors) {
    if field_errors.is_full() {
        return;
    }
    let mut into = |key: &str, inner: &Value| {
        let length = at.len();
        at.push('/');
        at.push_str(&shortened(key.to_owned(), SHOWN_MAX).replace('~', "~0").replace('/', "~1"));
        find_nul(inner, at, field_errors);
        at.truncate(length);
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, inner)| into(key, inner)),
        Value::Array(items) => items.iter().enumerate().for_each(|(index, inner)| into(&index.to_string(), inner)),
        Value::String(text) if text.contains('\0') => {
            let hint = "Remove that character.";
            field_errors.add(FieldError::field(
                at.clone(),
                "nul_character",
                "the text contains the character U+0000",
                hint,
            ));
        }
        _ => {}
    }
}
