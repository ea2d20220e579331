//! From bytes to a typed body, or to the errors in them at once, up to twenty.
//!
//! A right body is read once, by serde, and checked by `validator`. A wrong one is compared with the schema that the
//! OpenAPI document publishes ([`forms`]), which names each wrong field; so the documentation and the check cannot drift
//! apart. **Invariant:** each step takes time in proportion to the body, and its errors fit into one answer.

use actix_web::web::Bytes;
use buildtrack_domain::actors::Actor;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::{PartialSchema, ToSchema};
use validator::{Validate, ValidationErrors, ValidationErrorsKind};

use super::{
    faults::Faults,
    forms,
    problem::{FieldError, Problem, shortened},
};
use crate::app::App;

/// A body that requests carry.
pub(crate) trait Input: DeserializeOwned + Validate + ToSchema + PartialSchema + Send + 'static {
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

pub(crate) const HINT: &str = "See the operation in /docs.";

/// Bytes of a body that a thread of the server reads by itself; a larger one is read by the threads for longer work.
pub(crate) const INLINE_MAX: usize = 16 * 1024;

/// Reads a body without holding up other requests: a large one, and all that is to be said of a wrong one, is left to the
/// threads for longer work.
pub(crate) async fn read<T: Input>(app: &App, bytes: Bytes, caller: Option<Actor>) -> Result<T, Problem> {
    if bytes.len() > INLINE_MAX {
        return app.work.run(move || parse(&bytes, caller.as_ref())).await?;
    }
    let read = Read::of(&bytes);
    if read.is_right() {
        return read.judge(&bytes, caller.as_ref());
    }
    app.work.run(move || read.judge(&bytes, caller.as_ref())).await?
}

/// Reads a body; `caller` is who sent it.
pub(crate) fn parse<T: Input>(bytes: &[u8], caller: Option<&Actor>) -> Result<T, Problem> {
    Read::of(bytes).judge(bytes, caller)
}

/// A body as serde and `validator` see it.
struct Read<T> {
    body: Result<T, serde_json::Error>,
    broken: Option<ValidationErrors>,
}

impl<T: Input> Read<T> {
    fn of(bytes: &[u8]) -> Self {
        let body = serde_json::from_slice::<T>(bytes);
        let broken = body.as_ref().ok().and_then(|body| body.validate().err());
        Self { body, broken }
    }

    fn is_right(&self) -> bool {
        self.body.is_ok() && self.broken.is_none()
    }

    /// The body, or what is wrong with it.
    fn judge(self, bytes: &[u8], caller: Option<&Actor>) -> Result<T, Problem> {
        // PostgreSQL's text cannot hold U+0000, so no text may. JSON writes it as an escape only.
        let may_hold_nul = bytes.windows(6).any(|window| window == br"\u0000");
        let is_right = self.is_right();
        let body = match self.body {
            Ok(body) if is_right && !may_hold_nul && T::CLAIMS.is_empty() => return Ok(body),
            body => body,
        };
        let value = match serde_json::from_slice::<Value>(bytes) {
            Err(error) if body.is_err() => return Err(malformed(&error)),
            value => value.unwrap_or_default(),
        };
        let mut nul = Faults::default();
        if may_hold_nul {
            find_nul(&value, &mut String::new(), &mut nul);
        }
        let refuted = caller.map(|caller| refuted::<T>(&value, caller)).unwrap_or_default();
        let mut faults =
            if is_right { Faults::default() } else { diagnose::<T>(value, body.as_ref().err(), self.broken) };
        faults.append(nul);
        for (pointer, error) in refuted {
            if !faults.is_named(pointer) {
                faults.add(error);
            }
        }
        match body {
            Ok(body) if faults.is_empty() => Ok(body),
            _ => Err(Problem::invalid(faults)),
        }
    }
}

