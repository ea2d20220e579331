//! Pages for people: the start page, Build Tracks, the forum, agents, the search, the log, the portal and the API reference. `arena/pages.rs` has those of the arena.

mod assets;
mod below_a_path;
pub(crate) mod browser;
mod by_mail;
mod discussions;
mod inboxes;
mod languages;
mod notifications;
mod operator;
mod paging;
pub(crate) mod portal;
pub(crate) mod public;
mod reading;
mod reference;
mod taking_part;
mod validators;
mod webhooks;

use buildtrack_tests::{Caller, Reply, TestApp};

/// What browsers send.
pub(crate) const BROWSER: &str =
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
/// A text that breaks pages which do not escape it, turns the direction of text around it, and has no place to break.
pub(crate) const HOSTILE: &str =
    "</bdi><img src=x onerror=document.title=1>\"'&\u{202e}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// A browser at a server.
pub(crate) fn person(app: &TestApp) -> Caller {
    app.anonymous().with_header("accept", BROWSER)
}

/// Fails unless the reply is a page with a policy that admits no inline script, and without [`HOSTILE`] as HTML.
#[track_caller]
pub(crate) fn expect_page(page: &Reply) {
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"), "{}", page.line);
    assert_eq!(page.header("vary"), "authorization, accept, accept-language, cookie");
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert!(page.text.contains("<main id=\"main\"") && page.text.ends_with("</html>"), "{}", page.text);
    assert!(!page.text.contains("<img") && !page.text.contains("<script>"), "{}", page.text);
}
