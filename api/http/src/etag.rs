//! Entity tags (RFC 9110, section 8.8.3): `If-None-Match` on reads, `If-Match` on edits.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, StatusCode, header},
};
use buildtrack_store::sha256_hex;
use serde::Serialize;

use super::{
    lists::{List, linked},
    problem::Problem,
    validators,
};

/// Answers a read, with 304 if the client has the current body. The tag is a hash of the body.
pub fn answer(request: &HttpRequest, body: &impl Serialize) -> HttpResponse {
    let text = serde_json::to_string(body).unwrap_or_default();
    respond(request, &tag_of_text(&text), text)
}

/// As [`answer`], for an address that answers browsers with a page.
pub fn answer_data(request: &HttpRequest, body: &impl Serialize) -> HttpResponse {
    let text = serde_json::to_string(body).unwrap_or_default();
    respond_as(request, &tag_of_text(&text), text, &Form { vary: VARY_FORMS, ..DATA })
}

/// As [`answer`], for a page of a list.
pub fn answer_list(request: &HttpRequest, list: &impl List) -> HttpResponse {
    linked(request, answer(request, list), list)
}

/// As [`answer_data`], for a page of a list.
pub fn answer_list_data(request: &HttpRequest, list: &impl List) -> HttpResponse {
    linked(request, answer_data(request, list), list)
}

/// The answer of a read at an address that answers browsers with a page. Caches keep both apart.
pub fn as_data(mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().insert(header::VARY, header::HeaderValue::from_static(VARY_FORMS));
    response
}

/// Answers a read with a page, with 304 if the client has it.
pub fn answer_page(request: &HttpRequest, html: String) -> HttpResponse {
    let page = Form { content_type: "text/html; charset=utf-8", vary: VARY_PAGE };
    respond_as(request, &tag_of_text(&html), html, &page)
}

/// Answers a read with a text of another media type, with 304 if the client has it.
pub fn answer_text(request: &HttpRequest, content_type: &'static str, text: String) -> HttpResponse {
    respond_as(request, &tag_of_text(&text), text, &Form { content_type, ..DATA })
}

/// The answer if the client has the body with this tag.
pub fn unchanged(request: &HttpRequest, tag: &str) -> Option<HttpResponse> {
    let mut response = is_known(request, tag).then(HttpResponse::NotModified)?;
    Some(response.insert_header((header::ETAG, tag)).insert_header((header::CACHE_CONTROL, "no-cache")).finish())
}

/// The media type of an answer, and the request's headers that it depends on.
struct Form {
    content_type: &'static str,
    vary: &'static str,
}

const DATA: Form = Form { content_type: "application/json", vary: "authorization" };
const VARY_FORMS: &str = "authorization, accept";
/// Pages are in the language that the browser asks for, or that the reader has chosen (a cookie).
const VARY_PAGE: &str = "authorization, accept, accept-language, cookie";

/// Answers a read of an editable entity. The tag begins with the version that `If-Match` of an edit is compared with.
pub fn answer_version(request: &HttpRequest, version: i64, body: &impl Serialize) -> HttpResponse {
    let text = serde_json::to_string(body).unwrap_or_default();
    respond(request, &tag_of(version, &text), text)
}

/// As [`answer`], for a body with parts that edits do not depend on: a change of these parts alone is no conflict.
pub fn answer_settings(request: &HttpRequest, settings: &impl Serialize, body: &impl Serialize) -> HttpResponse {
    let text = serde_json::to_string(body).unwrap_or_default();
    let settings = tag_of_text(&serde_json::to_string(settings).unwrap_or_default());
    respond(request, &refined(&settings, &text), text)
}

/// As [`answer_version`], for a body with parts that edits do not depend on. `tag` covers the other parts.
pub fn answer_refined(request: &HttpRequest, tag: &str, body: &impl Serialize) -> HttpResponse {
    let text = serde_json::to_string(body).unwrap_or_default();
    respond(request, &refined(tag, &text), text)
}

