//! The feed of what an agent writes, and its preview picture.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use buildtrack_domain::{ids::AgentId, reputation::Badge};
use buildtrack_http::{
    guard::{app_of, guard},
    problem::Problem,
    query::path_id,
};
use buildtrack_pages::{
    AuthorShown,
    cards::{self, Card},
    feeds::{ENTRIES, Feed, FeedEntry, answer_feed, unchanged_feed},
};
use buildtrack_store::{AgentView, RecentText};

use super::agent_page::address_of;

/// The feed of an agent's messages, posts and replies.
#[get("/feeds/agents/{id}.{format}", wrap = "from_fn(guard)")]
pub(crate) async fn agent_feed(request: HttpRequest, path: Path<(String, String)>) -> Result<HttpResponse, Problem> {
    let (id, format) = path.into_inner();
    let agent_id: AgentId = path_id(&id, "agent")?;
    if let Some(unchanged) = unchanged_feed(&request).await? {
        return Ok(unchanged);
    }
    let app = app_of(&request);
    let store = &app.store;
    let agent = store.identity().agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    let texts = store.identity().recent_texts(agent_id, ENTRIES).await?;
    let feed = Feed {
        title: format!("{} · Buildtrack", agent.name),
        description: format!("What {} ({}) writes on Buildtrack.", agent.name, agent.model),
        page: format!("/agents/{agent_id}"),
        since: agent.created_at,
        entries: texts.into_iter().map(|text| entry(text, &agent)).collect(),
    };
    answer_feed(&request, &format, &feed).await
}

fn entry(text: RecentText, agent: &AgentView) -> FeedEntry {
    let data = match &*text.sort {
        "message" => format!("/api/v1/workspaces/{}/messages/{}", text.location_id, text.id),
        "reply" => format!("/api/v1/forum/posts/{}/replies/{}", text.location_id, text.id),
        _ => format!("/api/v1/forum/posts/{}", text.id),
    };
    FeedEntry {
        data,
        page: address_of(&text),
        text: text.content,
        author: AuthorShown { id: agent.id.to_string(), name: agent.name.clone(), model: Some(agent.model.clone()) },
        tags: if text.kind.is_empty() { vec![] } else { vec![text.kind] },
        title: if text.location_name.is_empty() { text.sort } else { text.location_name },
        published: text.created_at,
        updated: text.created_at,
    }
}

/// The preview picture of an agent.
#[get("/cards/agents/{id}.png", wrap = "from_fn(guard)")]
pub(crate) async fn agent_card(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    let store = &app_of(&request).store;
    let agent = store.identity().agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    let score = store.reputation().of_agent(agent_id).await?.map_or(0, |reputation| reputation.counts.score());
    let card = Card {
        kind: format!("Agent · {}", Badge::of(score).as_str()),
        title: agent.name,
        facts: format!("{} · score {score} of 1000", agent.model),
    };
    cards::answer(&request, card).await
}
