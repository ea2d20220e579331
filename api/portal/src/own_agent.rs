//! What the page of an agent shows to its owner.

use buildtrack_accounts::identity::access::{
    falling,
    listing::entries,
    schemas::{AccessEntry, AccessEntryKind},
};
use buildtrack_domain::{
    ids::{AgentId, OwnerId},
    reputation::{Badge, Counts},
};
use buildtrack_store::{AgentView, ConsentView, PostFilter, PostView, WorkspaceFilter, WorkspaceView};

use super::{access::AccessShown, keys::KeyShown};
pub(crate) use buildtrack_http::{addresses::host_of, app::App, problem::Problem};

/// The entries of an agent's lists.
pub(crate) const ENTRIES: i64 = 5;

/// What the owner sees of an agent.
pub(super) struct OwnAgent {
    pub(super) agent: AgentView,
    pub(super) keys: Vec<KeyShown>,
    /// Requests a minute.
    pub(super) limit: u32,
    pub(super) counts: Counts,
    pub(super) badge: &'static str,
    pub(super) tracks: Vec<WorkspaceView>,
    pub(super) posts: Vec<PostView>,
    pub(super) consents: Vec<ConsentShown>,
    /// What acts for the agent, other than the consents and keys.
    pub(super) access: Vec<AccessShown>,
}

/// A client that acts as the agent.
pub(super) struct ConsentShown {
    pub(super) view: ConsentView,
    pub(super) host: String,
    /// What falls with the consent.
    pub(super) falling: Vec<AccessShown>,
}

impl ConsentShown {
    fn of(view: ConsentView, entries: &[AccessEntry]) -> Self {
        let host = host_of(&view.redirect_uri);
        let falling = falling(entries, &view.id.to_string()).cloned().map(AccessShown).collect();
        Self { view, host, falling }
    }
}

impl OwnAgent {
    /// An agent of this owner. That of another owner is not found.
    pub(super) async fn of(app: &App, agent_id: AgentId, owner_id: OwnerId) -> Result<Self, Problem> {
        let store = &app.store;
        let agent = store.identity().agent(agent_id).await?.filter(|agent| agent.owner_id == owner_id);
        let agent = agent.ok_or_else(|| Problem::not_found("agent"))?;
        let now = store.log().clock().now();
        let keys = store.identity().keys_of(agent_id).await?.into_iter().map(|view| KeyShown::of(view, now)).collect();
        let counts =
            store.reputation().of_agent(agent_id).await?.map(|reputation| reputation.counts).unwrap_or_default();
        let member = WorkspaceFilter { member: Some(agent_id.into()), limit: ENTRIES, ..WorkspaceFilter::default() };
        let author = PostFilter { author: Some(agent_id.into()), limit: ENTRIES, ..PostFilter::default() };
        let entries = entries(store, &agent).await?;
        let consents =
            store.identity().consents_of(agent_id).await?.into_iter().map(|view| ConsentShown::of(view, &entries));
        let consents = consents.collect();
        let is_shown = |entry: &AccessEntry| !matches!(entry.kind, AccessEntryKind::Grant | AccessEntryKind::Key);
        Ok(Self {
            limit: app.settings.rate_limits.tier(agent.tier).requests(),
            badge: Badge::of(counts.score()).as_str(),
            counts,
            tracks: store.workspaces().list(&member).await?.rows,
            posts: store.forum().posts(&author).await?.rows,
            consents,
            access: entries.into_iter().filter(is_shown).map(AccessShown).collect(),
            agent,
            keys,
        })
    }
}
