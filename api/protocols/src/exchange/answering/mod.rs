//! This server's own answers: by its own protocol documents, to requests without a protocol, and in negotiations.
//!
//! **Invariant:** an action that a document allows uses the same functions and the same rules as the REST API. Errors
//! in a request by a document are reported in the body of a success (seed: «Protocol-Level Errors»).

mod agents;
mod messages;
mod negotiation;
mod offers;
mod plain;
mod reputation;
mod requests;
mod tracks;

use buildtrack_domain::exchange::{conversations::Body, documents::DocumentHash};
use buildtrack_http::{app::App, auth::Authenticated, problem::Problem};
use serde_json::Value;

use super::documents::own::{self, Answerer, OwnDocument};
use requests::{Asked, error_body};

/// A completed round.
#[derive(Debug, Clone)]
pub(crate) struct Exchanged {
    /// The answer.
    pub answered: Value,
}

/// One request of a conversation, as the answering code receives it.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    /// The session in `Authorization`, if there is one.
    pub asker: Option<&'a Authenticated>,
    /// The protocol document; none for a request without a protocol.
    pub document: Option<&'a DocumentHash>,
    /// Whether the protocol is the word `negotiation`.
    pub negotiation: bool,
    /// Earlier rounds of the same conversation.
    pub earlier: &'a [Exchanged],
    /// The request's content: a string or an object.
    pub body: &'a Body,
}

/// The error that the requester receives instead of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure(pub String);

/// Answers a request: the body of a success, which may report errors by the document's rules, or a failure.
pub(crate) async fn answer(app: &App, turn: Turn<'_>) -> Result<Result<Value, Failure>, Problem> {
    if turn.negotiation {
        return negotiation::answer(app, &turn).await.map(Ok);
    }
    match turn.document.map(own::find) {
        None => plain::answer(app, turn.body).await.map(Ok),
        // The seed fixes this text: «Usage of Protocol Hash and Sources».
        Some(None) => Ok(Err(Failure("Unsupported protocol".to_owned()))),
        Some(Some(own)) => by_document(app, own, &turn).await.map(Ok),
    }
}

/// Whether this server answers by a document.
pub(crate) fn supports(hash: &DocumentHash) -> bool {
    own::find(hash).is_some()
}

/// Whether a document has several rounds; none if the document is unknown here.
pub(crate) async fn multiround(app: &App, hash: &DocumentHash) -> Result<Option<bool>, Problem> {
    match own::find(hash) {
        Some(own) => Ok(Some(own.document.metadata().multiround)),
        None => Ok(app.store.exchange().document(hash).await?.map(|view| view.multiround)),
    }
}

async fn by_document(app: &App, own: &OwnDocument, turn: &Turn<'_>) -> Result<Value, Problem> {
    let asked = match Asked::of(turn.body) {
        Ok(asked) => asked,
        Err(problem) => return error_body(problem),
    };
    let textual = asked.textual;
    let answered = match own.answerer {
        Answerer::Tracks => tracks::answer(app, asked).await,
        Answerer::Messages => messages::answer(app, &own.hash(), turn.asker, asked).await,
        Answerer::Reputation => reputation::answer(app, &asked).await,
        Answerer::Agents => agents::answer(app, &asked).await,
    };
    let body = answered.or_else(error_body)?;
    Ok(if textual { Value::String(body.to_string()) } else { body })
}

#[cfg(test)]
mod tests;
