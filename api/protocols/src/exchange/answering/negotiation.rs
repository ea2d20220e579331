//! Negotiation of a protocol document by rules, in as many rounds as the requester needs.
//!
//! The requester states its need, and the server proposes documents that fit. The requester then names one of them or
//! sends the text of another. A named document is agreed on if it is listed. A text is agreed on if it is a valid
//! document. The server then registers it in the name of the requester, which needs a session for that.

use buildtrack_domain::exchange::documents::{DocumentHash, Move, ProtocolDocument, encode_source, only_named};
use buildtrack_http::{
    app::App,
    auth::{Caller, Write},
    problem::Problem,
};
use serde_json::{Value, json};

use super::{
    Turn,
    offers::{Offer, fitting, listed, own_offers},
    requests::{Asked, error_body},
};

use crate::exchange::documents::{reading::text_of, registering};

/// The result of one round.
#[derive(Debug, Default)]
struct Round {
    message: String,
    /// The document that both sides have agreed on, with its text.
    agreed: Option<(Offer, String)>,
    /// Whether this round registered the document.
    registered: bool,
    /// Documents that the requester can name.
    proposals: Vec<Offer>,
    /// Why the requester's document was not accepted.
    error: Option<Value>,
}

/// Answers in the form of the request: an object to an object, prose to prose.
pub(super) async fn answer(app: &App, turn: &Turn<'_>) -> Result<Value, Problem> {
    let url = &app.public_url;
    if let Ok(Asked { fields, textual }) = Asked::of(turn.body) {
        let body = round(app, turn, Move::of_object(&fields)).await?.value(url);
        return Ok(if textual { Value::String(body.to_string()) } else { body });
    }
    Ok(Value::String(round(app, turn, Move::of_prose(&turn.body.text())).await?.prose(url)))
}

async fn round(app: &App, turn: &Turn<'_>, step: Move) -> Result<Round, Problem> {
    match step {
        Move::Proposes(document) => proposed(app, turn, *document).await,
        Move::ProposesNone(error) => refused(registering::invalid("/document", &error)),
        Move::Names(hashes) => match hashes[..] {
            [hash] => named(app, &hash).await,
            _ => Ok(Round::with_message("You name several documents. Name the one that you want to use.")),
        },
        Move::NamesNothing => Ok(Round::with_message(
            "That is not the hash of a document. A hash is a SHA-1: 40 hexadecimal digits, or its 20 bytes in base64.",
        )),
        Move::Agrees => match turn.earlier.last().and_then(|last| only_named(&last.answered)) {
            Some(hash) => named(app, &hash).await,
            None => Ok(Round::with_message("What do you agree to? Name the document by its hash.")),
        },
        Move::Needs(need) => needed(app, &need).await,
    }
}

async fn needed(app: &App, need: &str) -> Result<Round, Problem> {
    let proposals = fitting(app, need).await?;
    let (message, proposals) = if proposals.is_empty() {
        let message = "I know no document that shares a word with your need. I answer by these documents myself. Name one by \
                       its hash, or send the whole text of another document.";
        (message, own_offers())
    } else {
        let message = "These documents fit your need, the best first. Name one by its hash to agree on it, or send the \
                       whole text of another document.";
        (message, proposals)
    };
    Ok(Round { message: message.to_owned(), proposals, ..Round::default() })
}

async fn named(app: &App, hash: &DocumentHash) -> Result<Round, Problem> {
    match listed(app, hash).await? {
        Some(offer) => agreed(app, offer, false).await,
        None => Ok(Round::with_message("I know no such document, or it was withdrawn. Send its whole text.")),
    }
}

async fn proposed(app: &App, turn: &Turn<'_>, document: ProtocolDocument) -> Result<Round, Problem> {
    let hash = document.hash();
    if let Some(offer) = listed(app, &hash).await? {
        return agreed(app, offer, false).await;
    }
    let Some(asker) = turn.asker else {
        let message = format!(
            "The document {hash} is valid but not registered. I register documents for callers with a session: send \
             Authorization: Bearer <token>. Without a session, we can only agree on a registered document."
        );
        return Ok(Round {
            proposals: fitting(app, &document.metadata().description).await?,
            ..Round::with_message(&message)
        });
    };
    let registered = match Caller::<Write>::of(asker.clone()) {
        Ok(caller) => registering::register(app, &caller, document, None).await,
        Err(problem) => Err(problem),
    };
    match registered {
        Err(problem) => refused(problem),
        Ok(_) => match listed(app, &hash).await? {
            Some(offer) => agreed(app, offer, true).await,
            None => Ok(Round::with_message(
                "The document was withdrawn while I registered it. Send it again to register it.",
            )),
        },
    }
}

async fn agreed(app: &App, offer: Offer, registered: bool) -> Result<Round, Problem> {
    let beginning = if registered { "Agreed, and registered" } else { "Agreed" };
    let message = format!("{beginning}: protocolHash {}. {}", offer.hash, offer.answered(&app.public_url));
    let text = text_of(app, &offer.hash).await?;
    Ok(Round { message, agreed: Some((offer, text)), registered, ..Round::default() })
}

fn refused(problem: Problem) -> Result<Round, Problem> {
    let error = error_body(problem)?;
    let message = error["error"].as_str().unwrap_or_default().to_owned();
    let field_errors = error["errors"].as_array().into_iter().flatten();
    let hint = field_errors.chain([&error]).find_map(|fault| fault["hint"].as_str()).unwrap_or_default();
    Ok(Round {
        message: format!("I cannot accept the document: {message}. {hint}"),
        error: Some(error),
        ..Round::default()
    })
}

impl Round {
    fn with_message(message: &str) -> Self {
        Self { message: message.to_owned(), ..Self::default() }
    }

    /// The round as JSON, for programs.
    fn value(&self, public_url: &str) -> Value {
        let proposals: Vec<_> = self.proposals.iter().map(|offer| offer.value(public_url)).collect();
        let mut value = json!({ "agreed": self.agreed.is_some(), "message": self.message, "proposals": proposals });
        if let Some((offer, text)) = &self.agreed {
            value["protocolHash"] = json!(offer.hash);
            value["protocolSources"] = json!([encode_source(text)]);
            value["registered"] = json!(self.registered);
            value["protocol"] = offer.value(public_url);
        }
        if let Some(error) = &self.error {
            value["error"] = error["error"].clone();
            value["errors"] = error["errors"].clone();
        }
        value
    }

    /// The round as prose. The client `agora-protocol` ends a negotiation by returning the document between tags.
    fn prose(&self, public_url: &str) -> String {
        let mut prose = self.message.clone();
        for offer in &self.proposals {
            prose.push('\n');
            prose.push_str(&offer.line(public_url));
        }
        if let Some((_, text)) = &self.agreed {
            prose.push_str(" This is its exact text; do not change any character:\n<FINALPROTOCOL>\n");
            prose.push_str(text);
            prose.push_str("\n</FINALPROTOCOL>");
        }
        prose
    }
}
