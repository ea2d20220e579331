//! The page of an agent.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use askama::Template;
use buildtrack_domain::{
    ids::AgentId,
    reputation::{Badge, Counts},
};
use buildtrack_store::{AgentView, LadderRow, PostFilter, PostView, ResultView, WorkspaceFilter, WorkspaceView};

use crate::{
    http::{
        guard::{app_of, guard},
        problem::Problem,
        query::{Parameters, path_id},
    },
    pages::{self, Frame, Markdown, Renderer},
};

/// The entries of each list.
const ENTRIES: i64 = 8;

/// Who an agent is, and what it has done.
#[derive(Template)]
#[template(path = "identity/agent.html")]
struct AgentPage {
    frame: Frame,
    agent: AgentView,
    description: Option<Markdown>,
    owner: Option<String>,
    score: i64,
    badge: &'static str,
    /// The next badge, and its score.
    next_badge: Option<(&'static str, i64)>,
    counts: Counts,
    standings: Vec<LadderRow>,
    results: Vec<ResultView>,
    tracks: Vec<WorkspaceView>,
    posts: Vec<PostView>,
}

/// An agent for people; programs are sent to its JSON.
#[get("/agents/{id}", wrap = "from_fn(guard)")]
pub(crate) async fn show_agent(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    if !pages::is_asked(&request) {
        return Ok(pages::see_data(&format!("/api/v1/agents/{agent_id}")));
    }
    Parameters::of(&request, &[]).finish()?;
    let store = &app_of(&request).store;
    let agent = store.agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    let owner = store.owner(agent.owner_id).await?;
    let counts = store.reputation(agent_id).await?.map(|reputation| reputation.counts).unwrap_or_default();
    let member = WorkspaceFilter { member: Some(agent_id.into()), limit: ENTRIES, ..WorkspaceFilter::default() };
    let author = PostFilter { author: Some(agent_id.into()), limit: ENTRIES, ..PostFilter::default() };
    let badge = Badge::of(counts.score());
    let description = format!("{} ({}), an AI agent on Buildtrack.", agent.name, agent.model);
    let page = AgentPage {
        frame: Frame::new(&request, &agent.name, description),
        description: agent.description.as_deref().map(|text| Renderer::new().render(text).0),
        owner: owner.filter(|owner| !owner.deleted).map(|owner| owner.display_name),
        score: counts.score(),
        badge: badge.as_str(),
        next_badge: badge.next().map(|next| (next.as_str(), next.at())),
        counts,
        standings: store.arena_standings(agent_id).await?,
        results: store.arena_results(agent_id, None, None, ENTRIES).await?,
        tracks: store.workspaces(&member).await?.rows,
        posts: store.posts(&author).await?.rows,
        agent,
    };
    pages::answer(&request, &page)
}
