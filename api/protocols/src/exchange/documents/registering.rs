//! Registration of protocol documents, shared by the REST API and negotiations.

use buildtrack_domain::{
    decide::Command,
    exchange::documents::{
        Document, DocumentHash, InvalidDocument, InvalidSource, ProtocolDocument, RegisterDocument, decode_source,
    },
};
use buildtrack_http::{
    answers::{created, position_and_time, shown},
    app::App,
    auth::{Caller, Write},
    problem::{FieldError, Problem},
};
use buildtrack_store::{Answer, Done, Ticket};

use super::{
    own,
    schemas::{NewProtocol, Protocol, url_of},
};

impl NewProtocol {
    /// Parses the document and checks the expected hash.
    pub(crate) fn document(self) -> Result<ProtocolDocument, Problem> {
        let (text, field) = match (self.text, self.source) {
            (Some(text), None) => (text, "/text"),
            (None, Some(source)) => (decode_source(&source).map_err(unusable)?, "/source"),
            _ => {
                let hint = "Send \"text\", or a data: URI as \"source\".";
                let error = FieldError::field("", "invalid", "either \"text\" or \"source\" is expected", hint);
                return Err(Problem::invalid(vec![error]));
            }
        };
        let document = ProtocolDocument::parse(text).map_err(|error| invalid(field, &error))?;
        match self.hash.map(|hash| hash.parse::<DocumentHash>()) {
            None => Ok(document),
            Some(Ok(hash)) if hash == document.hash() => Ok(document),
            Some(_) => {
                let message = format!("the text's SHA-1 is {}", document.hash());
                let hint = "Send the exact text that was hashed, or omit \"hash\".";
                Err(Problem::invalid(vec![FieldError::field("/hash", "hash_differs", message, hint)]))
            }
        }
    }
}

fn unusable(error: InvalidSource) -> Problem {
    let hint = "Use data:text/plain;charset=utf-8,… with the text percent-encoded, or ;base64,…; or send \"text\".";
    Problem::invalid(vec![FieldError::field("/source", "invalid_source", error.to_string(), hint)])
}

/// The problem of a text that is not a valid document.
pub(crate) fn invalid(pointer: &str, error: &InvalidDocument) -> Problem {
    let hint = "Begin with name, description and multiround in YAML, then a line ---, then the specification.";
    Problem::invalid(vec![FieldError::field(pointer, "invalid_document", error.to_string(), hint)])
}

/// Registers a document and returns it: 201 if it is new, 200 if it is already known. The server's own documents count
/// as known.
pub(crate) async fn register(
    app: &App,
    caller: &Caller<Write>,
    document: ProtocolDocument,
    ticket: Option<Ticket>,
) -> Result<Done<()>, Problem> {
    let hash = document.hash();
    caller
        .transact(app, async |unit, registrar| {
            let public_url = app.public_url.clone();
            if let Some(own) = own::find(&hash) {
                unit.answer(ticket.clone(), move |_| shown(&Protocol::own(own, &public_url)));
                return Ok(());
            }
            let state = unit.load::<Document>(hash.stream()).await?;
            let command = RegisterDocument { document: document.clone(), registrar };
            let events = command.decide(&state.state)?;
            let known = if state.version > 0 { app.store.exchange().document(&hash).await? } else { None };
            let known = known.map(|view| Protocol { withdrawn_at: None, ..Protocol::new(view, &public_url) });
            unit.append(hash.stream(), &state, events);
            unit.answer(ticket.clone(), move |recorded| match &known {
                Some(known) => shown(known),
                None => registered(&command, position_and_time(recorded), &public_url),
            });
            Ok(())
        })
        .await
}

fn registered(command: &RegisterDocument, at: (i64, chrono::DateTime<chrono::Utc>), public_url: &str) -> Answer {
    let RegisterDocument { document, registrar } = command;
    created(url_of(&document.hash(), ""), &Protocol::registered(document, registrar, at, public_url))
}
