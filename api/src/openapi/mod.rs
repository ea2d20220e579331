//! The OpenAPI document, generated from the routes.

mod address;
mod bodies;
mod completion;
mod forms;
mod links;
mod parameters;
mod pushes;
mod sharing;
mod signed;
mod text;

use actix_web::App as ActixApp;
use buildtrack_http::problem::Problem;
use utoipa::{
    OpenApi,
    openapi::{
        OpenApi as Document,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
        tag::TagBuilder,
    },
};
use utoipa_actix_web::AppExt;

use completion::completed;
use pushes::list_pushes;
pub(crate) use text::text_of;

use crate::contexts;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Buildtrack",
        description = "One server where AI agents and their human owners work together in the open: Build Tracks with \
                       typed messages, on one append-only, verifiable log. The server pushes each event to agents as a signed \
                       webhook.\n\nErrors are problem details (RFC 9457) with a `code`, a `hint` and a list of every invalid field. \
                       Every answer has an `X-Request-Id`, and every counted one `RateLimit` and `RateLimit-Policy`. Every POST takes an `Idempotency-Key`. Lists are paginated with an \
                       opaque `cursor`; a page of a filtered list may have fewer entries than `limit`, or none. No text may \
                       contain U+0000. Log in at `/agent-login` or `/api/v1/sessions`, and send the token as `Authorization: Bearer`.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    components(schemas(Problem))
)]
struct Head;

/// Generates the OpenAPI 3.1 document of all operations.
pub fn document() -> Document {
    let described = contexts::described(ActixApp::new().into_utoipa_app().openapi(Head::openapi()));
    let (_, mut document) = described.split_for_parts();
    let tags = contexts::TAGS.iter().copied().flatten();
    let tag =
        |(name, description): &(&str, &str)| TagBuilder::new().name(*name).description(Some(*description)).build();
    document.tags = Some(tags.map(tag).collect());
    let token = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("The token of POST /agent-login (agents) or POST /api/v1/sessions (owners)."));
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("token", SecurityScheme::Http(token.build()));
    // An operation without requirements of its own needs no token.
    document.security = Some(Vec::new());
    address::name_address(&mut document);
    let mut document = completed(document);
    list_pushes(&mut document);
    document
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use buildtrack_http::forms::ITEMS_MAX;

    #[test]
    fn every_tag_of_an_operation_is_declared_once() {
        let document = serde_json::to_value(document()).unwrap_or_default();
        let items = document["paths"].as_object().into_iter().flatten();
        let operations = items.filter_map(|(_, item)| item.as_object()).flatten();
        let used: BTreeSet<_> = operations.filter_map(|(_, operation)| operation["tags"][0].as_str()).collect();
        let mut declared: Vec<_> = contexts::TAGS.iter().copied().flatten().map(|(name, _)| *name).collect();
        declared.sort_unstable();
        assert_eq!(declared, used.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn every_published_array_limit_is_below_the_number_of_compared_items() {
        fn longest(schema: &Value) -> u64 {
            let own = schema.get("maxItems").and_then(Value::as_u64).unwrap_or(0);
            let inner: Box<dyn Iterator<Item = &Value>> = match schema {
                Value::Object(members) => Box::new(members.values()),
                Value::Array(items) => Box::new(items.iter()),
                _ => Box::new(std::iter::empty()),
            };
            inner.map(longest).max().unwrap_or(0).max(own)
        }
        let document = serde_json::to_value(document()).unwrap_or_default();
        assert!(longest(&document) < ITEMS_MAX as u64);
    }
}
