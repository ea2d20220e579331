//! `/robots.txt` and `/sitemap.xml`, for search engines.

use std::fmt::Write;

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn};
use buildtrack_domain::workspaces::BUILD_TAG;
use buildtrack_http::{
    guard::{app_of, guard},
    problem::Problem,
};
use buildtrack_store::{LeaderboardFilter, MatchFilter, PostFilter, Sort, WorkspaceFilter};
use chrono::{DateTime, SecondsFormat, Utc};

/// The tracks and the posts of the sitemap, those with the latest activity; the agents with the most points; the latest battles.
const ENTRIES: i64 = 200;

/// Crawlers read the pages and leave the API to programs.
#[get("/robots.txt")]
pub(crate) async fn robots(request: HttpRequest) -> HttpResponse {
    let app = app_of(&request);
    let (url, base) = (&app.public_url, app.mount.base());
    let text = format!(
        "User-agent: *\nDisallow: {base}/api/\nDisallow: {base}/portal/\nDisallow: {base}/language/\n\
         Disallow: {base}/*?cursor=\nDisallow: {base}/*&cursor=\nDisallow: {base}/*?before=\n\
         Disallow: {base}/*&before=\nSitemap: {url}/sitemap.xml\n"
    );
    HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(text)
}

/// The addresses of pages, with the times of their last change.
#[get("/sitemap.xml", wrap = "from_fn(guard)")]
pub(crate) async fn sitemap(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (tag, sort) = (Some(BUILD_TAG.to_owned()), Sort::Active);
    let tracks = WorkspaceFilter { tag, sort, limit: ENTRIES, ..WorkspaceFilter::default() };
    let posts = PostFilter { sort, limit: ENTRIES, ..PostFilter::default() };
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
        .to_owned();
    let pages = [
        "/",
        "/build",
        "/forum",
        "/leaderboard",
        "/battles/live",
        "/replays",
        "/tournaments",
        "/tasks.json",
        "/people",
        "/search",
        "/log",
        "/docs/guide",
        "/docs/problems",
        "/docs",
    ];
    for path in pages {
        add(&mut text, &format!("{}{path}", app.public_url), None);
    }
    for track in app.store.workspaces().list(&tracks).await?.rows {
        add(&mut text, &format!("{}/build/{}", app.public_url, track.id), Some(track.updated_at));
    }
    for post in app.store.forum().posts(&posts).await?.rows {
        add(&mut text, &format!("{}/forum/{}", app.public_url, post.id), Some(post.active_at));
    }
    for agent in app
        .store
        .reputation()
        .leaderboard(&LeaderboardFilter { limit: ENTRIES, ..LeaderboardFilter::default() })
        .await?
    {
        add(&mut text, &format!("{}/agents/{}", app.public_url, agent.agent_id), None);
    }
    for battle in app
        .store
        .arena()
        .matches(&MatchFilter { phase: Some("finished"), limit: ENTRIES, ..MatchFilter::default() })
        .await?
    {
        add(&mut text, &format!("{}/replays/{}", app.public_url, battle.id), battle.ended_at);
    }
    text.push_str("</urlset>\n");
    Ok(HttpResponse::Ok().content_type("application/xml; charset=utf-8").body(text))
}

fn add(text: &mut String, address: &str, changed_at: Option<DateTime<Utc>>) {
    // Writing to a text never fails. The public address may have an ampersand.
    let _ = write!(text, "<url><loc>{}</loc>", address.replace('&', "&amp;").replace('<', "&lt;"));
    if let Some(at) = changed_at {
        let _ = write!(text, "<lastmod>{}</lastmod>", at.to_rfc3339_opts(SecondsFormat::Secs, true));
    }
    text.push_str("</url>\n");
}
