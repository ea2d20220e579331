//! Entity tags (RFC 9110, section 8.8.3): `If-None-Match` on reads, `If-Match` on edits.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, StatusCode, header},
};
use buildtrack_store::sha256_hex;
use serde::Serialize;

use super::problem::Problem;

/// Answers a read; 304 where the caller has it already. The tag is made from the body.
pub(crate) fn answer(request: &HttpRequest, body: &impl Serialize) -> HttpResponse {
    let text = serde_json::to_string(body).unwrap_or_default();
    respond(request, &tag_of_text(&text), text)
}

/// Answers a read of something that can be edited: the tag begins with the version that an edit names.
pub(crate) fn answer_version(request: &HttpRequest, version: i64, body: &impl Serialize) -> HttpResponse {
    let text = serde_json::to_string(body).unwrap_or_default();
    respond(request, &tag_of(version, &text), text)
}

/// As [`answer`], with something in the body that no edit depends on: a change of it alone is no conflict.
pub(crate) fn answer_settings(request: &HttpRequest, settings: &impl Serialize, body: &impl Serialize) -> HttpResponse {
    let text = serde_json::to_string(body).unwrap_or_default();
    let settings = tag_of_text(&serde_json::to_string(settings).unwrap_or_default());
    respond(request, &refined(&settings, &text), text)
}

/// As [`answer_version`], with something in the body that no edit depends on; `tag` is that of the rest.
pub(crate) fn answer_refined(request: &HttpRequest, tag: &str, body: &impl Serialize) -> HttpResponse {
    let text = serde_json::to_string(body).unwrap_or_default();
    respond(request, &refined(tag, &text), text)
}

/// The tag that [`answer_version`] gives.
pub(crate) fn version_tag(version: i64, body: &impl Serialize) -> String {
    tag_of(version, &serde_json::to_string(body).unwrap_or_default())
}

/// A tag of the settings, followed by one of the whole text.
fn refined(settings: &str, text: &str) -> String {
    format!("{}-{}\"", settings.trim_end_matches('"'), &sha256_hex(text)[..8])
}

/// Whether a tag is this one, or a refined one of it.
fn covers(current: &str, tag: &str) -> bool {
    let refined = |tag: &str| tag.strip_prefix(current.trim_end_matches('"')).is_some_and(|rest| rest.starts_with('-'));
    tag == current || refined(tag)
}

fn respond(request: &HttpRequest, tag: &str, text: String) -> HttpResponse {
    // On an edit the header would ask for something else: a condition under which it is made.
    let known = header_text(request, header::IF_NONE_MATCH.as_str()).filter(|_| request.method() == Method::GET);
    let unchanged = known.is_some_and(|known| {
        known.split(',').map(str::trim).any(|candidate| candidate == "*" || candidate.trim_start_matches("W/") == tag)
    });
    let mut response = if unchanged { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    // A POST's answer has none: it could not be given again to a repeat under the same idempotency key.
    if request.method() != Method::POST {
        response.insert_header((header::ETAG, tag));
    }
    response.insert_header((header::CACHE_CONTROL, "no-cache"));
    response.insert_header((header::VARY, "authorization"));
    if unchanged { response.finish() } else { response.content_type("application/json").body(text) }
}

fn header_text<'r>(request: &'r HttpRequest, name: &str) -> Option<&'r str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

/// What an edit was made on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Precondition {
    /// Whatever is there.
    None,
    /// One of these tags.
    Tags(Vec<String>),
}

impl Precondition {
    /// Reads `If-Match`.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        match header_text(request, header::IF_MATCH.as_str()) {
            None | Some("*") => Self::None,
            Some(tags) => Self::Tags(tags.split(',').map(|tag| tag.trim().to_owned()).collect()),
        }
    }

    /// 412 where the version is another. Only the version in a tag counts: that others wrote messages meanwhile is no
    /// conflict.
    pub(crate) fn check(&self, version: i64) -> Result<(), Problem> {
        self.holds(|tag| version_in(tag) == Some(version))
    }

    /// 412 where anything in what is shown is another.
    pub(crate) fn check_all(&self, version: i64, body: &impl Serialize) -> Result<(), Problem> {
        let current = tag_of(version, &serde_json::to_string(body).unwrap_or_default());
        self.holds(|tag| covers(&current, tag))
    }

    /// 412 where anything in what is shown under [`answer`]'s tag is another.
    pub(crate) fn check_shown(&self, body: &impl Serialize) -> Result<(), Problem> {
        let current = tag_of_text(&serde_json::to_string(body).unwrap_or_default());
        self.holds(|tag| covers(&current, tag))
    }

    fn holds(&self, matches: impl Fn(&str) -> bool) -> Result<(), Problem> {
        match self {
            Self::Tags(tags) if !tags.iter().any(|tag| matches(tag)) => {
                let detail = "It has been changed since you read it.";
                let hint = "Read it again, and send the edit with the ETag of that answer in If-Match.";
                Err(Problem::new(StatusCode::PRECONDITION_FAILED, "precondition_failed", detail, hint))
            }
            _ => Ok(()),
        }
    }
}

fn tag_of_text(text: &str) -> String {
    format!("\"{}\"", &sha256_hex(text)[..20])
}

fn tag_of(version: i64, text: &str) -> String {
    format!("\"v{version}-{}\"", &sha256_hex(text)[..12])
}

fn version_in(tag: &str) -> Option<i64> {
    let tag = tag.strip_prefix("\"v")?.strip_suffix('"')?;
    tag.split('-').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn what_no_edit_depends_on_changes_the_tag_and_is_no_conflict() {
        let tag = |health: &str| refined(&tag_of_text("settings"), health);
        assert_ne!(tag("open"), tag("closed"));
        assert!(covers(&tag_of_text("settings"), &tag("open")) && !covers(&tag_of_text("others"), &tag("open")));
        assert!(version_in(&refined(&tag_of(3, "settings"), "open")) == Some(3));
    }

    #[test]
    fn only_the_version_of_a_tag_counts() {
        let request = |tag| TestRequest::get().insert_header(("if-match", tag)).to_http_request();
        assert_eq!(Precondition::of(&request("*")), Precondition::None);
        assert!(Precondition::of(&request("\"v3-abc\", \"v4-def\"")).check(4).is_ok());
        assert!(Precondition::of(&request("\"v3-abc\"")).check(3).is_ok());
        assert!(Precondition::of(&request("\"v3-abc\"")).check(4).is_err());
        assert!(Precondition::of(&request("\"unknown\"")).check(3).is_err());
    }
}
