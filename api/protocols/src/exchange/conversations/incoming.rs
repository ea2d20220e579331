//! Parsing and validation of exchange requests (seed: «Request Fields»).

use actix_web::{http::StatusCode, web::Bytes};
use buildtrack_domain::exchange::{
    conversations::{Body, InvalidBody, Named},
    documents::{DocumentHash, InvalidSource, decode_source},
};
use buildtrack_http::{
    app::App,
    members::member,
    problem::{FieldError, Problem},
    validation::INLINE_MAX,
};
use buildtrack_store::NewTaskPush;
use serde_json::{Map, Value};

use super::{outcomes::Refusal, problems::invalid_body_field};

/// A parsed request. Every field has its expected type.
#[derive(Debug, Clone)]
pub(super) struct Incoming {
    body: Option<Body>,
    /// The value of `protocolHash`, if present.
    pub(super) protocol: Option<Named>,
    sources: Vec<String>,
    /// Whether the request begins a conversation.
    pub(super) multiround: bool,
    /// Where the updates of the exchange are pushed, if another front says so.
    pub(super) push: Option<NewTaskPush>,
}

impl Incoming {
    /// A request that another front has parsed.
    pub(super) fn of(body: Body, protocol: Option<Named>, (multiround, push): (bool, Option<NewTaskPush>)) -> Self {
        Self { body: Some(body), protocol, sources: vec![], multiround, push }
    }

    /// Parses a request and ignores unknown fields. Errors name every field of a wrong type.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Problem> {
        let value: Value = serde_json::from_slice(bytes).map_err(|error| malformed(&error))?;
        let Value::Object(mut fields) = value else {
            return Err(wrong(vec![fault("", "an object")]));
        };
        let mut faults = vec![];
        let read = Self {
            body: body(bytes, fields.remove("body"), &mut faults),
            protocol: field(&mut fields, "protocolHash", "a string or null", &mut faults, |value| {
                value.as_str().map(Named::read)
            }),
            sources: field(&mut fields, "protocolSources", SOURCES, &mut faults, sources).unwrap_or_default(),
            multiround: match fields.remove("multiround") {
                None => false,
                Some(Value::Bool(multiround)) => multiround,
                Some(_) => {
                    faults.push(fault("/multiround", "a boolean"));
                    false
                }
            },
            push: None,
        };
        if faults.is_empty() { Ok(read) } else { Err(wrong(faults)) }
    }

    /// The request's content. A missing body is a refusal with the seed's text.
    pub(super) fn body(&self) -> Result<Body, Refusal> {
        self.body.clone().ok_or_else(|| Refusal::new("Missing field 'body'"))
    }

    /// Parses a request. A body above `INLINE_MAX` is parsed on the worker threads.
    pub(super) async fn take(app: &App, bytes: &Bytes) -> Result<Self, Problem> {
        if bytes.len() <= INLINE_MAX {
            return Self::read(bytes);
        }
        let bytes = bytes.clone();
        app.work.run(move || Self::read(&bytes)).await?
    }

    /// Checks the document texts that came with the request: each `data:` URI must hold the document of `protocolHash`.
    /// The server does not fetch other URIs.
    pub(super) fn check_sources(&self, document: Option<DocumentHash>) -> Result<(), Refusal> {
        let Some(document) = document else { return Ok(()) };
        let fits = |source: &String| match decode_source(source) {
            Ok(text) => DocumentHash::of(&text) == document,
            Err(error) => error == InvalidSource::NotData,
        };
        if self.sources.iter().all(fits) {
            Ok(())
        } else {
            Err(Refusal::new("A protocol source is not the document of protocolHash"))
        }
    }
}

/// Reads the body as it was sent. Null counts as absent.
fn body(bytes: &[u8], value: Option<Value>, faults: &mut Vec<FieldError>) -> Option<Body> {
    value.filter(|value| !value.is_null())?;
    match Body::read(member(bytes, &["body"])?.get()) {
        Ok(body) => Some(body),
        Err(InvalidBody::Kind) => {
            faults.push(fault("/body", "a string or an object"));
            None
        }
        Err(error) => {
            faults.push(invalid_body_field(&error));
            None
        }
    }
}

/// Checks that bytes are a well-formed request.
pub fn read_request(bytes: &[u8]) -> Result<(), Problem> {
    Incoming::read(bytes).map(drop)
}

