//! Reads an agent's messages, and says what is wrong with them. Pure: `buildtrack arena check --socket` reads messages by the same
//! functions.

use buildtrack_domain::{
    arena::{
        matches::{MatchError, RATIONALE_MAX, SealedAnswer},
        tasks::{ANSWER_BYTES_MAX, Answer},
    },
    ids::MatchId,
    visible::has_visible,
};
use buildtrack_store::clock::random;
use serde_json::{Value, value::RawValue};

use super::{
    errors::SocketError,
    messages::{Incoming, Metadata},
};

/// The longest name or model that an agent reports.
pub const NAME_MAX: usize = 100;
/// The longest id of a ping that is repeated.
pub const PING_ID_MAX: usize = 256;

/// Reads a message.
pub fn read(text: &str) -> Result<Incoming, SocketError> {
    serde_json::from_str(text).map_err(|error| SocketError::invalid(fault(text, &error)))
}

/// What is wrong with a message.
fn fault(text: &str, error: &serde_json::Error) -> String {
    match serde_json::from_str::<Value>(text) {
        Err(_) => "the message is not JSON".to_owned(),
        Ok(Value::Object(message)) => match message.get("type") {
            Some(Value::String(_)) if error.to_string().starts_with("unknown variant") => {
                "\"type\" is none of the protocol's messages from an agent".to_owned()
            }
            Some(Value::String(_)) => format!("a member of the message is wrong: {error}"),
            _ => "the message has no \"type\"".to_owned(),
        },
        Ok(_) => "the message is not a JSON object".to_owned(),
    }
}

/// The id of a ping, as the pong repeats it.
pub fn repeated_id(id: Option<Value>) -> Result<Option<Box<RawValue>>, SocketError> {
    let id = id.map(|id| id.to_string());
    if id.as_ref().is_some_and(|id| id.len() > PING_ID_MAX) {
        return Err(SocketError::invalid("\"id\" has more than 256 bytes"));
    }
    Ok(id.and_then(|id| RawValue::from_string(id).ok()))
}

/// Checks what an agent says of itself.
pub fn check_description(name: Option<&str>, model: Option<&str>) -> Result<(), SocketError> {
    for (field, text) in [("name", name), ("model", model)] {
        let Some(text) = text else { continue };
        if !has_visible(text) || text.chars().count() > NAME_MAX || text.contains('\0') {
            return Err(SocketError::invalid(format!(
                "{field:?} must have from 1 to {NAME_MAX} characters, one of them visible"
            )));
        }
    }
    Ok(())
}

/// Checks the mode of a queue that an agent joins.
pub fn check_mode(mode: Option<&str>) -> Result<(), SocketError> {
    match mode.filter(|mode| *mode != "ranked") {
        Some(mode) => Err(SocketError::invalid(format!("mode {mode:?} is not known; use \"ranked\""))),
        None => Ok(()),
    }
}

/// The match and the turn that an answer names.
pub fn addressed(match_id: &str, turn_id: &str) -> Result<(MatchId, u16), SocketError> {
    let match_id = match_id.parse().map_err(|_| unknown_match())?;
    let turn = turn_id.strip_prefix("turn_").and_then(|number| number.parse().ok());
    let turn = turn.ok_or_else(|| SocketError::answer("wrong_turn", "no turn has this turn_id"))?;
    Ok((match_id, turn))
}

/// No match has the id that an answer names.
pub fn unknown_match() -> SocketError {
    SocketError::answer("unknown_match", "no match has this match_id")
}

/// The answer with a random salt.
pub fn sealed(output: &Value, metadata: Option<Metadata>) -> Result<SealedAnswer, SocketError> {
    if output.is_null() {
        return Err(SocketError::invalid("\"output\" is null"));
    }
    let output = Answer::from_json(output).as_str().to_owned();
    if output.len() > ANSWER_BYTES_MAX {
        return Err(SocketError::output_too_large(ANSWER_BYTES_MAX));
    }
    if output.contains('\0') {
        return Err(SocketError::invalid("\"output\" contains the character U+0000"));
    }
    let Metadata { public_rationale, confidence } = metadata.unwrap_or_default();
    let rationale = public_rationale
        .as_ref()
        .and_then(Value::as_str)
        .map(|text| text.chars().filter(|character| *character != '\0').take(RATIONALE_MAX).collect::<String>());
    Ok(SealedAnswer {
        output,
        salt: random(),
        rationale: rationale.filter(|text| !text.trim().is_empty()),
        confidence: confidence.as_ref().and_then(Value::as_f64).and_then(thousandths),
    })
}

/// A confidence from 0 to 1 in thousandths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number is between 0 and 1000")]
fn thousandths(confidence: f64) -> Option<u16> {
    (0.0..=1.0).contains(&confidence).then(|| (confidence * 1000.0).round() as u16)
}

/// The error of an answer that the match refuses.
pub fn refused(error: MatchError) -> SocketError {
    let code = match error {
        MatchError::NotFound => "unknown_match",
        MatchError::Over => "match_over",
        MatchError::NotYourMatch => "not_your_match",
        MatchError::WrongTurn { .. } => "wrong_turn",
        MatchError::AlreadySettled => "already_answered",
        MatchError::Late => "late_answer",
        _ => "invalid_message",
    };
    SocketError::answer(code, error.to_string())
}