/// What the published schema and the validator find wrong. serde, whose error is the last resort, stops at the first fault,
/// and calls a number where a name is due a fault of syntax.
fn diagnose<T: Input>(value: Value, error: Option<&serde_json::Error>, broken: Option<ValidationErrors>) -> Faults {
    let mut faults = Faults::default();
    forms::compare::<T>(value, &mut faults);
    if let Some(broken) = broken {
        collect(&broken, &mut String::new(), &mut faults);
    }
    if let (Some(error), true) = (error, faults.is_empty()) {
        faults.push(FieldError::field("", "invalid", error.to_string(), HINT));
    }
    faults
}

/// The fields that say something else of the caller than what the server knows.
fn refuted<T: Input>(value: &Value, caller: &Actor) -> Vec<(&'static str, FieldError)> {
    let claims = T::CLAIMS.iter();
    claims.filter_map(|(pointer, known)| Some((*pointer, refute(value, pointer, known.of(caller))?))).collect()
}

/// Names a field that says something else than what the server knows.
fn refute(value: &Value, pointer: &str, known: Option<String>) -> Option<FieldError> {
    let sent = value.pointer(pointer)?.as_str()?;
    if known.as_deref() == Some(sent) {
        return None;
    }
    let sent = shortened(sent.to_owned(), SHOWN_MAX);
    let message = match known {
        Some(known) => format!("it is {sent:?}, but the caller's is {known:?}"),
        None => format!("it is {sent:?}, but the caller has none"),
    };
    let hint = "Leave it out, or send what GET /api/v1/me shows.";
    Some(FieldError::field(pointer, "not_yours", message, hint))
}

/// Characters that are shown of what was sent.
const SHOWN_MAX: usize = 100;

fn malformed(error: &serde_json::Error) -> Problem {
    let detail = if error.to_string().starts_with("recursion limit") {
        DEPTH.to_owned()
    } else {
        format!("The body is not JSON: {error}.")
    };
    let hint = "Send one JSON object, encoded in UTF-8, with Content-Type: application/json.";
    Problem::new(actix_web::http::StatusCode::BAD_REQUEST, "malformed_json", detail, hint)
}

/// What only `validator` checks: rules that span fields, and forms that a schema does not know.
fn collect(broken: &ValidationErrors, at: &mut String, faults: &mut Faults) {
    for (field, kind) in broken.errors() {
        if faults.is_full() {
            return faults.skip(1);
        }
        let length = at.len();
        // A rule about several fields is about the whole.
        if field != "__all__" {
            at.push('/');
            at.push_str(&camel_case(field));
        }
        match kind {
            ValidationErrorsKind::Field(several) => {
                // The schema's word on the same field is the more precise one.
                if !faults.is_named(at) {
                    for fault in several {
                        let message = fault.message.clone().unwrap_or_else(|| "the value is not allowed".into());
                        faults.add(FieldError::field(at.clone(), &fault.code, message, HINT));
                    }
                }
            }
            ValidationErrorsKind::Struct(inner) => collect(inner, at, faults),
            ValidationErrorsKind::List(items) => {
                for (index, inner) in items {
                    let length = at.len();
                    at.push('/');
                    at.push_str(&index.to_string());
                    collect(inner, at, faults);
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

fn find_nul(value: &Value, at: &mut String, faults: &mut Faults) {
    if faults.is_full() {
        return;
    }
    let mut into = |key: &str, inner: &Value| {
        let length = at.len();
        at.push('/');
        at.push_str(&shortened(key.to_owned(), SHOWN_MAX).replace('~', "~0").replace('/', "~1"));
        find_nul(inner, at, faults);
        at.truncate(length);
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, inner)| into(key, inner)),
        Value::Array(items) => items.iter().enumerate().for_each(|(index, inner)| into(&index.to_string(), inner)),
        Value::String(text) if text.contains('\0') => {
            let hint = "Remove it; all other characters are allowed.";
            faults.add(FieldError::field(at.clone(), "nul_character", "the text holds the character U+0000", hint));
        }
        _ => {}
    }
}
