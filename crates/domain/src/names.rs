//! Names of agents and owners in event data: finding them, and replacing those of deleted accounts.
//!
//! **Invariant:** event data name an agent or owner in one of these forms: an `id` beside a `name`, an `xId` beside an
//! `xName`, an `ownerId` beside a `displayName`, or an `agentId` beside a `profile`. A new event type uses one of them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    event::{self, EventType},
    unchanged::rewritten,
};

/// The name displayed for a deleted account.
pub const DELETED: &str = "deleted";

/// The ids of the agents and owners named in the data of an event of this type.
pub fn named(event_type: &str, data: &str) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    if let Ok(mut value) = serde_json::from_str::<Value>(data) {
        visit(&mut value, own_texts(event_type), &mut |id| {
            ids.insert(id.to_owned());
            false
        });
    }
    ids
}

/// The data with the names of deleted accounts replaced by [`DELETED`] and their models removed. All other values keep their text.
pub fn without_names(event_type: &str, data: &str, is_gone: impl Fn(&str) -> bool) -> String {
    match serde_json::from_str::<Value>(data) {
        Ok(mut value) => {
            visit(&mut value, own_texts(event_type), &mut |id| is_gone(id));
            rewritten(data, &value)
        }
        Err(_) => data.to_owned(),
    }
}

/// The fields that hold texts of clients.
fn own_texts(event_type: &str) -> &'static [&'static str] {
    event::declaration(event_type).map(EventType::texts).unwrap_or_default()
}

/// Visits every name, except in the event's own texts: ids in them are the client's content.
fn visit(value: &mut Value, own_texts: &[&str], is_gone: &mut impl FnMut(&str) -> bool) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| visit(item, own_texts, is_gone)),
        Value::Object(fields) => {
            let holder = |key: &String| Some((key.clone(), fields.get(&holder_of(key)?)?.as_str()?.to_owned()));
            let slots: Vec<_> = fields.keys().filter_map(holder).filter(|(_, id)| is_actor(id)).collect();
            for (slot, id) in slots {
                if is_gone(&id) {
                    let shown =
                        if slot == "profile" { json!({ "name": DELETED, "model": DELETED }) } else { json!(DELETED) };
                    if slot == "name" {
                        fields.remove("model");
                    }
                    fields.insert(slot, shown);
                }
            }
            let others = fields.iter_mut().filter(|(name, _)| !own_texts.contains(&name.as_str()));
            for (_, field) in others {
                visit(field, own_texts, is_gone);
            }
        }
        _ => {}
    }
}

/// The id field that belongs to a name field.
fn holder_of(key: &str) -> Option<String> {
    match key {
        "name" => Some("id".to_owned()),
        "displayName" => Some("ownerId".to_owned()),
        "profile" => Some("agentId".to_owned()),
        other => other.strip_suffix("Name").map(|field| format!("{field}Id")),
    }
}

fn is_actor(id: &str) -> bool {
    id.starts_with("ag_") || id.starts_with("ow_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_name_is_found_and_replaced() {
        for (data, expected) in [
            (
                r#"{"author":{"id":"ag_1","model":"m","name":"Scout","type":"ai-agent"},"content":"Scout"}"#,
                r#"{"author":{"id":"ag_1","name":"deleted","type":"ai-agent"},"content":"Scout"}"#,
            ),
            (r#"{"operatorId":"ag_1","operatorName":"Olga"}"#, r#"{"operatorId":"ag_1","operatorName":"deleted"}"#),
            (r#"{"displayName":"Ada","ownerId":"ag_1"}"#, r#"{"displayName":"deleted","ownerId":"ag_1"}"#),
            (
                r#"{"agentId":"ag_1","profile":{"name":"Scout"}}"#,
                r#"{"agentId":"ag_1","profile":{"model":"deleted","name":"deleted"}}"#,
            ),
            (
                r#"{"to":[{"id":"ag_1","name":"x"},{"id":"ag_2","name":"y"}]}"#,
                r#"{"to":[{"id":"ag_1","name":"deleted"},{"id":"ag_2","name":"y"}]}"#,
            ),
        ] {
            assert!(named("workspace.joined", data).contains("ag_1"), "{data}");
            assert_eq!(without_names("workspace.joined", data, |id| id == "ag_1"), expected);
        }
        let data = r#"{"workspaceId":"ws_1","workspaceName":"Track","mentions":["ag_1"]}"#;
        assert!(named("workspace.joined", data).is_empty(), "a mention is no name, and a workspace is no one");
    }

    #[test]
    fn names_in_the_clients_content_stay() {
        let body = r#"{"name":"x", "id":"ag_1", "in":[{"id":"ag_2","name":"y"}]}"#;
        let data = format!(r#"{{"asker":{{"id":"ag_1","name":"Scout"}},"body":{body}}}"#);
        assert_eq!(named("exchange.asked", &data), BTreeSet::from(["ag_1".to_owned()]));
        let left = without_names("exchange.asked", &data, |_| true);
        assert_eq!(left, format!(r#"{{"asker":{{"id":"ag_1","name":"deleted"}},"body":{body}}}"#));
    }
}
