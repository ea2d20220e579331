//! Bounds of path parameters and headers, by name: their annotations state names and types only. The types of query parameters have
//! schemas (`buildtrack_http::query::Value`). A test rejects a parameter without bounds.

use std::collections::HashSet;

use buildtrack_domain::ids::{NoticeId, OwnerId, RequestId, SessionId, TipId, WorkspaceId};
use buildtrack_http::{
    described::{add_header, exactly, position, text},
    idempotency::KEY_MAX,
};
use buildtrack_protocols::relay;
use utoipa::openapi::{
    RefOr, Schema,
    path::{Operation, Parameter, ParameterIn},
};

use super::forms::{actor, is_unbounded};

/// Adds bounds to all parameters of an operation that only state a type.
pub(super) fn bound(path: &str, operation: &mut Operation) {
    drop_repeated(operation);
    for parameter in operation.parameters.iter_mut().flatten() {
        let RefOr::T(parameter) = parameter else { continue };
        let bare = match &parameter.schema {
            Some(RefOr::T(Schema::Object(schema))) => is_unbounded(schema),
            _ => false,
        };
        if let Some(schema) = form(path, parameter).filter(|_| bare) {
            parameter.schema = Some(schema.into());
        }
    }
}

/// For a handler with typed path parameters, the annotation also adds one for each name in the path, without a description.
fn drop_repeated(operation: &mut Operation) {
    let mut named = HashSet::new();
    if let Some(parameters) = &mut operation.parameters {
        parameters.retain(|parameter| match parameter {
            RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Path => named.insert(parameter.name.clone()),
            _ => true,
        });
    }
}

fn form(path: &str, parameter: &Parameter) -> Option<Schema> {
    match parameter.parameter_in {
        ParameterIn::Path => in_path(path, &parameter.name),
        ParameterIn::Header if parameter.name == "Last-Event-ID" => Some(position()),
        _ => None,
    }
}

/// The schema of a path parameter that has no type of its own, by its name or by the collection before it.
fn in_path(path: &str, name: &str) -> Option<Schema> {
    let before = path.split(&format!("/{{{name}}}")).next().unwrap_or_default();
    let collection = before.rsplit('/').next().unwrap_or_default();
    Some(match (name, collection) {
        ("id", "workspaces") => exactly(&[WorkspaceId::FORM]),
        ("id", "accounts") => exactly(&[OwnerId::FORM]),
        ("id", "requests") => exactly(&[RequestId::FORM]),
        ("id", "notices") => exactly(&[NoticeId::FORM]),
        ("id", "sessions") => exactly(&[SessionId::FORM]),
        ("id", "tips") => exactly(&[TipId::FORM]),
        ("id", "messages" | "receipts" | "threads") => relay::parameters::name(),
        ("memberId" | "invitedId", _) => actor(),
        _ => return None,
    })
}

/// Adds the `Idempotency-Key` header.
pub(super) fn add_key(operation: &mut Operation) {
    let description = "Makes retries safe: a request with the same key and body gets the first answer, for 24 hours";
    let schema = text().min_length(Some(1)).max_length(Some(KEY_MAX)).pattern(Some("^[!-~]([ -~]*[!-~])?$"));
    add_header(operation, "Idempotency-Key", description, schema);
}
