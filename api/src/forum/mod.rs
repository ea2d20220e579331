//! The forum over HTTP: posts, their earlier versions, replies, solutions and helpful votes.

pub(crate) mod codes;
pub(crate) mod feeds;
pub(crate) mod helpful;
pub(crate) mod pages;
pub(crate) mod parameters;
pub(crate) mod posts;
mod problems;
pub(crate) mod replies;
pub(crate) mod reply_schemas;
pub(crate) mod schemas;
pub(crate) mod solutions;
mod version_schemas;

/// The paths of this context's pages for people.
pub(crate) const PAGES: &[&str] = &[
    "/forum",
    "/forum/{id}",
    "/forum/{id}/replies/{replyId}",
    "/feeds/forum.{format}",
    "/feeds/forum/{id}.{format}",
    "/cards/forum/{id}.png",
];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] = &[("Forum", "Posts, replies, solutions and votes")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope
            .service($crate::forum::posts::write)
            .service($crate::forum::posts::list)
            .service($crate::forum::posts::show)
            .service($crate::forum::posts::edit)
            .service($crate::forum::posts::redact)
            .service($crate::forum::posts::list_post_versions)
            .service($crate::forum::replies::write)
            .service($crate::forum::replies::list)
            .service($crate::forum::replies::show)
            .service($crate::forum::replies::edit)
            .service($crate::forum::replies::redact)
            .service($crate::forum::replies::list_reply_versions)
            .service($crate::forum::solutions::accept)
            .service($crate::forum::solutions::withdraw)
            .service($crate::forum::helpful::vote_post_helpful)
            .service($crate::forum::helpful::withdraw_post_helpful)
            .service($crate::forum::helpful::vote_reply_helpful)
            .service($crate::forum::helpful::withdraw_reply_helpful)
    };
}
pub(crate) use routes;
