//! Parsing of `SendMessageRequest`: the message becomes the body of an exchange request. Unknown fields are ignored.

use actix_web::{http::StatusCode, web::Bytes};
use buildtrack_domain::exchange::conversations::{Body, InvalidBody, Named};
use buildtrack_http::{
    app::App,
    problem::{FieldError, Problem},
    validation::INLINE_MAX,
};
use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use super::push_configs::{GivenConfig, WantedConfig};
pub(super) use buildtrack_protocols::exchange::conversations::{problems::invalid_body_field, requesters::Question};

/// A message with the options of its delivery.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) question: Question,
    /// The task that the message continues; none for a new one.
    pub(super) task_id: Option<String>,
    pub(super) context_id: Option<String>,
    /// Whether the answer is not waited for.
    pub(super) returns_immediately: bool,
    /// The maximum number of messages of the history.
    pub(super) history: Option<usize>,
    /// Where the updates of the task are to be pushed.
    pub(super) push: Option<WantedConfig>,
}

/// Where a message's config stands in the body.
pub(super) const PUSH_CONFIG: &str = "/configuration/taskPushNotificationConfig";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    message: Message,
    #[serde(default)]
    configuration: Configuration,
    #[serde(default)]
    metadata: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    #[serde(default)]
    message_id: String,
    #[serde(default)]
    context_id: String,
    #[serde(default)]
    task_id: String,
    #[serde(default)]
    role: String,
    #[serde(default)]
    parts: Vec<Part>,
    #[serde(default)]
    metadata: Map<String, Value>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
    /// As the client wrote it.
    data: Option<Box<RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Configuration {
    history_length: Option<i32>,
    return_immediately: bool,
    task_push_notification_config: Option<GivenConfig>,
}

/// Parses a body. A body above [`INLINE_MAX`] is parsed on the worker threads.
pub(super) async fn parse<T: Send + 'static>(
    app: &App,
    bytes: &Bytes,
    read: fn(&[u8]) -> Result<T, Problem>,
) -> Result<T, Problem> {
    if bytes.len() <= INLINE_MAX {
        return read(bytes);
    }
    let bytes = bytes.clone();
    app.work.run(move || read(&bytes)).await?
}

impl Sent {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Problem> {
        let request: Request =
            serde_json::from_slice(bytes).map_err(|error| malformed("SendMessageRequest", &error))?;
        let Request { message, configuration, metadata } = request;
        let mut errors = vec![];
        if message.message_id.is_empty() {
            errors.push(fault(
                "/message/messageId",
                "messageId is missing",
                "Give each message an id, such as a UUID.",
            ));
        }
        if message.role != "ROLE_USER" {
            errors.push(fault("/message/role", "role is not ROLE_USER", "A client sends messages as ROLE_USER."));
        }
        if message.parts.is_empty() {
            errors.push(fault("/message/parts", "parts is empty", "Send at least one part."));
        }
        let history = history(configuration.history_length, "/configuration/historyLength", &mut errors);
        let option = |name: &str| message.metadata.get(name).or_else(|| metadata.get(name));
        let protocol = option("protocolHash").and_then(Value::as_str).map(Named::read);
        let multiround = option("multiround").and_then(Value::as_bool).unwrap_or(false);
        let push = configuration.task_push_notification_config.map(|given| given.check(PUSH_CONFIG, &mut errors));
        if !errors.is_empty() {
            return Err(invalid(errors));
        }
        Ok(Self {
            question: Question { body: body(message.parts)?, protocol, multiround },
            task_id: Some(message.task_id).filter(|id| !id.is_empty()),
            context_id: Some(message.context_id).filter(|id| !id.is_empty()),
            returns_immediately: configuration.return_immediately,
            history,
            push,
        })
    }
}

/// The body of the exchange request: one object, or the texts of all parts with a line break between them.
fn body(parts: Vec<Part>) -> Result<Body, Problem> {
    let mut texts = vec![];
    let single = parts.len() == 1;
    for Part { text, data } in parts {
        match (text, data) {
            (Some(text), None) => texts.push(text),
            (None, Some(data)) if single && data.get().starts_with('{') => {
                return Body::read(data.get()).map_err(|error| invalid_data(&error));
            }
            _ => return Err(content_type()),
        }
    }
    Ok(Body::from(&*texts.join("\n")))
}

/// 400: an object that is no body of an exchange.
fn invalid_data(error: &InvalidBody) -> Problem {
    let error = invalid_body_field(error);
    invalid(vec![FieldError { pointer: Some("/message/parts/0/data".to_owned()), ..error }])
}

