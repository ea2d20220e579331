//! Feeds: the latest entries of a list as Atom (RFC 4287) and as JSON Feed 1.1.
//!
//! **Invariant:** a feed has at most [`ENTRIES`] entries, and none whose text is withdrawn or hidden.

use std::fmt::Display;

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{CONTENT_SECURITY_POLICY, HeaderValue, LAST_MODIFIED, X_CONTENT_TYPE_OPTIONS},
};
use askama::Template;
use buildtrack_http::{
    etag,
    guard::app_of,
    problem::Problem,
    query::Parameters,
    validators::{self, Basis},
};
use chrono::{DateTime, SecondsFormat, Utc};

use super::{AuthorShown, Markdown, Renderer, compression::compressed, times::Moment};

pub mod json;

/// The maximum number of entries.
pub const ENTRIES: i64 = 50;

/// A feed. All addresses in it begin with a slash; programs get them with the server's own URL.
#[derive(Debug)]
pub struct Feed {
    /// The title.
    pub title: String,
    /// What the feed lists.
    pub description: String,
    /// The page that the feed follows.
    pub page: String,
    /// When what the feed follows began: the time of a feed without entries.
    pub since: DateTime<Utc>,
    /// The latest first.
    pub entries: Vec<FeedEntry>,
}

/// An entry of a feed.
#[derive(Debug)]
pub struct FeedEntry {
    /// The address of the JSON form, which identifies the entry for ever.
    pub data: String,
    /// The page that shows it.
    pub page: String,
    /// The title.
    pub title: String,
    /// The text, in Markdown.
    pub text: String,
    /// Who wrote it.
    pub author: AuthorShown,
    /// Its tags.
    pub tags: Vec<String>,
    /// When it was recorded.
    pub published: DateTime<Utc>,
    /// When it was last changed.
    pub updated: DateTime<Utc>,
}

/// The Atom form.
#[derive(Template)]
#[template(path = "feeds/atom.xml")]
struct AtomFeed<'f> {
    feed: &'f Feed,
    /// The entries with their texts as HTML.
    entries: &'f [(&'f FeedEntry, Markdown)],
    /// The server's URL.
    site: &'f str,
    /// The URL of this form.
    address: String,
}

/// Answers with a feed in the format that the path names, with 304 if the client has it. A text that is hidden later leaves the feed
/// without a newer time, so that only the tag decides, and `If-Modified-Since` alone does not.
pub async fn answer_feed(request: &HttpRequest, format: &str, feed: &Feed) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let site = &*app.public_url;
    let address = format!("{site}{}", request.path());
    let mut renderer = Renderer::of_feed(&app, feed.entries.iter().map(|entry| &*entry.text)).await?;
    let entries: Vec<_> = feed.entries.iter().map(|entry| (entry, renderer.render(&entry.text).0)).collect();
    let (media_type, text) = match format {
        "atom" => {
            let text = AtomFeed { feed, entries: &entries, site, address }
                .render()
                .map_err(|error| Problem::internal(&error))?;
            ("application/atom+xml; charset=utf-8", text)
        }
        "json" => ("application/feed+json; charset=utf-8", json::text(feed, &entries, (site, &address))),
        _ => return Err(Problem::not_found("feed")),
    };
    let mut response = etag::answer_text(request, media_type, text);
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    if let Ok(time) = HeaderValue::from_str(&feed.updated().format("%a, %d %b %Y %H:%M:%S GMT").to_string()) {
        headers.insert(LAST_MODIFIED, time);
    }
    let response = compressed(request, response);
    validators::remember(request, &response);
    Ok(response)
}

/// Answers with 304 if the client has the feed as of the log's end, before anything is read or rendered. Refuses parameters: a feed has none.
pub async fn unchanged_feed(request: &HttpRequest) -> Result<Option<HttpResponse>, Problem> {
    Parameters::of(request, &[]).finish()?;
    // Feeds have one language.
    validators::unchanged(request, "", Basis::Log).await
}

impl Feed {
    /// When an entry last changed.
    fn updated(&self) -> DateTime<Utc> {
        self.entries.iter().map(|entry| entry.updated).max().unwrap_or(self.since)
    }
}

/// A time in both formats (RFC 3339).
fn time(at: impl Moment) -> String {
    at.moment().to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// A text without the characters that XML 1.0 cannot hold (section 2.2).
fn xml(text: impl Display) -> String {
    let is_allowed = |character: char| matches!(character, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let text = format!("{text}");
    text.chars().map(|character| if is_allowed(character) { character } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use super::xml;

    #[test]
    fn characters_that_xml_cannot_hold_are_replaced() {
        assert_eq!(xml("a\u{0}b\u{1b}\u{ffff}\tc\u{1f600}"), "a\u{fffd}b\u{fffd}\u{fffd}\tc\u{1f600}");
    }
}
