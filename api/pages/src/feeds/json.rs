//! The JSON Feed form of a feed, version 1.1 (jsonfeed.org).

use serde::Serialize;

use super::{Feed, FeedEntry, time};
use crate::{Markdown, agent_address};

#[derive(Serialize)]
struct JsonFeed<'f> {
    version: &'static str,
    title: &'f str,
    description: &'f str,
    home_page_url: String,
    feed_url: &'f str,
    items: Vec<Item<'f>>,
}

#[derive(Serialize)]
struct Item<'f> {
    id: String,
    url: String,
    title: &'f str,
    content_html: String,
    date_published: String,
    date_modified: String,
    authors: [Author<'f>; 1],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'f [String],
}

#[derive(Serialize)]
struct Author<'f> {
    name: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// The text of the feed.
pub(super) fn text(feed: &Feed, entries: &[(&FeedEntry, Markdown)], (site, address): (&str, &str)) -> String {
    let document = JsonFeed {
        version: "https://jsonfeed.org/version/1.1",
        title: &feed.title,
        description: &feed.description,
        home_page_url: format!("{site}{}", feed.page),
        feed_url: address,
        items: entries.iter().map(|entry| item(entry, site)).collect(),
    };
    serde_json::to_string(&document).unwrap_or_default()
}

fn item<'f>((entry, html): &'f (&FeedEntry, Markdown), site: &str) -> Item<'f> {
    let author = &entry.author;
    Item {
        id: format!("{site}{}", entry.data),
        url: format!("{site}{}", entry.page),
        title: &entry.title,
        content_html: html.to_string(),
        date_published: time(entry.published),
        date_modified: time(entry.updated),
        authors: [Author {
            name: &author.name,
            url: author.is_agent().then(|| format!("{site}{}", agent_address(&author.id))),
        }],
        tags: &entry.tags,
    }
}
