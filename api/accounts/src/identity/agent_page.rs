//! The page of an agent.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use askama::Template;
use buildtrack_community::reputation::earned::{Earned, earned};
use buildtrack_domain::{
    ids::AgentId,
    reputation::{Badge, Counts},
};
use buildtrack_http::{
    auth::{Caller, Read},
    etag,
    guard::{app_of, guard},
    page::Cursor,
    problem::Problem,
    query::{Parameters, path_id},
};
use buildtrack_pages::{
    self as pages, Frame, Markdown, Renderer,
    charts::{Line, Weeks},
    filters,
};
use buildtrack_store::{AgentView, LadderRow, RecentText, ResultView, WorkspaceView};
use chrono::{DateTime, Utc};

use super::agents::answer;

/// The entries of each list.
const ENTRIES: usize = 8;
/// The latest texts that are read, of which the page shows posts and others apart.
const TEXTS: i64 = 40;
/// The latest results that are read, of which the page shows the first and a line for each league.
const RESULTS: i64 = 60;
/// The latest changes of the reputation that are read.
const CHANGES: i64 = 10;
/// What changed the score last, on the page.
const EARNED: usize = 15;
/// The tracks of the page.
const TRACKS: i64 = 8;

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
    /// The name of the next badge, and its score.
    next_badge: Option<(String, i64)>,
    counts: Counts,
    /// Points by week.
    weeks: Weeks,
    /// What changed the score last.
    earned: Vec<Earned>,
    standings: Vec<LadderRow>,
    /// The lines of the ratings, by league.
    lines: Vec<(String, Line)>,
    results: Vec<ResultView>,
    tracks: Vec<WorkspaceView>,
    posts: Vec<PostShown>,
    texts: Vec<TextLine>,
    citation: String,
}

/// A post of the agent.
struct PostShown {
    id: String,
    title: String,
    created_at: DateTime<Utc>,
}

/// A message or a reply of the agent, with the beginning of its text.
struct TextLine {
    address: String,
    /// A message's kind, or `reply`.
    kind: String,
    location: String,
    beginning: String,
    at: DateTime<Utc>,
}

/// An agent: its page for people, its JSON for programs.
#[get("/agents/{id}", wrap = "from_fn(guard)")]
pub(crate) async fn show_agent(
    request: HttpRequest,
    id: Path<String>,
    caller: Option<Caller<Read>>,
) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    let app = app_of(&request);
    if !pages::is_asked(&request) {
        return Ok(etag::as_data(answer(&request, &app, agent_id, caller.as_ref()).await?));
    }
    if let Some(unchanged) = pages::unchanged(&request).await? {
        return Ok(unchanged);
    }
    Parameters::of(&request, &[]).finish()?;
    let store = &app.store;
    let agent = store.identity().agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    let owner = store.identity().owner(agent.owner_id).await?;
    let changes = store.reputation().changes(agent_id, i64::MAX, CHANGES).await?;
    // The last change has the totals of all contributions.
    let counts = changes.first().map(|change| change.event.counts()).unwrap_or_default();
    let weeks: Vec<_> =
        store.reputation().points_by_week(agent_id).await?.into_iter().map(|week| (week.monday, week.points)).collect();
    let mut results = store.arena().results(agent_id, None, None, RESULTS).await?;
    let lines = lines(&results);
    results.truncate(ENTRIES);
    let (posts, texts) = split(store.identity().recent_texts(agent_id, TEXTS).await?);
    let mut renderer = Renderer::of_page(&app, agent.description.as_deref()).await?;
    let shown = agent.description.as_deref().map(|text| renderer.render(text).0);
    let badge = Badge::of(counts.score());
    let language = pages::language(&request);
    let description = language
        .say_with("agent-description", &[("name", agent.name.as_str().into()), ("model", agent.model.as_str().into())]);
    let path = format!("/agents/{agent_id}");
    let page = AgentPage {
        frame: Frame::new(&request, &agent.name, description)
            .with_feed(&path)
            .with_card(&request, &format!("/cards{path}.png")),
        description: shown,
        owner: owner.filter(|owner| !owner.deleted).map(|owner| owner.display_name),
        score: counts.score(),
        badge: badge.as_str(),
        next_badge: badge.next().map(|next| (language.word(next.as_str()), next.at())),
        counts,
        weeks: Weeks::of(&weeks),
        earned: earned(&changes).take(EARNED).collect(),
        standings: store.arena().standings(agent_id).await?,
        lines,
        results,
        tracks: store.workspaces().workspaces_of(agent_id.into(), TRACKS).await?,
        posts,
        texts,
        citation: pages::citation(&agent.name, Some(&agent.model), &format!("{}{path}", app.public_url)),
        agent,
    };
    pages::answer(&request, &page)
}

/// The posts among the latest texts, and the messages and replies.
fn split(texts: Vec<RecentText>) -> (Vec<PostShown>, Vec<TextLine>) {
    let (posts, others): (Vec<_>, Vec<_>) = texts.into_iter().partition(|text| text.sort == "post");
    let post = |text: RecentText| PostShown { id: text.id, title: text.location_name, created_at: text.created_at };
    let line = |text: RecentText| TextLine {
        address: address_of(&text),
        kind: if text.kind.is_empty() { text.sort } else { text.kind },
        location: text.location_name,
        beginning: pages::beginning(&text.content),
        at: text.created_at,
    };
    (posts.into_iter().take(ENTRIES).map(post).collect(), others.into_iter().take(ENTRIES).map(line).collect())
}

/// Where a text is shown, on this server.
pub(super) fn address_of(text: &RecentText) -> String {
    let RecentText { id, location_id, position, .. } = text;
    let before = Cursor(position - 1).encode();
    match &*text.sort {
        "message" => format!("/build/{location_id}?cursor={before}#{id}"),
        "reply" => format!("/forum/{location_id}?cursor={before}#{id}"),
        _ => format!("/forum/{id}"),
    }
}

/// The lines of the ratings in each league, from results whose latest comes first.
fn lines(results: &[ResultView]) -> Vec<(String, Line)> {
    let mut ratings = BTreeMap::<&str, Vec<i64>>::new();
    for result in results.iter().rev() {
        let of_league = ratings.entry(&result.league).or_insert_with(|| vec![result.rating_before_milli]);
        of_league.push(result.rating_milli);
    }
    ratings.into_iter().filter_map(|(league, ratings)| Some((league.to_owned(), Line::of(&ratings)?))).collect()
}
