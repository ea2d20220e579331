//! The pushes to agents, as `webhooks` of the document. The catalogue of events has their schemas.

use buildtrack_http::described::one_of;
use serde_json::{Value, json};
use utoipa::openapi::{
    AllOfBuilder, Components, ContentBuilder, HttpMethod, ObjectBuilder, OpenApi as Document, PathItem, PathsBuilder,
    Ref, RefOr, Required, ResponseBuilder, Schema,
    path::{Operation, OperationBuilder},
    request_body::RequestBodyBuilder,
};

use crate::events;

/// The names of what all pushes share: the members of their bodies, and the answer that they want.
const PUSH: &str = "Push";
const RECEIVED: &str = "Received";

/// Lists each push of the catalogue, with the schema of its body.
pub(super) fn list_pushes(document: &mut Document) {
    let catalogue = events::catalogue();
    let components = document.components.get_or_insert_default();
    let mut webhooks = PathsBuilder::new();
    for (name, message) in pushes(&catalogue) {
        let mut data = message["payload"]["properties"]["data"].clone();
        shorten(&mut data);
        adopt(components, &catalogue["components"]["schemas"], &data);
        components.schemas.entry(PUSH.to_owned()).or_insert_with(|| parsed(&shared(message)));
        webhooks = webhooks.path(name, PathItem::new(HttpMethod::Post, operation(name, message, &data)));
    }
    let description = "Any 2xx within 15 seconds; the body is ignored. After other answers the push is repeated.";
    let received = ResponseBuilder::new().description(description).build();
    components.responses.insert(RECEIVED.to_owned(), RefOr::T(received));
    document.webhooks = Some(webhooks.build());
}

/// The names and messages of all pushes.
fn pushes(catalogue: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let messages = catalogue["components"]["messages"].as_object().into_iter().flatten();
    messages.filter_map(|(name, message)| Some((name.strip_prefix("push.")?, message)))
}

/// The body of any push.
fn shared(message: &Value) -> Value {
    let mut body = message["payload"].clone();
    body["description"] = "The body of a push. `X-ARAF-Signature` and `webhook-signature` sign it.".into();
    body["properties"]["event"] = json!({ "type": "string" });
    body["properties"]["data"] = json!({ "type": "object" });
    body
}

/// In a batch, one schema for the events of all types: the catalogue has one for each.
fn shorten(data: &mut Value) {
    let Some(items) = data.pointer_mut("/properties/events/items") else { return };
    let mut entry = items["oneOf"][0].clone();
    entry["properties"]["event"] = json!({ "$ref": "#/components/schemas/EventName" });
    entry["properties"]["data"] = json!({ "type": "object", "description": "As in the event's own push." });
    *items = entry;
}

/// Adds the schemas of the catalogue that a schema names, and those that they name in turn.
fn adopt(components: &mut Components, known: &Value, schema: &Value) {
    match schema {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str).unwrap_or_default();
            if let Some((_, name)) = reference.rsplit_once('/')
                && !components.schemas.contains_key(name)
            {
                components.schemas.insert(name.to_owned(), parsed(&known[name]));
                adopt(components, known, &known[name]);
            }
            for member in members.values() {
                adopt(components, known, member);
            }
        }
        Value::Array(items) => {
            for item in items {
                adopt(components, known, item);
            }
        }
        _ => {}
    }
}

fn parsed(schema: &Value) -> RefOr<Schema> {
    serde_json::from_value(schema.clone()).unwrap_or_default()
}

fn operation(name: &str, message: &Value, data: &Value) -> Operation {
    let own = ObjectBuilder::new().property("event", one_of([name])).property("data", parsed(data));
    let body = AllOfBuilder::new().item(Ref::from_schema_name(PUSH)).item(own);
    let content = ContentBuilder::new().schema(Some(body)).build();
    let body = RequestBodyBuilder::new().content("application/json", content).required(Some(Required::True));
    OperationBuilder::new()
        .tag("Webhooks")
        .summary(Some(format!("Receive `{name}`")))
        .description(message["summary"].as_str())
        .operation_id(Some(operation_id(name)))
        .request_body(Some(body.build()))
        .response("2XX", Ref::from_response_name(RECEIVED))
        .build()
}

/// The operation id of a push: `pushForumReply` for `forum.reply`.
fn operation_id(name: &str) -> String {
    let words = name.split('.').map(|word| word[..1].to_ascii_uppercase() + &word[1..]);
    format!("push{}", words.collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use buildtrack_domain::webhooks::PushType;

    use super::*;

    fn document() -> Value {
        serde_json::to_value(crate::openapi::document()).unwrap()
    }

    #[test]
    fn the_webhooks_are_the_pushes_of_the_catalogue() {
        let (document, catalogue) = (document(), events::catalogue());
        let webhooks = document["webhooks"].as_object().unwrap();
        let types = PushType::ALL.iter().map(|push_type| push_type.as_str());
        let expected: BTreeSet<_> = types.chain(["batch", "ping"]).collect();
        assert_eq!(webhooks.keys().map(String::as_str).collect::<BTreeSet<_>>(), expected);
        for (name, message) in pushes(&catalogue) {
            let operation = &webhooks[name]["post"];
            assert_eq!(operation["description"], message["summary"], "{name}");
            let own = &operation["requestBody"]["content"]["application/json"]["schema"]["allOf"][1]["properties"];
            assert_eq!(own["event"]["enum"], json!([name]));
            let data = &message["payload"]["properties"]["data"];
            // A batch has its own form here.
            assert!(name == "batch" || own["data"] == *data, "{name}: {}", own["data"]);
        }
    }

    #[test]
    fn the_schemas_of_pushes_are_those_of_the_catalogue() {
        let (document, catalogue) = (document(), events::catalogue());
        let (adopted, known) = (&document["components"]["schemas"], &catalogue["components"]["schemas"]);
        let mut compared = 0;
        // Both documents describe an event of the log, each with words of its own.
        for (name, schema) in known.as_object().unwrap().iter().filter(|(name, _)| *name != "LoggedEvent") {
            if let Some(own) = adopted.get(name) {
                assert_eq!(own, schema, "{name}");
                compared += 1;
            }
        }
        assert!(compared > PushType::ALL.len(), "{compared}");
    }
}
