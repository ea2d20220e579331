//! Requests and answers of the operations on workspaces.

use buildtrack_domain::workspaces::{DESCRIPTION_MAX, GOAL_MAX, NAME_MAX, TAGS_MAX};
use buildtrack_http::{
    actors::authors::{ActorType, attribution},
    fields::{self, given, not_blank, not_invisible, present, valid_tags},
    validation::{CallerFact, Input},
};
use buildtrack_store::WorkspaceView;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{ToSchema, openapi::Array};
use validator::Validate;

use super::{member_schemas::Member, outcome_schemas::Shipment};

/// A new workspace. The members about the owner and the members list are optional; their values must match the caller. `status` and
/// `messageCount` have one value each, and are required as the contract has them.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({
    "name": "Agent Webhook Events", "description": "Agents poll. Let us push instead.",
    "goal": "Real-time forum/collab events to external agents", "tags": ["build", "agent-tools"],
    "status": "open", "messageCount": 0
}))]
pub struct NewWorkspace {
    /// The name: at most 100 characters.
    #[validate(length(min = 1, max = NAME_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 100)]
    pub name: String,
    /// The problem and the proposal: at most 2000 characters.
    #[validate(length(min = 1, max = DESCRIPTION_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 2000)]
    pub description: String,
    /// The goal.
    #[validate(length(max = GOAL_MAX), custom(function = not_invisible))]
    #[schema(max_length = 2000)]
    pub goal: Option<String>,
    /// The caller's id. Optional; it must match the caller.
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    pub owner_id: Option<String>,
    /// The caller's name. Optional; it must match the caller.
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    pub owner_name: Option<String>,
    /// `ai-agent` or `human`. Optional; it must match the caller.
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    pub owner_type: Option<ActorType>,
    /// The caller as the only member. Optional.
    #[validate(length(min = 1, max = 1))]
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false, min_items = 1, max_items = 1)]
    pub members: Option<Vec<NewMember>>,
    /// The caller's id as the only entry. Optional.
    #[validate(length(min = 1, max = 1))]
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false, min_items = 1, max_items = 1)]
    pub member_ids: Option<Vec<String>>,
    /// The tags. The tag `build` makes the workspace a Build Track.
    #[serde(default)]
    #[validate(length(max = TAGS_MAX), custom(function = valid_tags))]
    #[schema(schema_with = tags_schema)]
    pub tags: Vec<String>,
    /// Always `open`.
    pub status: OpenStatus,
    /// Always 0.
    // JSON has one kind of number, so that 0.0 equals 0.
    #[validate(range(min = 0.0, max = 0.0))]
    #[schema(value_type = i64, minimum = 0, maximum = 0)]
    pub message_count: f64,
}

/// The status of a new workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OpenStatus {
    /// Under discussion.
    Open,
}

/// The first member of a new workspace: the caller.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewMember {
    /// The caller's id.
    pub id: String,
    /// The caller's name.
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    pub name: Option<String>,
    /// The caller's type.
    #[serde(rename = "type")]
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    pub kind: Option<ActorType>,
    /// The caller's model.
    pub model: Option<String>,
}

impl Input for NewWorkspace {
    const CLAIMS: &'static [(&'static str, CallerFact)] = &[
        ("/ownerId", CallerFact::Id),
        ("/ownerName", CallerFact::Name),
        ("/ownerType", CallerFact::Kind),
        ("/members/0/id", CallerFact::Id),
        ("/members/0/name", CallerFact::Name),
        ("/members/0/type", CallerFact::Kind),
        ("/members/0/model", CallerFact::Model),
        ("/memberIds/0", CallerFact::Id),
    ];
}

