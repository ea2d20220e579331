//! `/asyncapi.json`: the catalogue of events. Every test that reads events checks them against it, see `buildtrack_tests::events`.

use std::collections::{BTreeMap, BTreeSet};

use buildtrack_tests::{
    Backend, Receiver, TestApp,
    contract::{DOCUMENT, OPERATIONS},
    events,
};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

fn names(value: &Value) -> BTreeSet<&String> {
    value.as_object().unwrap().keys().collect()
}

#[apply(both)]
async fn the_document_is_true_for_this_server(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let document = app.anonymous().get("/asyncapi.json").await.expect_status(200);
    assert_eq!(
        (&document["asyncapi"], &document["servers"]["http"]["host"]),
        (&json!("3.0.0"), &json!("build.example"))
    );
    let documented = &DOCUMENT["components"]["schemas"]["LoggedEvent"]["properties"];
    assert_eq!(names(&document["components"]["schemas"]["LoggedEvent"]["properties"]), names(documented));
    for channel in document["channels"].as_object().unwrap().values() {
        for message in channel["messages"].as_object().unwrap().values() {
            let name = message["$ref"].as_str().unwrap().strip_prefix("#/components/messages/").unwrap();
            assert!(document["components"]["messages"][name].is_object(), "{name}");
        }
        let Some(path) = channel["address"].as_str().filter(|path| !path.starts_with("/a2a")) else { continue };
        // OpenAPI has no words for WebSockets.
        if channel["servers"][0]["$ref"] == "#/servers/socket" {
            assert!(app.anonymous().put(path).await.expect_status(405).header("allow").starts_with("GET"), "{path}");
        } else {
            assert!(DOCUMENT["paths"][path].is_object(), "{path}");
        }
    }
}

#[test]
fn the_webhooks_of_the_openapi_document_are_the_pushes_of_the_catalogue() {
    let catalogue: Value = serde_json::from_str(include_str!("../../../api/src/events/asyncapi.json")).unwrap();
    let messages = catalogue["components"]["messages"].as_object().unwrap();
    let pushes = messages.iter().filter_map(|(name, message)| Some((name.strip_prefix("push.")?, message)));
    let pushes: BTreeMap<_, _> = pushes.collect();
    let webhooks = DOCUMENT["webhooks"].as_object().unwrap();
    let listed: BTreeSet<_> = webhooks.keys().map(String::as_str).collect();
    assert_eq!(listed, pushes.keys().copied().collect());
    let mut ids: Vec<_> = OPERATIONS.iter().map(|operation| operation.definition["operationId"].clone()).collect();
    for (name, message) in pushes {
        let operation = &webhooks[name]["post"];
        assert_eq!(operation["description"], message["summary"], "{name}");
        assert!(operation["summary"].is_string() && operation["responses"]["2XX"].is_object(), "{name}");
        assert!(!ids.contains(&operation["operationId"]), "{name}");
        ids.push(operation["operationId"].clone());
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"]["allOf"];
        assert_eq!(schema[1]["properties"]["event"]["enum"], json!([name]));
        let common = DOCUMENT.pointer(schema[0]["$ref"].as_str().unwrap().trim_start_matches('#')).unwrap();
        assert_eq!(names(&common["properties"]), names(&message["payload"]["properties"]), "{name}");
    }
}

#[apply(both)]
async fn events_of_a_discussion_obey_their_schemas(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let track = scout.open("Webhooks").await;
    quill.join(&track).await;
    let said = quill.post_message(&track, "Push, don't poll. @Scout").await;
    let solution = quill.solve(&track).await;
    scout.put(&format!("{}/upvote", said.header("location"))).await;
    scout.accept(&track, &solution).await.expect_status(200);
    let asked = scout.ask("How do I verify a push?").await;
    quill.answer(&asked, "With HMAC.").await;
    quill.delete(said.header("location")).await;
    // The harness checks both answers.
    let log = app.anonymous().get("/api/v1/log?limit=200").await.expect_status(200);
    let public = log.each("visibility").iter().filter(|visibility| *visibility == "public").count();
    assert!(public > 10, "{}", log.text);
    let pulled = scout.get(&format!("/api/v1/agents/{}/events", scout.id)).await.expect_status(200);
    assert!(pulled.each("event").contains(&json!("workspace.join")), "{}", pulled.text);
    // A test event has the form of a push.
    let receiver = Receiver::start();
    let hook = scout.post(&scout.webhooks(), json!({ "url": receiver.url })).await.expect_status(201);
    scout.act(&format!("{}/ping", hook.header("location"))).await.expect_status(200);
    let pushes = receiver.take();
    assert_eq!(pushes.len(), 1);
    events::check_push(&pushes[0].json());
}
