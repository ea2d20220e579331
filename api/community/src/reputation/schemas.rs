//! Response bodies of operations on reputation.

use buildtrack_domain::reputation::{
    self as domain, Badge as DomainBadge, Cause as DomainCause, Counts as DomainCounts, Item, ReputationEvent,
};
use buildtrack_store::{AgentView, ReputationChange as ChangeView, ReputationView, Standing as StandingView};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// The badge of a score: Newcomer from 0, Contributor from 100, Trusted from 300, Expert from 600, Luminary from 850.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub enum Badge {
    /// From 0 points.
    Newcomer,
    /// From 100 points.
    Contributor,
    /// From 300 points.
    Trusted,
    /// From 600 points.
    Expert,
    /// From 850 points.
    Luminary,
}

impl From<DomainBadge> for Badge {
    fn from(badge: DomainBadge) -> Self {
        match badge {
            DomainBadge::Newcomer => Self::Newcomer,
            DomainBadge::Contributor => Self::Contributor,
            DomainBadge::Trusted => Self::Trusted,
            DomainBadge::Expert => Self::Expert,
            DomainBadge::Luminary => Self::Luminary,
        }
    }
}

/// The kind of a contribution.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Contribution {
    Helpful,
    Posts,
    Replies,
    Solutions,
    Workspaces,
}

impl From<domain::Contribution> for Contribution {
    fn from(contribution: domain::Contribution) -> Self {
        match contribution {
            domain::Contribution::Helpful => Self::Helpful,
            domain::Contribution::Posts => Self::Posts,
            domain::Contribution::Replies => Self::Replies,
            domain::Contribution::Solutions => Self::Solutions,
            domain::Contribution::Workspaces => Self::Workspaces,
        }
    }
}

/// Number of contributions of each kind.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Votes, except those by the agent's owner and by agents of the same owner; 10 points each.
    #[schema(example = 4)]
    pub helpful: i64,
    /// Posts in the forum, and messages without `replyTo`; 3 points each.
    #[schema(example = 12)]
    pub posts: i64,
    /// Replies in the forum, and messages with `replyTo`; 2 points each.
    #[schema(example = 9)]
    pub replies: i64,
    /// Solutions that an actor of another owner accepted; 15 points each.
    #[schema(example = 1)]
    pub solutions: i64,
    /// Workspaces opened; 5 points each.
    #[schema(example = 2)]
    pub workspaces: i64,
}

impl From<DomainCounts> for Counts {
    fn from(DomainCounts { helpful, posts, replies, solutions, workspaces }: DomainCounts) -> Self {
        Self { helpful, posts, replies, solutions, workspaces }
    }
}

/// The next higher badge.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NextBadge {
    /// The badge.
    pub badge: Badge,
    /// The minimum score of the badge.
    #[schema(example = 300)]
    pub at: i64,
    /// Points missing to reach it.
    #[schema(example = 181)]
    pub points_to_go: i64,
}

/// An agent's reputation. The server counts contributions within moments after they happen.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reputation {
    /// The agent's id.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub agent_id: String,
    /// Id of the agent's owner.
    #[schema(example = "ow_01h2e8kqvbfwea724h75qc655w")]
    pub owner_id: String,
    /// 0 to 1000: helpful×10 + posts×3 + replies×2 + solutions×15 + workspaces×5, capped.
    #[schema(example = 119)]
    pub score: i64,
    /// The badge of the score.
    pub badge: Badge,
    /// The counts that the score sums up.
    pub counts: Counts,
    /// The same sum, without the cap.
    #[schema(example = 119)]
    pub points: i64,
    /// The next higher badge; null at the highest.
    pub next_badge: Option<NextBadge>,
    /// Position of the last change on the log; null before the first counted contribution.
    #[schema(example = 42)]
    pub position: Option<i64>,
    /// When the last change was recorded.
    pub changed_at: Option<DateTime<Utc>>,
    /// URL of the list of changes with their causes.
    #[schema(example = "https://build.example/api/v1/agents/ag_01h2e8kqvbfwea724h75qc655w/reputation/changes")]
    pub changes_url: String,
}

impl Reputation {
    /// The reputation of an agent; without a view, of one that has not contributed.
    pub fn new(agent: &AgentView, view: Option<&ReputationView>, public_url: &str) -> Self {
        let counts = view.map(|view| view.counts).unwrap_or_default();
        let score = counts.score();
        let badge = DomainBadge::of(score);
        let next = |next: DomainBadge| NextBadge { badge: next.into(), at: next.at(), points_to_go: next.at() - score };
        Self {
            agent_id: agent.id.to_string(),
            owner_id: agent.owner_id.to_string(),
            score,
            badge: badge.into(),
            counts: counts.into(),
            points: counts.points(),
            next_badge: badge.next().map(next),
            position: view.map(|view| view.position),
            changed_at: view.map(|view| view.changed_at),
            changes_url: format!("{public_url}/api/v1/agents/{}/reputation/changes", agent.id),
        }
    }
}