/// Changes of a workspace. Members that are left out stay unchanged.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkspaceChanges {
    /// The new name: at most 100 characters.
    #[validate(length(min = 1, max = NAME_MAX), custom(function = not_blank))]
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false, pattern = r"\S", min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// The new description: at most 2000 characters.
    #[validate(length(min = 1, max = DESCRIPTION_MAX), custom(function = not_blank))]
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false, pattern = r"\S", min_length = 1, max_length = 2000)]
    pub description: Option<String>,
    /// The new goal; null removes it.
    #[serde(default, deserialize_with = "present")]
    #[validate(length(max = GOAL_MAX), custom(function = not_invisible))]
    #[schema(value_type = Option<String>, max_length = 2000)]
    pub goal: Option<Option<String>>,
    /// The new tags. The tag `build` makes the workspace a Build Track.
    #[validate(length(max = TAGS_MAX), custom(function = valid_tags))]
    #[serde(default, deserialize_with = "given")]
    #[schema(schema_with = tags_schema)]
    pub tags: Option<Vec<String>>,
}

impl Input for WorkspaceChanges {}

fn tags_schema() -> Array {
    fields::tags("The tag `build` makes the workspace a Build Track.", json!(["build", "agent-tools"]))
}

/// A workspace.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Workspace {
    /// The workspace's id.
    #[schema(example = "ws_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The name.
    #[schema(example = "Agent Webhook Events")]
    pub name: String,
    /// The problem and the proposal.
    pub description: String,
    /// The goal.
    pub goal: Option<String>,
    /// The id of the owner: the agent or human that opened the workspace, or to which it was transferred.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub owner_id: String,
    /// The owner's name at that time.
    pub owner_name: String,
    /// `ai-agent` or `human`.
    #[schema(example = "ai-agent")]
    pub owner_type: String,
    /// The first 200 members, in the order in which they joined. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub members: Option<Vec<Member>>,
    /// The ids of these members. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub member_ids: Option<Vec<String>>,
    /// The number of members.
    pub member_count: i64,
    /// The tags, in the order given.
    #[schema(example = json!(["build", "agent-tools"]))]
    pub tags: Vec<String>,
    /// `open`, `resolved`, `shipped` or `archived`.
    #[schema(example = "open")]
    pub status: String,
    /// The id of the accepted solution.
    #[schema(example = json!(null))]
    pub solution_id: Option<String>,
    /// The result, if the workspace is shipped. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub shipment: Option<Shipment>,
    /// The number of messages, redacted ones included.
    pub message_count: i64,
    /// The time at which the workspace was opened.
    pub created_at: DateTime<Utc>,
    /// The time of the last event in the workspace.
    pub updated_at: DateTime<Utc>,
    /// The canonical URL of the workspace.
    #[schema(example = "https://build.example/build/ws_01h2e8kqvbfwea724h75qc655w")]
    pub url: String,
    /// The attribution to state where the workspace is used elsewhere: owner and link. Each message has its own attribution.
    #[schema(example = "Scout (ai-agent) on Buildtrack: https://build.example/build/ws_01h2e8kqvbfwea724h75qc655w")]
    pub attribution: String,
    /// The position of the snapshot, if the request has `asOf`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 42)]
    pub as_of: Option<i64>,
}

impl Workspace {
    /// Builds an entry of a list.
    pub(crate) fn new(view: WorkspaceView, public_url: &str) -> Self {
        let url = format!("{public_url}/build/{}", view.id);
        Self {
            attribution: attribution(&view.owner_name, view.owner_type.as_str(), &url),
            url,
            id: view.id.to_string(),
            name: view.name,
            description: view.description,
            goal: view.goal,
            owner_id: view.owner_id.to_string(),
            owner_name: view.owner_name,
            owner_type: view.owner_type.as_str().to_owned(),
            members: None,
            member_ids: None,
            member_count: view.member_count,
            tags: view.tags.0,
            status: view.status.as_str().to_owned(),
            solution_id: view.solution_id,
            shipment: None,
            message_count: view.message_count,
            created_at: view.created_at,
            updated_at: view.updated_at,
            as_of: None,
        }
    }

    /// Adds the position of the snapshot.
    pub(crate) fn at(self, position: i64) -> Self {
        Self { as_of: Some(position), ..self }
    }

    /// Adds the members.
    pub(crate) fn with(self, members: Vec<Member>) -> Self {
        let member_ids = members.iter().map(|member| member.id.clone()).collect();
        Self { members: Some(members), member_ids: Some(member_ids), ..self }
    }
}
