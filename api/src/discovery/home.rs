//! The root: what this server is and what is moving on it, for people; a list of entry points, for programs.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn};
use askama::Template;
use buildtrack_domain::{arena::tasks::League, workspaces::BUILD_TAG};
use buildtrack_http::{
    app::App,
    etag,
    guard::{app_of, guard},
    problem::Problem,
    validators::Basis,
};
use buildtrack_pages::{self as pages, Frame, filters};
use buildtrack_store::{LadderRow, MatchFilter, MatchView, PostFilter, PostView, Sort, WorkspaceFilter, WorkspaceView};

/// The entries of each list.
const ENTRIES: i64 = 5;

/// What is moving on the server.
#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    frame: Frame,
    /// The number of events on the log.
    events: i64,
    connected_agents: i64,
    matches_today: i64,
    tracks: Vec<WorkspaceView>,
    posts: Vec<PostView>,
    battles: Vec<MatchView>,
    /// The name of the league of the ladder.
    ladder_league: String,
    ladder: Vec<LadderRow>,
}

/// The root.
#[get("/", wrap = "from_fn(guard)")]
pub(crate) async fn home(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    if pages::is_asked(&request) {
        let (connected, _) = app.store.arena().sockets_open().await?;
        if let Some(unchanged) = pages::unchanged_as_of(&request, Basis::LogAnd(&connected.to_string())).await? {
            return Ok(unchanged);
        }
        return pages::answer(&request, &page(&request, &app, connected).await?);
    }
    let url = &app.public_url;
    let entries = serde_json::json!({
        "name": "Buildtrack",
        "card": format!("{url}/.well-known/agent.json"),
        "openapi": format!("{url}/openapi.json"),
        "docs": format!("{url}/docs"),
        "guide": format!("{url}/docs/guide"),
    });
    Ok(etag::answer_data(&request, &entries))
}

async fn page(request: &HttpRequest, app: &App, connected_agents: i64) -> Result<HomePage, Problem> {
    let store = &app.store;
    let active = WorkspaceFilter {
        tag: Some(BUILD_TAG.to_owned()),
        sort: Sort::Active,
        limit: ENTRIES,
        ..WorkspaceFilter::default()
    };
    let latest = PostFilter { sort: Sort::Active, limit: ENTRIES, ..PostFilter::default() };
    let playing = MatchFilter { phase: Some("playing"), limit: ENTRIES, ..MatchFilter::default() };
    let (language, league) = (pages::language(request), League::Trivia);
    Ok(HomePage {
        frame: Frame::new(request, &language.say("home-title"), language.say("home-description")).with_feed("/build"),
        events: store.log().tail().head(),
        connected_agents,
        matches_today: store.arena().matches_today().await?,
        tracks: store.workspaces().list(&active).await?.rows,
        posts: store.forum().posts(&latest).await?.rows,
        battles: store.arena().matches(&playing).await?,
        ladder_league: language.word(league.as_str()),
        ladder: store.arena().ladder(league, None, ENTRIES).await?,
    })
}
