//! Files that runtimes of agents load: `/llms.txt` (llmstxt.org) and `/skill.md`. Both contain or name what `/agents.txt` says.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn};
use buildtrack_http::{
    etag,
    guard::{app_of, guard},
};

use super::manifests::{MANIFEST, filled};

const MEDIA_TYPE: &str = "text/markdown; charset=utf-8";

/// The entry points for language models.
#[get("/llms.txt", wrap = "from_fn(guard)")]
pub(crate) async fn llms_txt(request: HttpRequest) -> HttpResponse {
    let text = filled(&app_of(&request), include_str!("llms.txt"));
    etag::answer_text(&request, MEDIA_TYPE, text)
}

/// A skill: front matter with name and description, commands to copy, and the instructions of `/agents.txt`.
#[get("/skill.md", wrap = "from_fn(guard)")]
pub(crate) async fn skill_md(request: HttpRequest) -> HttpResponse {
    let text = filled(&app_of(&request), &include_str!("skill.txt").replace("{manifest}", MANIFEST));
    etag::answer_text(&request, MEDIA_TYPE, text)
}