/// The maximum number of messages of a history that a request asks for. None if it sets no limit.
pub(super) fn history(length: Option<i32>, pointer: &str, errors: &mut Vec<FieldError>) -> Option<usize> {
    let length = length?;
    let read = usize::try_from(length).ok();
    if read.is_none() {
        errors.push(fault(pointer, "historyLength is negative", "Give 0 or more, or omit it."));
    }
    read
}

pub(super) fn fault(pointer: &str, message: &str, hint: &str) -> FieldError {
    FieldError::field(pointer, "invalid", message, hint)
}

/// 400: the request violates the protocol's schema.
pub(super) fn invalid(errors: Vec<FieldError>) -> Problem {
    let detail = errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("; ");
    let hint = "Correct the fields and send the request again.";
    let mut problem = Problem::new(StatusCode::BAD_REQUEST, "invalid_params", format!("{detail}."), hint);
    problem.errors = errors;
    problem
}

/// 400: the body is not JSON, or not a message of this type of the protocol.
pub(super) fn malformed(expected: &str, error: &serde_json::Error) -> Problem {
    let hint = format!("Send a {expected} of A2A 1.0 as one JSON object.");
    if error.is_data() {
        let detail = format!("The body is not a {expected}: {error}.");
        return Problem::new(StatusCode::BAD_REQUEST, "invalid_params", detail, hint);
    }
    Problem::new(StatusCode::BAD_REQUEST, "malformed_json", format!("The body is not valid JSON: {error}."), hint)
}

fn content_type() -> Problem {
    let detail = "The message is neither text nor one JSON object.";
    let hint = "Send parts with \"text\" alone, or a single part whose \"data\" is an object. Files are not supported.";
    Problem::new(StatusCode::BAD_REQUEST, "content_type_not_supported", detail, hint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(message: &Value) -> Result<Sent, Problem> {
        let mut whole = json!({ "messageId": "m1", "role": "ROLE_USER" });
        whole.as_object_mut().unwrap().extend(message.as_object().unwrap().clone());
        Sent::read(json!({ "message": whole, "unknown": 1 }).to_string().as_bytes())
    }

    #[test]
    fn texts_are_joined_and_an_object_stays_an_object() {
        let text = read(&json!({ "parts": [{ "text": "a" }, { "text": "b", "mediaType": "text/plain" }] })).unwrap();
        assert_eq!(text.question.body.text(), "a\nb");
        let body = r#"{"b": 1.10,"a":123456789012345678901234567890}"#;
        let message = format!(r#"{{"message":{{"messageId":"m1","role":"ROLE_USER","parts":[{{"data":{body}}}]}}}}"#);
        assert_eq!(Sent::read(message.as_bytes()).unwrap().question.body.json(), body);
        let repeated = Sent::read(message.replace("\"b\"", "\"a\"").as_bytes()).unwrap_err();
        let [error] = &repeated.errors[..] else { panic!("{:?}", repeated.errors) };
        assert_eq!((error.pointer.as_deref(), &*error.code), (Some("/message/parts/0/data"), "repeated_member"));
    }

    #[test]
    fn other_parts_are_content_types_that_are_not_supported() {
        for parts in [
            json!([{ "raw": "AA==" }]),
            json!([{ "url": "https://example.org" }]),
            json!([{ "data": [1] }]),
            json!([{ "text": "a" }, { "data": {} }]),
        ] {
            assert_eq!(read(&json!({ "parts": parts })).unwrap_err().code, "content_type_not_supported", "{parts}");
        }
    }

    #[test]
    fn every_invalid_field_is_named() {
        let problem = Sent::read(br#"{"message":{},"configuration":{"historyLength":-1}}"#).unwrap_err();
        assert_eq!((problem.code.as_str(), problem.errors.len()), ("invalid_params", 4));
        let codes = ["{", "[]", "{}", r#"{"message":1}"#].map(|text| Sent::read(text.as_bytes()).unwrap_err().code);
        assert_eq!(codes, ["malformed_json", "invalid_params", "invalid_params", "invalid_params"]);
    }

    #[test]
    fn options_of_the_exchange_come_from_the_metadata() {
        let sent = read(
            &json!({ "parts": [{ "text": "a" }], "metadata": { "multiround": true, "protocolHash": "negotiation" } }),
        );
        let question = sent.unwrap().question;
        assert_eq!((question.multiround, question.protocol), (true, Some(Named::Negotiation)));
    }
}
