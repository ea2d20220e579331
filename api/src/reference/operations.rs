//! An operation of the OpenAPI document, as a page shows it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    examples::Examples,
    fields::{Field, Schemas},
    prose::Prose,
    samples::{Request, Sample},
};

/// An operation.
#[derive(Debug)]
pub(crate) struct Operation {
    /// Its `operationId`, which is the anchor on the page.
    pub(crate) id: String,
    /// In upper case.
    pub(crate) method: String,
    /// With parameters in braces.
    pub(crate) path: String,
    pub(crate) summary: String,
    pub(crate) description: Prose,
    pub(crate) needs_session: bool,
    pub(crate) kind: Kind,
    pub(crate) parameters: Vec<Field>,
    pub(crate) body: Option<Body>,
    pub(crate) answers: Vec<Answer>,
    pub(crate) errors: Vec<Failure>,
    pub(crate) samples: Vec<Sample>,
}

/// What a caller has to know before it sends the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain,
    /// The body must be signed when it is sent.
    Signed,
    /// The answer is a stream of Server-Sent Events.
    Stream,
}

/// The body of a request.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) description: Prose,
    pub(crate) fields: Vec<Field>,
    /// An example as indented JSON.
    pub(crate) example: String,
}

/// An answer that is no error.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: String,
    pub(crate) description: Prose,
    pub(crate) contents: Vec<Content>,
}

/// A form of an answer.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) media_type: String,
    /// The type, and the schema that it names.
    pub(crate) kind: String,
    pub(crate) schema: Option<String>,
    /// An example as indented JSON; `None` for other media types.
    pub(crate) example: Option<String>,
}

/// An error of an operation: its status with the codes that the server answers.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: String,
    pub(crate) codes: Vec<String>,
    /// What the document says of it beyond the codes; empty for errors that many operations share.
    pub(crate) description: Prose,
}

/// What all operations are read with.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    /// The OpenAPI document.
    pub(super) document: &'a Value,
    /// The base URL of the server.
    pub(super) base: &'a str,
    /// The codes of errors that the page of problems explains.
    pub(super) codes: &'a BTreeSet<&'static str>,
}

impl<'a> Reader<'a> {
    /// Reads an operation.
    pub(super) fn operation(self, path: &str, method: &str, definition: &'a Value) -> Operation {
        let schemas = Schemas { document: self.document };
        let text = |member: &str| definition[member].as_str().unwrap_or_default();
        let listed = definition["parameters"].as_array().into_iter().flatten();
        let mut parameters: Vec<_> = listed.map(|parameter| schemas.parameter(parameter)).collect();
        parameters.sort_by_key(|parameter| match &*parameter.location {
            "path" => 0,
            "query" => 1,
            _ => 2,
        });
        let content = &definition["requestBody"]["content"]["application/json"]["schema"];
        let example = content.is_object().then(|| Examples { document: self.document }.of("", content));
        let answers = self.answers(definition);
        let kind = kind(definition, &answers);
        let method = method.to_uppercase();
        let needs_session = definition["security"].as_array().is_some_and(|schemes| !schemes.is_empty());
        let required = parameters.iter().filter(|parameter| parameter.is_required);
        let request = Request {
            method: &method,
            path,
            parameters: required
                .map(|field| (&*field.location, &*field.name, field.example.as_deref().unwrap_or_default()))
                .collect(),
            body: example.as_ref(),
            needs_session,
            is_stream: kind == Kind::Stream,
            base: self.base,
        };
        let samples = request.samples();
        let body = example.map(|example| Body {
            description: Prose::of(definition["requestBody"]["description"].as_str().unwrap_or_default()),
            fields: schemas.fields(content),
            example: indented(&example),
        });
        Operation {
            id: text("operationId").to_owned(),
            path: path.to_owned(),
            summary: text("summary").trim_end_matches('.').to_owned(),
            description: Prose::of(text("description")),
            errors: self.errors(definition),
            method,
            needs_session,
            kind,
            parameters,
            body,
            answers,
            samples,
        }
    }

    /// The answers that are no errors. That of a conditional read, which has no content, is left out.
    fn answers(self, definition: &'a Value) -> Vec<Answer> {
        let responses = definition["responses"].as_object().into_iter().flatten();
        let answers = responses.filter(|(status, _)| status.starts_with('2'));
        answers.map(|(status, response)| self.answer(status, response)).collect()
    }

    fn answer(self, status: &str, response: &'a Value) -> Answer {
        let schemas = Schemas { document: self.document };
        let response = schemas.resolved(response);
        let contents = response["content"].as_object().into_iter().flatten().map(|(media_type, content)| {
            let (kind, schema, _) = schemas.kind(&content["schema"]);
            let is_json = media_type == "application/json";
            let example = is_json.then(|| indented(&Examples { document: self.document }.of("", &content["schema"])));
            Content { media_type: media_type.clone(), kind, schema, example }
        });
        Answer {
            status: status.to_owned(),
            description: Prose::of(response["description"].as_str().unwrap_or_default()),
            contents: contents.collect(),
        }
    }

    fn errors(self, definition: &'a Value) -> Vec<Failure> {
        let responses = definition["responses"].as_object().into_iter().flatten();
        let errors = responses.filter(|(status, _)| status.starts_with(['4', '5']));
        errors.map(|(status, response)| self.failure(status, response)).collect()
    }

    /// An error. Its description names the codes between backticks.
    fn failure(self, status: &str, response: &'a Value) -> Failure {
        let is_shared = response.get("$ref").is_some();
        let response = Schemas { document: self.document }.resolved(response);
        let description = response["description"].as_str().unwrap_or_default();
        let mut codes: Vec<String> = Vec::new();
        for word in description.split('`').skip(1).step_by(2) {
            if self.codes.contains(word) && !codes.iter().any(|code| code == word) {
                codes.push(word.to_owned());
            }
        }
        let says_more = codes.is_empty() || !is_shared && description.contains(':');
        let description = if says_more { Prose::of(description) } else { Prose::default() };
        Failure { status: status.to_owned(), codes, description }
    }
}

fn kind(definition: &Value, answers: &[Answer]) -> Kind {
    let mut contents = answers.iter().flat_map(|answer| &answer.contents);
    if contents.any(|content| content.media_type == "text/event-stream") {
        Kind::Stream
    } else if definition["tags"][0] == "Relay" && definition["requestBody"].is_object() {
        Kind::Signed
    } else {
        Kind::Plain
    }
}

fn indented(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
