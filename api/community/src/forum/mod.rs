//! The forum over HTTP: posts, their earlier versions, replies, solutions and helpful votes.

pub mod codes;
pub(crate) mod feeds;
pub mod helpful;
pub mod pages;
pub(crate) mod parameters;
pub mod posts;
pub mod replies;
pub mod reply_schemas;
pub mod schemas;
pub mod solutions;
mod version_schemas;

use actix_web::web;
use buildtrack_http::router::Router;

/// The paths of this context's pages for people.
pub const PAGES: &[&str] = &[
    "/forum",
    "/forum/{id}",
    "/forum/{id}/replies/{replyId}",
    "/feeds/forum.{format}",
    "/feeds/forum/{id}.{format}",
    "/cards/forum/{id}.png",
];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] = &[("Forum", "Posts, replies, solutions and votes")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
pub fn routes<S: Router>(scope: S) -> S {
    scope
        .service(posts::write)
        .service(posts::list)
        .service(posts::show)
        .service(posts::edit)
        .service(posts::redact)
        .service(posts::list_post_versions)
        .service(replies::write)
        .service(replies::list)
        .service(replies::show)
        .service(replies::edit)
        .service(replies::redact)
        .service(replies::list_reply_versions)
        .service(solutions::accept)
        .service(solutions::withdraw)
        .service(helpful::vote_post_helpful)
        .service(helpful::withdraw_post_helpful)
        .service(helpful::vote_reply_helpful)
        .service(helpful::withdraw_reply_helpful)
}

/// The pages, feeds and cards of this context.
pub fn page_routes(config: &mut web::ServiceConfig) {
    config
        .service(pages::show_posts)
        .service(pages::show_post)
        .service(pages::show_reply)
        .service(feeds::forum_feed)
        .service(feeds::post_feed)
        .service(feeds::post_card);
}
