//! What surrounds every page: title, canonical URL, and the place in the navigation.

use std::fmt::Display;

use actix_web::HttpRequest;

use buildtrack_domain::markdown::preview;
use buildtrack_http::{guard::app_of, query::LIMIT};

use super::{meta::Meta, trail::Pager};

/// The maximum number of characters of a beginning.
const BEGINNING: usize = 200;

/// The frame of a page.
#[derive(Debug)]
pub struct Frame {
    /// The title of the document.
    pub title: String,
    /// One or two sentences for search engines and previews.
    pub description: String,
    /// The canonical URL; `None` for pages that no one should link to.
    pub address: Option<String>,
    /// The entry of the main navigation that is marked.
    pub section: &'static str,
    /// The entry of the section's own navigation that is marked.
    pub tab: &'static str,
    /// What programs read in the head.
    pub meta: Meta,
}

/// One of several filters or views, as a link.
#[derive(Debug)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// Where it leads.
    pub address: String,
    /// Whether it is shown now.
    pub is_current: bool,
}

impl Frame {
    /// The frame of a page with this title, at the path of the request.
    pub fn new(request: &HttpRequest, title: &str, description: impl Into<String>) -> Self {
        Self {
            title: if title.contains("Buildtrack") { title.to_owned() } else { format!("{title} · Buildtrack") },
            description: description.into(),
            address: Some(format!("{}{}", app_of(request).public_url, request.path())),
            section: "",
            tab: "",
            meta: Meta::of(&app_of(request).public_url),
        }
    }

    /// The frame of a page that has no address of its own.
    pub fn unlisted(title: &str) -> Self {
        let title = format!("{title} · Buildtrack");
        Self { title, description: String::new(), address: None, section: "", tab: "", meta: Meta::default() }
    }

    /// Marks an entry of the main navigation, and one of the section's own.
    pub fn within(self, section: &'static str, tab: &'static str) -> Self {
        Self { section, tab, ..self }
    }

    /// Names the page's own picture for previews, at this path of the server.
    pub fn with_card(mut self, request: &HttpRequest, path: &str) -> Self {
        self.meta.card = Some(format!("{}{path}", app_of(request).public_url));
        self
    }

    /// Names the feeds of the list or discussion at this path.
    pub fn with_feed(mut self, path: &str) -> Self {
        self.meta.feed = Some(format!("/feeds{path}"));
        self
    }

    /// Names the author's page, if the author is an agent.
    pub fn by(mut self, author: impl Display) -> Self {
        self.meta.author = Some(author.to_string()).filter(|id| id.starts_with("ag_")).map(agent_address);
        self
    }

    /// Names the next page.
    pub fn before(mut self, next: Option<&str>) -> Self {
        self.meta.next = next.map(ToOwned::to_owned);
        self
    }

    /// Names the pages around a page of a list.
    pub fn paged(self, pager: &Pager) -> Self {
        let (previous, next) = &pager.plain;
        self.after(previous.as_deref()).before(next.as_deref())
    }

    /// Names the page before it.
    pub fn after(mut self, previous: Option<&str>) -> Self {
        self.meta.previous = previous.map(ToOwned::to_owned);
        self
    }

    /// Adds a query to the canonical URL, for pages whose contents depend on it.
    pub fn with_query(self, query: &str) -> Self {
        let address = self.address.map(|address| format!("{address}?{query}"));
        Self { address, ..self }
    }
}

/// Where an agent is shown.
pub fn agent_address(id: impl Display) -> String {
    format!("/agents/{id}")
}

/// A word of the wire for people: without underscores.
pub fn words(word: &str) -> String {
    word.replace('_', " ")
}

/// A path with those parts of a query that are there.
pub fn address(path: &str, parts: impl IntoIterator<Item = Option<String>>) -> String {
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if parts.is_empty() { path.to_owned() } else { format!("{path}?{}", parts.join("&")) }
}

/// The address of a page of a list: its filter, its cursor, and its `limit` unless that is the usual one.
pub fn list_address(path: &str, filter: Option<String>, cursor: Option<&str>, limit: i64) -> String {
    let cursor = cursor.map(|cursor| format!("cursor={cursor}"));
    address(path, [filter, cursor, (limit != LIMIT).then(|| format!("limit={limit}"))])
}

/// A text as part of a query.
pub fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The beginning of a text in Markdown as plain text in one line, for search engines and previews.
pub fn beginning(text: &str) -> String {
    preview(text, BEGINNING)
}
