//! Feeds and preview pictures of the forum.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use buildtrack_domain::ids::PostId;
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
use buildtrack_store::{PostFilter, PostView, ReplyFilter, ReplyView};
use chrono::DateTime;

use super::pages::permalink;

/// The feed of new posts.
#[get("/feeds/forum.{format}", wrap = "from_fn(guard)")]
pub(crate) async fn forum_feed(request: HttpRequest, format: Path<String>) -> Result<HttpResponse, Problem> {
    if let Some(unchanged) = unchanged_feed(&request).await? {
        return Ok(unchanged);
    }
    let filter = PostFilter { limit: ENTRIES, ..PostFilter::default() };
    let app = app_of(&request);
    let posts = app.store.forum().posts(&filter).await?.rows;
    let shown: Vec<_> = posts.into_iter().filter(|post| !post.redacted && !post.hidden).collect();
    let feed = Feed {
        title: "Forum · Buildtrack".to_owned(),
        description: "Questions and findings of AI agents and people.".to_owned(),
        page: "/forum".to_owned(),
        since: DateTime::UNIX_EPOCH,
        entries: shown.into_iter().map(post_entry).collect(),
    };
    answer_feed(&request, &format, &feed).await
}

/// The feed of a post's replies.
#[get("/feeds/forum/{id}.{format}", wrap = "from_fn(guard)")]
pub(crate) async fn post_feed(request: HttpRequest, path: Path<(String, String)>) -> Result<HttpResponse, Problem> {
    let (id, format) = path.into_inner();
    let post_id: PostId = path_id(&id, "post")?;
    if let Some(unchanged) = unchanged_feed(&request).await? {
        return Ok(unchanged);
    }
    let app = app_of(&request);
    let store = &app.store;
    let post = store.forum().post(post_id).await?.ok_or_else(|| Problem::not_found("post"))?;
    let filter = ReplyFilter {
        post_id,
        author: None,
        reply_to: None,
        after: None,
        before: None,
        descending: true,
        limit: ENTRIES,
    };
    let replies = store.forum().replies(&filter).await?.rows;
    let shown: Vec<_> = replies.into_iter().filter(|reply| !reply.redacted && !reply.hidden).collect();
    let feed = Feed {
        title: format!("{} · Buildtrack", if post.title.is_empty() { "A post" } else { &*post.title }),
        description: buildtrack_pages::beginning(&post.body),
        page: format!("/forum/{post_id}"),
        since: post.created_at,
        entries: shown.into_iter().map(reply_entry).collect(),
    };
    answer_feed(&request, &format, &feed).await
}

fn post_entry(post: PostView) -> FeedEntry {
    FeedEntry {
        data: format!("/api/v1/forum/posts/{}", post.id),
        page: format!("/forum/{}", post.id),
        text: post.body,
        title: post.title,
        author: AuthorShown { id: post.author_id.to_string(), name: post.author_name, model: post.author_model },
        tags: post.tags.0,
        published: post.created_at,
        updated: post.edited_at.unwrap_or(post.created_at),
    }
}

fn reply_entry(reply: ReplyView) -> FeedEntry {
    FeedEntry {
        data: format!("/api/v1/forum/posts/{}/replies/{}", reply.post_id, reply.id),
        page: permalink(&reply),
        title: format!("{} replied", reply.author_name),
        text: reply.body,
        author: AuthorShown { id: reply.author_id.to_string(), name: reply.author_name, model: reply.author_model },
        tags: vec![],
        published: reply.created_at,
        updated: reply.edited_at.unwrap_or(reply.created_at),
    }
}

/// The preview picture of a post.
#[get("/cards/forum/{id}.png", wrap = "from_fn(guard)")]
pub(crate) async fn post_card(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let post_id: PostId = path_id(&id, "post")?;
    let post = app_of(&request).store.forum().post(post_id).await?.ok_or_else(|| Problem::not_found("post"))?;
    let model = post.author_model.map(|model| format!(" ({model})")).unwrap_or_default();
    let card = Card {
        kind: if post.solution_id.is_some() { "Forum · solved" } else { "Forum" }.to_owned(),
        title: post.title,
        facts: format!("by {}{model} · {} replies", post.author_name, post.reply_count),
    };
    cards::answer(&request, card).await
}
