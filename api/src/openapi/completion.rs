//! Completion of the generated document: responses, headers and parameters that all operations of a kind share.

use utoipa::openapi::{
    AllOf, ContentBuilder, HeaderBuilder, Object, ObjectBuilder, OpenApi as Document, PathItem, Ref, RefOr, Response,
    ResponseBuilder, Schema, Type, path::Operation, schema::ArrayItems,
};

use super::{
    bodies::bound_bodies,
    links::link,
    parameters::{add_condition, add_key, bound},
    sharing::{operations, share},
    signed::describe_signed,
};
use crate::http::{dialect::Dialect, guard::LOGINS, problem::MEDIA_TYPE};

/// Completes the whole document.
pub(super) fn completed(mut document: Document) -> Document {
    let components = document.components.get_or_insert_default();
    for (name, schema) in &mut components.schemas {
        if let (Some(item), RefOr::T(Schema::Object(page))) = (name.strip_prefix("Page_"), schema) {
            name_items(page, item);
        }
    }
    for schema in components.schemas.values_mut() {
        if let RefOr::T(Schema::AllOf(parts)) = schema {
            *schema = merged(parts).into();
        }
    }
    for (path, item) in &mut document.paths.paths {
        complete(path, item);
        operations(item).for_each(|operation| bound(path, operation));
    }
    describe_signed(&mut document);
    bound_bodies(&mut document);
    link(&mut document);
    share(&mut document);
    document
}

/// Replaces the inline schema of a page's items by a reference.
fn name_items(page: &mut Object, item: &str) {
    if let Some(RefOr::T(Schema::Array(items))) = page.properties.get_mut("items") {
        items.items = ArrayItems::RefOrSchema(Box::new(Ref::from_schema_name(item).into()));
    }
}

/// Merges the parts of a flattened answer into one object, as it is sent.
fn merged(parts: &AllOf) -> Object {
    let mut whole = Object::new();
    whole.description.clone_from(&parts.description);
    for part in &parts.items {
        if let RefOr::T(Schema::Object(part)) = part {
            whole.properties.extend(part.properties.clone());
            whole.required.extend(part.required.iter().cloned());
        }
    }
    whole
}

/// Adds the parts that all operations of a kind share, so that handlers do not repeat them.
fn complete(path: &str, item: &mut PathItem) {
    match Dialect::at(path) {
        Dialect::Agora => return complete_relay(path, item),
        Dialect::Exchange => return complete_exchange(item),
        Dialect::Problems => {}
    }
    let counted = !path.ends_with("livez") && !path.ends_with("readyz") && !path.ends_with("metrics");
    if let Some(operation) = &mut item.post {
        add_key(operation);
        problem(operation, 408, "`request_timeout`: the body did not arrive in time");
        problem(operation, 409, "`idempotency_key_in_use`, `answer_not_stored`, `answer_redacted`, `conflict`");
        problem(operation, 413, "`body_too_large`");
        if operation.request_body.is_none() {
            problem(operation, 422, "`idempotency_key_reused`");
        }
    }
    if let Some(operation) = &mut item.get {
        conditional(operation);
    }
    if let Some(operation) = item.get.as_mut().filter(|_| path.ends_with("/live")) {
        problem(operation, 429, "`rate_limited`; `too_many_streams_held`: the maximum of an agent, owner or network");
        problem(
            operation,
            503,
            "`too_many_streams`, `unavailable`, `storage_low`, `shutting_down`: retry after `Retry-After` seconds",
        );
    }
    if let Some(operation) = &mut item.patch {
        add_condition(operation, "If-Match", "The ETag of the answer that the edit is based on");
        problem(operation, 412, "`precondition_failed`");
    }
    let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete];
    for operation in operations.into_iter().flatten().filter(|_| counted) {
        if operation.security.is_some() {
            problem(operation, 401, "`unauthenticated`, `invalid_token`");
            problem(operation, 403, "`missing_scope`, `owner_required`, `suspended`");
            problem(operation, 409, "`conflict`: a concurrent request changed the same entity");
        } else if !LOGINS.contains(&path) {
            problem(operation, 401, "`invalid_token`: send a valid token, or none");
            problem(operation, 403, "`suspended`: operators have suspended the holder of the token");
        }
        if operation.request_body.is_some() {
            problem(operation, 400, "`malformed_json`, `invalid_parameter`");
            problem(operation, 408, "`request_timeout`: the body did not arrive in time");
            problem(operation, 413, "`body_too_large`");
            problem(operation, 415, "`unsupported_media_type`");
            problem(operation, 422, "`validation_failed`: lists every invalid field; `idempotency_key_reused`");
        } else {
            problem(operation, 400, "`invalid_parameter`, `unexpected_body`");
        }
        if path.contains('{') {
            problem(operation, 404, "`not_found`");
        }
        problem(operation, 429, "`rate_limited`: wait for `Retry-After` seconds");
        problem(operation, 500, "`internal_error`");
        problem(operation, 503, "`unavailable`, `storage_low`, `shutting_down`: retry after `Retry-After` seconds");
        announce_limits(operation);
    }
}

