//! What this server answers by itself.

use buildtrack_domain::exchange::documents::DocumentHash;
use serde_json::Value;

use crate::{
    app::App,
    http::{auth::Authenticated, problem::Problem},
};

/// One round that is over.
#[derive(Debug, Clone)]
pub(crate) struct Exchanged {
    /// What was asked.
    pub asked: Value,
    /// What was answered.
    pub answered: Value,
}

/// One request of a conversation, as what answers it sees it.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    /// Whose session stands in `Authorization`, if any.
    pub asker: Option<&'a Authenticated>,
    /// The document that both go by; none without a protocol.
    pub document: Option<&'a DocumentHash>,
    /// Whether the protocol is the word `negotiation`.
    pub negotiation: bool,
    /// Earlier rounds of the same conversation.
    pub earlier: &'a [Exchanged],
    /// What is asked: a string or an object.
    pub body: &'a Value,
}

/// What the asker is told where there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure(pub String);

/// Answers: with the body of a success, protocol-level errors included, or why there is none.
#[expect(clippy::unused_async, reason = "what answers looks things up")]
pub(crate) async fn answer(_app: &App, turn: Turn<'_>) -> Result<Result<Value, Failure>, Problem> {
    if turn.body.as_str() == Some("Refuse this.") {
        return Ok(Err(Failure("Refused".to_owned())));
    }
    let who = turn.asker.map_or("somebody", |known| &*known.session.actor.name);
    let round = turn.earlier.len() + 1;
    let before = turn.earlier.last().filter(|last| last.answered.is_string()).map_or(&Value::Null, |last| &last.asked);
    let about = match (turn.negotiation, turn.document) {
        (true, _) => "a protocol".to_owned(),
        (false, Some(document)) => document.to_string(),
        (false, None) => "no protocol".to_owned(),
    };
    Ok(Ok(format!("Round {round}, {who}, about {about}, before: {before}.").into()))
}

/// Whether this server answers by a document.
pub(crate) fn supports(_hash: &DocumentHash) -> bool {
    false
}

/// Whether a document has several rounds; none where nobody here knows it.
#[expect(clippy::unused_async, reason = "what is registered is looked up")]
pub(crate) async fn multiround(_app: &App, _hash: &DocumentHash) -> Result<Option<bool>, Problem> {
    Ok(None)
}
