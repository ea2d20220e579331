//! Completion of the generated document: responses, headers and parameters that all operations of a kind share.

use buildtrack_http::{
    described::{add_condition, conditional, failure, operations},
    dialect::NATIVE,
    edge::REQUEST_SECONDS,
    problem::MEDIA_TYPE,
};
use utoipa::openapi::{
    AllOf, ContentBuilder, HeaderBuilder, Object, ObjectBuilder, OneOf, OpenApi as Document, PathItem, Ref, RefOr,
    Response, ResponseBuilder, Schema, Type,
    path::Operation,
    schema::{AnyOf, ArrayItems},
};

use super::{
    bodies::bound_bodies,
    links::link,
    parameters::{add_key, bound},
    sharing::share,
    signed::describe_signed,
};

use crate::contexts::DECLARED;

/// The operations that are not counted against a limit, and refuse no request.
const UNCOUNTED: [&str; 4] = ["/livez", "/readyz", "/metrics", "/health"];

/// Completes the whole document.
pub(super) fn completed(mut document: Document) -> Document {
    let components = document.components.get_or_insert_default();
    for (name, schema) in &mut components.schemas {
        if let (Some(item), RefOr::T(Schema::Object(page))) = (name.strip_prefix("Page_"), schema) {
            name_items(page, item);
        }
    }
    for schema in components.schemas.values_mut() {
        match schema {
            RefOr::T(Schema::AllOf(parts)) => *schema = merged(parts).into(),
            RefOr::T(Schema::OneOf(forms)) if forms.items.iter().all(|form| matches!(form, RefOr::Ref(_))) => {
                *schema = RefOr::T(any_of(forms).into());
            }
            _ => {}
        }
    }
    for protocol in DECLARED.protocols {
        // The operations of a protocol that has a description of its own are not listed.
        if !document.paths.paths.keys().any(|path| std::ptr::eq(DECLARED.dialect(path), *protocol)) {
            continue;
        }
        let (name, schema) = (protocol.error)();
        components.schemas.insert(name, schema);
    }
    for (path, item) in &mut document.paths.paths {
        complete(path, item);
        let (error, _) = (DECLARED.dialect(path).error)();
        operations(item).for_each(|operation| answer_errors(operation, &error, DECLARED.dialect(path).media_type));
        operations(item).for_each(|operation| bound(path, operation));
        if UNCOUNTED.contains(&&**path) {
            operations(item).for_each(answer_slow_request);
        }
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
        let part = match part {
            RefOr::T(Schema::Object(part)) => part.clone(),
            RefOr::T(Schema::AllOf(parts)) => merged(parts),
            _ => continue,
        };
        whole.properties.extend(part.properties);
        whole.required.extend(part.required);
    }
    whole
}

/// The forms of an enum without tags may overlap: `oneOf` would claim that each value has one form only.
fn any_of(forms: &OneOf) -> AnyOf {
    let mut any = AnyOf::new();
    any.items.clone_from(&forms.items);
    any.description.clone_from(&forms.description);
    any
}

/// Adds the body of its dialect to each error answer that an annotation only describes.
fn answer_errors(operation: &mut Operation, schema: &str, media_type: &str) {
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        if status.starts_with(['4', '5']) && response.content.is_empty() {
            let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).build();
            response.content.insert(media_type.to_owned(), RefOr::T(content));
        }
    }
}

/// Adds the parts that all operations of a kind share, so that handlers do not repeat them.
fn complete(path: &str, item: &mut PathItem) {
    let dialect = DECLARED.dialect(path);
    if *dialect != NATIVE {
        return (dialect.describe)(path, item);
    }
    let counted = !UNCOUNTED.contains(&path);
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
        } else if !DECLARED.is_login(path) {
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

/// Adds the answer of the HTTP server itself. Any operation may get it; these have no other refusal.
fn answer_slow_request(operation: &mut Operation) {
    let description = format!("The request did not arrive within {REQUEST_SECONDS} seconds; the answer has no body");
    let response = ResponseBuilder::new().description(description).build();
    operation.responses.responses.insert("408".to_owned(), RefOr::T(response));
}

fn problem(operation: &mut Operation, status: u16, description: &str) {
    failure(operation, status, description, ("Problem", MEDIA_TYPE));
}

fn announce_limits(operation: &mut Operation) {
    let text = |description| {
        let schema = ObjectBuilder::new().schema_type(Type::String);
        RefOr::T(HeaderBuilder::new().schema(Some(schema)).description(Some(description)).build())
    };
    for (status, response) in &mut operation.responses.responses {
        // Other answers have these headers too: `info.description` says so once, which keeps the document small.
        let RefOr::T(Response { headers, .. }) = response else { continue };
        match &**status {
            "429" => {
                let left = "Remaining requests, and seconds until the full quota is available: \"free\";r=12;t=30";
                headers.insert("RateLimit".into(), text(left));
                headers.insert("RateLimit-Policy".into(), text("The quota: \"free\";q=15;w=60"));
            }
            "500" => {
                headers.insert("X-Request-Id".into(), text("Identifies the request in the server's log"));
            }
            _ => (),
        }
    }
}
