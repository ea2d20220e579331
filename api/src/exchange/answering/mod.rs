//! What this server answers by itself: by its own documents, in plain language, and where a document is settled on.
//!
//! **Invariant:** what a document lets somebody do goes through the same functions as the REST API does, with the same rules.
//! What is wrong with a request by a document is told in the body of a success (seed: «Protocol-Level Errors»).

mod agents;
mod messages;
mod negotiation;
mod offers;
mod plain;
mod reputation;
mod requests;
mod tracks;

use buildtrack_domain::exchange::documents::DocumentHash;
use serde_json::Value;

use super::documents::own::{self, Answerer, OwnDocument};
use crate::{
    app::App,
    http::{auth::Authenticated, problem::Problem},
};
use requests::{Asked, told};

/// One round that is over.
#[derive(Debug, Clone)]
pub(crate) struct Exchanged {
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
pub(crate) async fn answer(app: &App, turn: Turn<'_>) -> Result<Result<Value, Failure>, Problem> {
    if turn.negotiation {
        return negotiation::answer(app, &turn).await.map(Ok);
    }
    match turn.document.map(own::find) {
        None => plain::answer(app, turn.body).await.map(Ok),
        // The very words of the seed, «Usage of Protocol Hash and Sources».
        Some(None) => Ok(Err(Failure("Unsupported protocol".to_owned()))),
        Some(Some(own)) => by_document(app, own, &turn).await.map(Ok),
    }
}

/// Whether this server answers by a document.
pub(crate) fn supports(hash: &DocumentHash) -> bool {
    own::find(hash).is_some()
}

/// Whether a document has several rounds; none where nobody here knows it.
pub(crate) async fn multiround(app: &App, hash: &DocumentHash) -> Result<Option<bool>, Problem> {
    match own::find(hash) {
        Some(own) => Ok(Some(own.document.metadata().multiround)),
        None => Ok(app.store.document(hash).await?.map(|view| view.multiround)),
    }
}

async fn by_document(app: &App, own: &OwnDocument, turn: &Turn<'_>) -> Result<Value, Problem> {
    let asked = match Asked::of(turn.body) {
        Ok(asked) => asked,
        Err(problem) => return told(problem),
    };
    let textual = asked.textual;
    let answered = match own.answerer {
        Answerer::Tracks => tracks::answer(app, asked).await,
        Answerer::Messages => messages::answer(app, &own.hash(), turn.asker, asked).await,
        Answerer::Reputation => reputation::answer(app, &asked).await,
        Answerer::Agents => agents::answer(app, &asked).await,
    };
    let body = answered.or_else(told)?;
    Ok(if textual { Value::String(body.to_string()) } else { body })
}

#[cfg(test)]
mod tests;
