//! The filter of an endpoint in requests and answers.

use std::collections::BTreeMap;

use buildtrack_domain::{actors::ActorKind, ids::WorkspaceId, webhooks::Filter, workspaces::MessageKind};
pub(crate) use buildtrack_http::{actors::authors::ActorType, fields::given};
use serde::{Deserialize, Serialize};
use utoipa::{
    ToSchema,
    openapi::{Array, ArrayBuilder, ObjectBuilder, Type},
};
use validator::{Validate, ValidationError};

use crate::workspaces::message_schemas::KindName;

/// A filter of an endpoint. An event must match all given conditions, and one of the values of each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schema(example = json!({ "workspaces": [], "fields": { "kind": ["proposal"], "actorType": ["human"] } }))]
pub struct WebhookFilter {
    /// Only events of these workspaces. Default: all workspaces, and the forum.
    #[validate(length(max = Filter::WORKSPACES_MAX))]
    #[schema(schema_with = workspaces_schema)]
    pub workspaces: Vec<WorkspaceId>,
    /// Only events with these field values.
    #[validate(nested)]
    pub fields: WebhookFilterFields,
}

/// Conditions on fields of an event, each with up to 20 allowed values. An event without a field does not match a condition on
/// it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebhookFilterFields {
    /// The ids of the agents and owners that caused the event.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[validate(custom(function = valid_values))]
    #[schema(schema_with = values_schema)]
    pub actor_id: Option<Vec<String>>,
    /// The names of the agents and owners that caused the event.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[validate(custom(function = valid_values))]
    #[schema(schema_with = values_schema)]
    pub actor_name: Option<Vec<String>>,
    /// The types of the actors: agent or human.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[validate(length(min = 1, max = Filter::VALUES_MAX))]
    #[schema(nullable = false, value_type = Option<Vec<ActorType>>, min_items = 1, max_items = 20)]
    pub actor_type: Option<Vec<ActorKind>>,
    /// The language models of the actors.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[validate(custom(function = valid_values))]
    #[schema(schema_with = values_schema)]
    pub actor_model: Option<Vec<String>>,
    /// The kinds of the message.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[validate(length(min = 1, max = Filter::VALUES_MAX))]
    #[schema(nullable = false, value_type = Option<Vec<KindName>>, min_items = 1, max_items = 20)]
    pub kind: Option<Vec<MessageKind>>,
}

fn workspaces_schema() -> Array {
    let id = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^ws_[0-7][0-9a-hjkmnp-tv-z]{25}$"));
    ArrayBuilder::new()
        .items(id)
        .max_items(Some(100))
        .description(Some("Only events of these workspaces. Default: all workspaces, and the forum."))
        .build()
}

fn values_schema() -> Array {
    let value = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(100));
    ArrayBuilder::new()
        .items(value)
        .min_items(Some(1))
        .max_items(Some(20))
        .description(Some("The allowed values."))
        .build()
}

fn valid_values(values: &[String]) -> Result<(), ValidationError> {
    let right = |value: &String| (1..=100).contains(&value.chars().count());
    if (1..=Filter::VALUES_MAX).contains(&(values.len() as u64)) && values.iter().all(right) {
        return Ok(());
    }
    Err(ValidationError::new("invalid")
        .with_message("a field must have 1 to 20 values of 1 to 100 characters each".into()))
}

impl From<WebhookFilter> for Filter {
    fn from(WebhookFilter { workspaces, fields }: WebhookFilter) -> Self {
        let WebhookFilterFields { actor_id, actor_name, actor_type, actor_model, kind } = fields;
        let types = actor_type.map(|types| types.iter().map(|kind| kind.as_str().to_owned()).collect());
        let kinds = kind.map(|kinds| kinds.iter().map(|kind| kind.as_str().to_owned()).collect());
        let given = [actor_id, actor_name, types, actor_model, kinds];
        let fields = Self::FIELDS.into_iter().zip(given);
        let fields = fields.filter_map(|(name, values)| Some((name.to_owned(), values?)));
        Self { workspaces, fields: fields.collect() }
    }
}

impl From<Filter> for WebhookFilter {
    fn from(Filter { workspaces, mut fields }: Filter) -> Self {
        // Stored values were validated when they were accepted, so that all of them parse.
        fn typed<T: std::str::FromStr>(values: &[String]) -> Vec<T> {
            values.iter().filter_map(|value| value.parse().ok()).collect()
        }
        let mut take = |name: &str| BTreeMap::remove(&mut fields, name);
        let [actor_id, actor_name, actor_type, actor_model, kind] = Filter::FIELDS.map(&mut take);
        let (actor_type, kind) = (actor_type.as_deref().map(typed), kind.as_deref().map(typed));
        Self { workspaces, fields: WebhookFilterFields { actor_id, actor_name, actor_type, actor_model, kind } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_filter_field_round_trips() {
        let fields = json!({
            "actorId": ["ag_1"], "actorName": ["Scout", "Ranger"], "actorType": ["human"], "actorModel": ["m"],
            "kind": ["proposal", "update"]
        });
        let shown = json!({ "workspaces": ["ws_01h2e8kqvbfwea724h75qc655w"], "fields": fields });
        let filter = Filter::from(serde_json::from_value::<WebhookFilter>(shown.clone()).unwrap());
        assert_eq!(filter.fields.len(), Filter::FIELDS.len());
        assert_eq!(serde_json::to_value(&filter).unwrap(), shown);
        assert_eq!(serde_json::to_value(WebhookFilter::from(filter)).unwrap(), shown);
    }
}
