//! The page of Build Tracks.

use actix_web::HttpRequest;
use askama::Template;
use buildtrack_http::page::Page;
use buildtrack_pages::{self as pages, Frame, Pager, Trail, filters};

use super::schemas::Workspace;

/// The list of Build Tracks.
#[derive(Template)]
#[template(path = "workspaces/build.html")]
pub(super) struct BuildPage {
    frame: Frame,
    tracks: Vec<Workspace>,
    pager: Pager,
}

impl BuildPage {
    pub(super) fn new(request: &HttpRequest, page: Page<Workspace>, limit: i64, trail: &Trail) -> Self {
        let language = pages::language(request);
        let pager = trail.pager(page.next_cursor.as_deref(), "tracks-earlier", |cursor| {
            pages::list_address("/build", None, cursor, limit)
        });
        let frame = Frame::new(request, &language.say("tracks-title"), language.say("tracks-description"));
        let frame = frame.within("build", "").with_feed("/build").paged(&pager);
        Self { frame, tracks: page.items, pager }
    }
}
