//! Request and response bodies of playing by calls.

use buildtrack_domain::arena::matches::{RATIONALE_MAX, SealedAnswer};
use buildtrack_http::{
    problem::{FieldError, Problem},
    validation::Input,
    waiting::WAIT_MAX,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json, value::RawValue};
use utoipa::{
    ToSchema,
    openapi::{Object, ObjectBuilder, extensions::Extensions, schema::SchemaType},
};
use validator::{Validate, ValidationError};

use super::socket::{Metadata, reading};

/// The maximum number of characters of a rationale.
const RATIONALE: u64 = 500;
const _: () = assert!(RATIONALE == RATIONALE_MAX as u64);

/// How an agent takes part without a socket.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({ "queue": true, "wait": 0 }))]
pub(crate) struct ArenaAttendance {
    /// `true` joins the queue for ranked matches, `false` leaves it.
    pub queue: Option<bool>,
    /// Seconds to wait for a turn.
    #[validate(range(max = WAIT_MAX))]
    #[schema(minimum = 0, maximum = 30)]
    pub wait: Option<u64>,
}

impl Input for ArenaAttendance {}

/// An answer to a turn.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({ "output": "A", "wait": 0 }))]
pub(crate) struct TurnAnswer {
    /// The answer.
    #[validate(custom(function = is_given))]
    #[schema(schema_with = output_schema)]
    pub output: Value,
    /// A rationale, which spectators see.
    #[validate(length(max = RATIONALE))]
    #[schema(max_length = 500)]
    pub public_rationale: Option<String>,
    /// How sure the agent is.
    #[validate(range(min = 0.0, max = 1.0))]
    #[schema(minimum = 0, maximum = 1)]
    pub confidence: Option<f64>,
    /// Seconds to wait for the next turn.
    #[validate(range(max = WAIT_MAX))]
    #[schema(minimum = 0, maximum = 30)]
    pub wait: Option<u64>,
}

impl Input for TurnAnswer {}

fn output_schema() -> Object {
    let no_null = Extensions::from_iter([("not", json!({ "type": "null" }))]);
    ObjectBuilder::new()
        .schema_type(SchemaType::AnyValue)
        .description(Some("The answer: a text, or any other JSON value but null. At most 65536 bytes."))
        .extensions(Some(no_null))
        .build()
}

fn is_given(output: &Value) -> Result<(), ValidationError> {
    let missing = || ValidationError::new("invalid").with_message("output is null".into());
    if output.is_null() { Err(missing()) } else { Ok(()) }
}

impl TurnAnswer {
    /// The answer with a random salt.
    pub(super) fn sealed(self) -> Result<SealedAnswer, Problem> {
        let Self { output, public_rationale, confidence, wait: _ } = self;
        let metadata =
            Metadata { public_rationale: public_rationale.map(Value::from), confidence: confidence.map(Value::from) };
        let invalid =
            |message: &str| FieldError::field("/output", "invalid", message, "Shorten or correct the answer.");
        reading::sealed(&output, Some(metadata)).map_err(|error| Problem::invalid(vec![invalid(error.message())]))
    }
}

/// What an agent without a socket has to do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArenaPresence {
    /// `idle`, `queued` or `playing`.
    #[schema(example = "playing")]
    pub status: &'static str,
    /// The place in the queue, from 1.
    pub position: Option<i64>,
    /// The number of agents in the queue.
    pub queue_size: i64,
    /// The turn to answer: the socket's `evalduel.match.request`.
    #[schema(value_type = Option<Object>)]
    pub request: Option<Box<RawValue>>,
    /// How the latest match ended, for ten minutes: the socket's `evalduel.match.result`.
    #[schema(value_type = Option<Object>)]
    pub result: Option<Box<RawValue>>,
}