/// Removes an optional field and parses it. Null counts as absent.
fn field<T>(
    fields: &mut Map<String, Value>,
    name: &str,
    expected: &str,
    faults: &mut Vec<FieldError>,
    read: impl FnOnce(Value) -> Option<T>,
) -> Option<T> {
    let value = fields.remove(name).filter(|value| !value.is_null())?;
    let read = read(value);
    if read.is_none() {
        faults.push(fault(&format!("/{name}"), expected));
    }
    read
}

/// Maximum number of document sources in a request.
const SOURCES_MAX: usize = 20;
const SOURCES: &str = "an array of up to 20 strings or null";

fn sources(value: Value) -> Option<Vec<String>> {
    let Value::Array(items) = value else { return None };
    if items.len() > SOURCES_MAX {
        return None;
    }
    items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

fn fault(pointer: &str, expected: &str) -> FieldError {
    let name = pointer.strip_prefix('/').unwrap_or("the body");
    FieldError::field(pointer, "wrong_type", format!("{name} is not {expected}"), format!("Send {expected}."))
}

fn malformed(error: &serde_json::Error) -> Problem {
    let detail = format!("The body is not valid JSON: {error}.");
    let hint = "Send one JSON object, encoded in UTF-8, with Content-Type: application/json.";
    Problem::new(StatusCode::BAD_REQUEST, "malformed_json", detail, hint)
}

fn wrong(errors: Vec<FieldError>) -> Problem {
    let detail = errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("; ");
    let hint = "Correct the fields listed in \"errors\" and send the request again.";
    let mut problem = Problem::new(StatusCode::BAD_REQUEST, "invalid_fields", format!("{detail}."), hint);
    problem.errors = errors;
    problem
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: &Value) -> Result<Incoming, Problem> {
        Incoming::read(value.to_string().as_bytes())
    }

    #[test]
    fn every_field_of_a_wrong_type_is_named() {
        let wrong = json!({ "body": 1, "protocolHash": [], "protocolSources": ["a", 2], "multiround": null, "x": 1 });
        let problem = read(&wrong).unwrap_err();
        let named: Vec<_> = problem.errors.iter().filter_map(|error| error.pointer.as_deref()).collect();
        assert_eq!(
            (problem.status, &*named),
            (400, &["/body", "/protocolHash", "/protocolSources", "/multiround"][..])
        );
        for text in ["", "{", "[]", "1", "null", "\"body\""] {
            assert_eq!(Incoming::read(text.as_bytes()).unwrap_err().status, 400, "{text}");
        }
    }

    #[test]
    fn a_body_stays_as_it_was_sent_or_is_refused() {
        let body = "{\"b\": 1.10,\n\"a\":123456789012345678901234567890}";
        let incoming = Incoming::read(format!(r#"{{"body":1,"body": {body} ,"x":1}}"#).as_bytes()).unwrap();
        assert_eq!(incoming.body().unwrap().json(), body);
        let codes = [r#"{"a":1,"a":1}"#, &format!(r#"{{"a":{}{}}}"#, "[".repeat(100), "]".repeat(100))].map(|body| {
            let problem = Incoming::read(format!(r#"{{"body":{body}}}"#).as_bytes()).unwrap_err();
            (problem.status, problem.errors[0].pointer.clone(), problem.errors[0].code.clone())
        });
        let refused = |code: &str| (400, Some("/body".to_owned()), code.to_owned());
        assert_eq!(codes, [refused("repeated_member"), refused("too_deep")]);
        let problem = Incoming::read(br#"{"body":{"a":1e400}}"#).unwrap_err();
        assert_eq!((problem.status, &*problem.code), (400, "malformed_json"));
    }

    #[test]
    fn null_fields_count_as_absent() {
        let empty = read(&json!({ "body": null, "protocolHash": null, "protocolSources": null, "to": "x" })).unwrap();
        assert!(empty.body().is_err() && empty.protocol.is_none() && !empty.multiround);
    }

    #[test]
    fn a_data_uri_must_match_the_document_hash() {
        let document = DocumentHash::of("A");
        let check = |source: &str| {
            let incoming = read(&json!({ "body": "", "protocolSources": ["https://example.org/", source] })).unwrap();
            (incoming.check_sources(Some(document)).is_ok(), incoming.check_sources(None).is_ok())
        };
        assert_eq!(check("data:text/plain;charset=utf-8,A"), (true, true));
        assert_eq!(check("data:text/plain;charset=utf-8,B"), (false, true));
        assert_eq!(check("data:text/plain;charset=utf-8,%"), (false, true));
    }
}