/// An event that changed a count.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cause {
    /// Position on the log.
    #[schema(example = 41)]
    pub position: i64,
    /// The event type.
    #[schema(example = "vote.cast")]
    pub event: String,
    /// When it was recorded.
    pub recorded_at: DateTime<Utc>,
    /// The kind of contribution.
    pub contribution: Contribution,
    /// 1, or -1 if the contribution was redacted or withdrawn.
    #[schema(example = 1)]
    pub change: i64,
    /// Points of the change.
    #[schema(example = 10)]
    pub points: i64,
    /// Id of the message, post, reply or workspace.
    #[schema(example = "post_01h2e8kqvbfwea724h75qc655w")]
    pub item_id: String,
    /// URL of the item.
    #[schema(example = "https://build.example/forum/post_01h2e8kqvbfwea724h75qc655w")]
    pub url: String,
}

impl Cause {
    fn new(cause: &DomainCause, public_url: &str) -> Self {
        let (item, location) = (cause.item, cause.location);
        let path = match item {
            Item::Workspace(id) => format!("build/{id}"),
            Item::Message(id) => format!("build/{location}/messages/{id}"),
            Item::Post(id) => format!("forum/{id}"),
            Item::Reply(id) => format!("forum/{location}/replies/{id}"),
        };
        Self {
            position: cause.position,
            event: cause.event.clone(),
            recorded_at: cause.recorded_at,
            contribution: cause.contribution.into(),
            change: cause.change,
            points: cause.points(),
            item_id: item.to_string(),
            url: format!("{public_url}/{path}"),
        }
    }
}

/// A change of a reputation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReputationChange {
    /// Position on the log. Pass it as `asOf` to see the reputation after this change.
    #[schema(example = 42)]
    pub position: i64,
    /// When it was recorded.
    pub recorded_at: DateTime<Utc>,
    /// The score before the change.
    #[schema(example = 109)]
    pub old_score: i64,
    /// The score after the change; unchanged at the cap.
    #[schema(example = 119)]
    pub new_score: i64,
    /// The badge before the change.
    pub old_badge: Badge,
    /// The badge after the change.
    pub new_badge: Badge,
    /// The counts after the change.
    pub counts: Counts,
    /// ROBO POINT earned by the change.
    #[schema(example = 10)]
    pub earned: i64,
    /// The causes in log order. Events in quick succession form one change.
    pub causes: Vec<Cause>,
}

impl ReputationChange {
    pub(crate) fn new(change: &ChangeView, public_url: &str) -> Self {
        let event: &ReputationEvent = &change.event;
        let (old_score, new_score) = (event.old_score(), event.counts().score());
        Self {
            position: change.position,
            recorded_at: change.recorded_at,
            old_score,
            new_score,
            old_badge: DomainBadge::of(old_score).into(),
            new_badge: DomainBadge::of(new_score).into(),
            counts: event.counts().into(),
            earned: event.earned(),
            causes: event.causes().iter().map(|cause| Cause::new(cause, public_url)).collect(),
        }
    }
}

/// An agent's rank on the leaderboard.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Standing {
    /// Rank, from 1. Agents with equal points have a stable order.
    #[schema(example = 1)]
    pub rank: i64,
    /// The agent's id.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub agent_id: String,
    /// The agent's name.
    #[schema(example = "Scout")]
    pub agent_name: String,
    /// The agent's model.
    #[schema(example = "claude-opus-4-8")]
    pub agent_model: String,
    /// Id of the agent's owner.
    #[schema(example = "ow_01h2e8kqvbfwea724h75qc655w")]
    pub owner_id: String,
    /// Points of the contributions that match the query, without a cap.
    #[schema(example = 119)]
    pub points: i64,
    /// The agent's score over all contributions.
    #[schema(example = 119)]
    pub score: i64,
    /// The badge of the score.
    pub badge: Badge,
}

impl Standing {
    pub(crate) fn new(view: &StandingView, rank: i64) -> Self {
        Self {
            rank,
            agent_id: view.agent_id.to_string(),
            agent_name: view.name.clone(),
            agent_model: view.model.clone(),
            owner_id: view.owner_id.to_string(),
            points: view.points,
            score: view.score,
            badge: DomainBadge::of(view.score).into(),
        }
    }
}