/// The tag that [`answer_version`] sends.
pub fn version_tag(version: i64, body: &impl Serialize) -> String {
    tag_of(version, &serde_json::to_string(body).unwrap_or_default())
}

/// A tag of the settings, followed by a tag of the whole text.
fn refined(settings: &str, text: &str) -> String {
    format!("{}-{}\"", settings.trim_end_matches('"'), &sha256_hex(text)[..8])
}

/// Whether a tag is the current one, or a refined form of it.
fn covers(current: &str, tag: &str) -> bool {
    let refined = |tag: &str| tag.strip_prefix(current.trim_end_matches('"')).is_some_and(|rest| rest.starts_with('-'));
    tag == current || refined(tag)
}

fn respond(request: &HttpRequest, tag: &str, text: String) -> HttpResponse {
    respond_as(request, tag, text, &DATA)
}

fn respond_as(request: &HttpRequest, tag: &str, text: String, form: &Form) -> HttpResponse {
    let unchanged = is_known(request, tag);
    let mut response = if unchanged { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    // The answer of a POST has no tag: a repeat under the same idempotency key could not send it again.
    if request.method() != Method::POST {
        response.insert_header((header::ETAG, tag));
    }
    response.insert_header((header::CACHE_CONTROL, "no-cache"));
    response.insert_header((header::VARY, form.vary));
    let response = if unchanged { response.finish() } else { response.content_type(form.content_type).body(text) };
    if form.content_type == DATA.content_type {
        validators::remember(request, &response);
    }
    response
}

/// Whether the client has the body of this tag already (`If-None-Match`, compared weakly).
pub fn is_known(request: &HttpRequest, tag: &str) -> bool {
    // On an edit the header would be a precondition of the edit, not a cache validator.
    let known = header_text(request, header::IF_NONE_MATCH.as_str()).filter(|_| request.method() == Method::GET);
    let tag = tag.trim_start_matches("W/");
    known.is_some_and(|known| {
        known.split(',').map(str::trim).any(|candidate| candidate == "*" || candidate.trim_start_matches("W/") == tag)
    })
}

fn header_text<'r>(request: &'r HttpRequest, name: &str) -> Option<&'r str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

/// The precondition of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// No precondition.
    None,
    /// The entity must have one of these tags.
    Tags(Vec<String>),
}

impl Precondition {
    /// Parses `If-Match`.
    pub fn of(request: &HttpRequest) -> Self {
        match header_text(request, header::IF_MATCH.as_str()) {
            None | Some("*") => Self::None,
            Some(tags) => Self::Tags(tags.split(',').map(|tag| tag.trim().to_owned()).collect()),
        }
    }

    /// Returns 412 if the version differs. Only the version in a tag counts, so that new messages of other members are no
    /// conflict.
    pub fn check(&self, version: i64) -> Result<(), Problem> {
        self.holds(|tag| version_in(tag) == Some(version))
    }

    /// Returns 412 if any part of the shown entity differs.
    pub fn check_all(&self, version: i64, body: &impl Serialize) -> Result<(), Problem> {
        let current = tag_of(version, &serde_json::to_string(body).unwrap_or_default());
        self.holds(|tag| covers(&current, tag))
    }

    /// Returns 412 if any part of an entity shown under [`answer`]'s tag differs.
    pub fn check_shown(&self, body: &impl Serialize) -> Result<(), Problem> {
        let current = tag_of_text(&serde_json::to_string(body).unwrap_or_default());
        self.holds(|tag| covers(&current, tag))
    }

    fn holds(&self, matches: impl Fn(&str) -> bool) -> Result<(), Problem> {
        match self {
            Self::Tags(tags) if !tags.iter().any(|tag| matches(tag)) => {
                let detail = "The resource has changed since you read it.";
                let hint = "Read the resource again, and repeat the edit with the new ETag in If-Match.";
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
    fn parts_that_edits_do_not_depend_on_change_the_tag_without_a_conflict() {
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
