//! Bounds of inputs in the OpenAPI document: every parameter and every field of a body has bounds, and the server refuses every
//! method that the document does not have.

use buildtrack_tests::{
    Backend, TestApp,
    contract::{DOCUMENT, OPERATIONS},
};
use rstest_reuse::apply;
use serde_json::Value;

use crate::either;

/// The locations in a schema that have no bounds.
fn open_ends(schema: &Value, at: &str, seen: &mut Vec<String>, open: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        if !seen.iter().any(|known| known == reference) {
            seen.push(reference.to_owned());
            open_ends(DOCUMENT.pointer(reference.trim_start_matches('#')).unwrap(), reference, seen, open);
        }
        return;
    }
    for several in ["oneOf", "anyOf", "allOf"] {
        for branch in schema[several].as_array().into_iter().flatten() {
            open_ends(branch, at, seen, open);
        }
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        open_ends(property, &format!("{at}/{name}"), seen, open);
    }
    if let Some(items) = schema.get("items") {
        open_ends(items, &format!("{at}/*"), seen, open);
    }
    if schema.get("enum").is_some() || schema.get("const").is_some() {
        return;
    }
    let kinds = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
    for kind in kinds.iter().filter_map(Value::as_str) {
        let says = |words: &[&str]| words.iter().any(|word| schema.get(*word).is_some());
        let dated = ["date-time", "date"].iter().any(|format| schema["format"] == *format);
        let bounded = match kind {
            "string" => says(&["maxLength", "pattern"]) || dated,
            "array" => says(&["maxItems"]) || schema["uniqueItems"] == true,
            "integer" | "number" => says(&["maximum"]) && says(&["minimum"]),
            _ => true,
        };
        if !bounded {
            open.push(format!("{at}: {schema}"));
        }
    }
}

#[test]
fn every_parameter_and_every_field_of_a_body_has_bounds() {
    let (mut seen, mut open) = (Vec::new(), Vec::new());
    for operation in OPERATIONS.iter() {
        let name = format!("{} {}", operation.method, operation.path);
        let parameters = operation.definition["parameters"].as_array().into_iter().flatten();
        // RFC 9110 defines conditions: any text is valid, and the server searches it for tags.
        for parameter in parameters.filter(|one| !["If-Match", "If-None-Match"].iter().any(|name| one["name"] == *name))
        {
            open_ends(&parameter["schema"], &format!("{name} {}", parameter["name"]), &mut seen, &mut open);
        }
        for content in
            operation.definition["requestBody"]["content"].as_object().into_iter().flat_map(|all| all.values())
        {
            open_ends(&content["schema"], &name, &mut seen, &mut open);
        }
    }
    assert!(open.is_empty(), "state bounds in api/src/openapi/parameters.rs or on the schema:\n{}", open.join("\n"));
}

#[test]
fn created_resources_are_linked_to_their_operations() {
    let ids: Vec<_> =
        OPERATIONS.iter().map(|operation| operation.definition["operationId"].as_str().unwrap()).collect();
    let mut links = 0;
    for operation in OPERATIONS.iter() {
        for response in operation.definition["responses"].as_object().unwrap().values() {
            for link in response["links"].as_object().into_iter().flat_map(|links| links.values()) {
                assert!(ids.contains(&link["operationId"].as_str().unwrap()), "{link}");
                links += 1;
            }
        }
    }
    assert!(links > 80, "{links} links");
}

#[apply(either)]
async fn undocumented_methods_are_refused_with_the_allowed_methods(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    for caller in [anyone.clone(), anyone.with_token("bts_unknown"), anyone.with_token("x")] {
        for path in ["/api/v1/points", "/api/v1/me", "/agent-login", "/livez", "/v1/agents", "/events", "/agora", "/"] {
            for method in ["TRACE", "OPTIONS", "PROPFIND", "get"] {
                let reply = caller.send(method, path).await.expect_status(405);
                assert!(!reply.header("allow").is_empty(), "{method} {path}");
            }
        }
        for path in ["/v1/agents/x/y", "/agora/nothing", "/nothing"] {
            caller.send("TRACE", path).await.expect_status(404);
        }
    }
}

#[apply(either)]
async fn cursors_of_earlier_versions_still_work(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    // The text `p0`, as earlier versions encoded it.
    for cursor in ["cDA", "p0"] {
        app.anonymous().get(&format!("/api/v1/workspaces?cursor={cursor}")).await.expect_status(200);
    }
    for cursor in ["", "p", "p-", "q0", "0"] {
        let refused = app.anonymous().get(&format!("/api/v1/workspaces?cursor={cursor}")).await;
        refused.expect_problem(400, "invalid_parameter");
    }
}

#[apply(either)]
async fn the_largest_integer_is_refused_as_a_limit(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for operation in OPERATIONS.iter().filter(|operation| operation.method == "GET") {
        let parameters = operation.definition["parameters"].as_array();
        let limited = parameters.into_iter().flatten().any(|parameter| parameter["name"] == "limit");
        if limited && !operation.path.contains('{') {
            let path = format!("{}?limit={}", operation.path, i64::MAX);
            let reply = scout.send("GET", &path).await;
            assert!([400, 403].contains(&reply.status), "{}: {}", reply.line, reply.status);
        }
    }
}
