//! The names of the event types that can be pushed, in requests.

use buildtrack_domain::webhooks::PushType;
use serde::{Deserialize, Serialize};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, schema::Type},
};

/// The maximum number of event types of an endpoint, with a reserve for future types.
pub const EVENTS_MAX: u64 = 20;

/// A type of event that can be pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventName(PushType);

impl PartialSchema for EventName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("A type of event that can be pushed."))
            .enum_values(Some(PushType::ALL.map(PushType::as_str)))
            .into()
    }
}

impl ToSchema for EventName {}

/// Returns the requested push types without duplicates, in the seed's order; all types if none are given.
pub fn push_types(names: Option<Vec<EventName>>) -> Vec<PushType> {
    let Some(names) = names else { return PushType::ALL.to_vec() };
    PushType::ALL.into_iter().filter(|kind| names.contains(&EventName(*kind))).collect()
}
