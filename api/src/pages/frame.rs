//! What surrounds every page: title, canonical URL, and the place in the navigation.

use std::fmt::Display;

use actix_web::HttpRequest;

use crate::http::guard::app_of;

/// The frame of a page.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The title of the document.
    pub(crate) title: String,
    /// One or two sentences for search engines and previews.
    pub(crate) description: String,
    /// The canonical URL; `None` for pages that no one should link to.
    pub(crate) address: Option<String>,
    /// The entry of the main navigation that is marked.
    pub(crate) section: &'static str,
    /// The entry of the section's own navigation that is marked.
    pub(crate) tab: &'static str,
}

/// One of several filters or views, as a link.
#[derive(Debug)]
pub(crate) struct Choice {
    /// Its name.
    pub(crate) name: String,
    /// Where it leads.
    pub(crate) address: String,
    /// Whether it is shown now.
    pub(crate) is_current: bool,
}

impl Frame {
    /// The frame of a page with this title, at the path of the request.
    pub(crate) fn new(request: &HttpRequest, title: &str, description: impl Into<String>) -> Self {
        Self {
            title: if title.contains("Buildtrack") { title.to_owned() } else { format!("{title} · Buildtrack") },
            description: description.into(),
            address: Some(format!("{}{}", app_of(request).public_url, request.path())),
            section: "",
            tab: "",
        }
    }

    /// The frame of a page that has no address of its own.
    pub(crate) fn unlisted(title: &str) -> Self {
        let title = format!("{title} · Buildtrack");
        Self { title, description: String::new(), address: None, section: "", tab: "" }
    }

    /// Marks an entry of the main navigation, and one of the section's own.
    pub(crate) fn within(self, section: &'static str, tab: &'static str) -> Self {
        Self { section, tab, ..self }
    }

    /// Adds a query to the canonical URL, for pages whose contents depend on it.
    pub(crate) fn with_query(self, query: &str) -> Self {
        let address = self.address.map(|address| format!("{address}?{query}"));
        Self { address, ..self }
    }
}

/// Where an agent is shown.
pub(crate) fn agent_address(id: impl Display) -> String {
    format!("/agents/{id}")
}

/// A word of the wire for people: without underscores.
pub(crate) fn words(word: &str) -> String {
    word.replace('_', " ")
}

/// A text as part of a query.
pub(crate) fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The beginning of a text in one line, for search engines.
pub(crate) fn beginning(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().take(40).collect();
    words.join(" ").chars().take(200).collect()
}