/// Adds the parts that all operations of the relay share.
fn complete_relay(path: &str, item: &mut PathItem) {
    for operation in operations(item).filter(|operation| operation.request_body.is_some()) {
        refusal(operation, 408, "`TIMEOUT`: `request_timeout`: the body did not arrive in time");
        refusal(operation, 413, "`INVALID_REQUEST`: `body_too_large`");
        refusal(operation, 415, "`INVALID_REQUEST`: `unsupported_media_type`");
    }
    for operation in [&mut item.get, &mut item.post, &mut item.put, &mut item.delete].into_iter().flatten() {
        if path != "/health" {
            refusal(operation, 400, "`INVALID_REQUEST`: `invalid_parameter`");
            refusal(
                operation,
                429,
                "`UNAVAILABLE`: `rate_limited`, and `budget_spent` for the storage budget: wait for `Retry-After` seconds",
            );
            refusal(
                operation,
                503,
                "`UNAVAILABLE`: `unavailable`, `storage_low`, `shutting_down`: retry after `Retry-After` seconds",
            );
        }
        refusal(operation, 500, "`INTERNAL_ERROR`: `internal_error`");
    }
}

/// Adds the parts that all operations of the two-party exchange share.
fn complete_exchange(item: &mut PathItem) {
    let exchange_failure = |operation: &mut Operation, status, description: &str| {
        failure(operation, status, description, ("ExchangeFailure", "application/json"));
    };
    if let Some(operation) = &mut item.post {
        exchange_failure(operation, 408, "`request_timeout`: the body did not arrive in time");
        exchange_failure(operation, 413, "`body_too_large`");
        exchange_failure(operation, 415, "`unsupported_media_type`");
    }
    if let Some(operation) = &mut item.get {
        conditional(operation);
    }
    for operation in [&mut item.post, &mut item.delete].into_iter().flatten() {
        exchange_failure(operation, 409, "`conflict`: concurrent requests changed the same entity several times");
    }
    for operation in [&mut item.get, &mut item.post, &mut item.delete].into_iter().flatten() {
        exchange_failure(operation, 401, "`invalid_token`, `key_is_not_a_token`: send a valid token, or none");
        exchange_failure(
            operation,
            403,
            "`https_required`; `suspended`: operators have suspended the holder of the token",
        );
        exchange_failure(operation, 429, "`rate_limited`, `too_many_streams_held`: wait for `Retry-After` seconds");
        exchange_failure(operation, 500, "`internal_error`");
        exchange_failure(
            operation,
            503,
            "`unavailable`, `storage_low`, `too_many_streams`, `shutting_down`: retry after `Retry-After` seconds",
        );
    }
}

/// Adds `If-None-Match` and 304 to a read whose answer has an entity tag.
fn conditional(operation: &mut Operation) {
    let tag = match operation.responses.responses.get("200") {
        Some(RefOr::T(response)) => response.headers.get("ETag").cloned(),
        _ => None,
    };
    let Some(tag) = tag else { return };
    let mut response =
        ResponseBuilder::new().description("The content is unchanged since the answer with that ETag").build();
    response.headers.insert("ETag".into(), tag);
    operation.responses.responses.insert("304".into(), RefOr::T(response));
    add_condition(operation, "If-None-Match", "The ETag of an earlier answer");
}

fn problem(operation: &mut Operation, status: u16, description: &str) {
    failure(operation, status, description, ("Problem", MEDIA_TYPE));
}

fn refusal(operation: &mut Operation, status: u16, description: &str) {
    failure(operation, status, description, ("AgoraError", "application/json"));
}

fn failure(operation: &mut Operation, status: u16, description: &str, (schema, media_type): (&str, &str)) {
    let responses = &mut operation.responses.responses;
    if responses.contains_key(&status.to_string()) {
        return;
    }
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).build();
    let mut response = ResponseBuilder::new().description(description).content(media_type, content);
    if status == 429 || status == 503 {
        let seconds = HeaderBuilder::new().schema(Some(ObjectBuilder::new().schema_type(Type::Integer)));
        response = response.header("Retry-After", seconds.description(Some("Seconds to wait before a retry")).build());
    }
    responses.insert(status.to_string(), RefOr::T(response.build()));
}

fn announce_limits(operation: &mut Operation) {
    let text = |description| {
        let schema = ObjectBuilder::new().schema_type(Type::String);
        RefOr::T(HeaderBuilder::new().schema(Some(schema)).description(Some(description)).build())
    };
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(Response { headers, .. }) = response {
            // If the database is not available, the remaining requests are unknown.
            if status != "503" {
                let left = "Remaining requests, and seconds until the full quota is available: \"free\";r=12;t=30";
                headers.insert("RateLimit".into(), text(left));
                headers.insert("RateLimit-Policy".into(), text("The quota: \"free\";q=15;w=60"));
            }
            headers.insert("X-Request-Id".into(), text("Identifies the request in the server's log"));
        }
    }
}
