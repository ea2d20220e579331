//! Markdown to HTML: anchors for headings, links between files as addresses of this server, tables that scroll.

use std::collections::HashMap;

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::pages::{self, Entry, Line, Page};
pub(super) use buildtrack_pages::{Frame, GuidePage, Item, Meta, Neighbour};

/// Characters of a page's first paragraph that describe it to search engines.
const DESCRIPTION: usize = 200;

/// What is shown of a page.
struct Article {
    title: String,
    description: String,
    html: String,
}

/// A whole page: head, sidebar, text, and the pages before and after it.
pub(super) fn document(page: &Page, public_url: &str) -> GuidePage {
    let Article { title, description, html } = article(page);
    let title = if title.contains("Buildtrack") { title } else { format!("{title} · Buildtrack") };
    let address = Some(format!("{public_url}{}", page.address()));
    let (previous, next) = neighbours(page);
    let address_of = |neighbour: Option<&Neighbour>| neighbour.map(|neighbour| neighbour.address.clone());
    let (before, after) = (address_of(previous.as_ref()), address_of(next.as_ref()));
    let meta = Meta { previous: before, next: after, ..Meta::of(public_url) };
    let frame = Frame { title, description, address, section: "guide", tab: "", meta };
    GuidePage { frame, html, items: items(page), previous, next }
}

fn article(page: &Page) -> Article {
    let events: Vec<_> = Parser::new_ext(page.text, Options::ENABLE_TABLES).collect();
    let title = text_within(&events, |tag| matches!(tag, Tag::Heading { level: HeadingLevel::H1, .. }));
    let description = text_within(&events, |tag| matches!(tag, Tag::Paragraph));
    let mut anchors = anchors(&events).into_iter();
    let mut dropped_link = false;
    let shown = events.into_iter().filter_map(|event| match event {
        // Comments mark things for tests; pages hold no other HTML.
        // The server has no pictures of the guide: their descriptions stand in their places.
        Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
            let id = anchors.next().map(CowStr::from);
            Some(Event::Start(Tag::Heading { level, id, classes, attrs }))
        }
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let address = address_of(page, &dest_url);
            dropped_link = address.is_none();
            let dest_url = CowStr::from(address?);
            Some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
        }
        Event::End(TagEnd::Link) if std::mem::take(&mut dropped_link) => None,
        event => Some(event),
    });
    let mut text = String::new();
    html::push_html(&mut text, shown);
    // The policy of pages allows no style in the text.
    let text = text.replace(" style=\"text-align: ", " class=\"");
    // Wide tables and code scroll, which must be possible with the keyboard too.
    let text = text.replace("<pre>", "<pre tabindex=\"0\">");
    let text = text.replace("<table>", "<div class=\"table\" tabindex=\"0\"><table>");
    let html = text.replace("</table>", "</table></div>");
    Article { title, description: shortened(&description), html }
}

/// The text of the first element of a kind.
fn text_within(events: &[Event<'_>], is_wanted: impl Fn(&Tag<'_>) -> bool) -> String {
    let start = events.iter().position(|event| matches!(event, Event::Start(tag) if is_wanted(tag)));
    let Some(start) = start else { return String::new() };
    let Event::Start(tag) = &events[start] else { return String::new() };
    let end = tag.to_end();
    text_of(events[start..].iter().take_while(|event| !matches!(event, Event::End(tag) if *tag == end)))
}

fn text_of<'a>(events: impl Iterator<Item = &'a Event<'a>>) -> String {
    let mut text = String::new();
    for event in events {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(part),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            _ => (),
        }
    }
    text
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(DESCRIPTION) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// The anchors of all headings, as GitHub and mdBook make them: lower case, hyphens for spaces, no punctuation.
fn anchors(events: &[Event<'_>]) -> Vec<String> {
    let mut used: HashMap<String, usize> = HashMap::new();
    let mut anchors = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let Event::Start(Tag::Heading { .. }) = event else { continue };
        let heading = events[index..].iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
        let anchor = anchor(&text_of(heading));
        let count = used.entry(anchor.clone()).or_default();
        anchors.push(if *count == 0 { anchor } else { format!("{anchor}-{count}") });
        *count += 1;
    }
    anchors
}

fn anchor(heading: &str) -> String {
    let letters = heading.trim().chars().flat_map(char::to_lowercase);
    letters
        .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

/// Where a link leads on this server; none where the server does not serve the file.
fn address_of(page: &Page, link: &str) -> Option<String> {
    if link.starts_with(['#', '/']) || link.contains("://") {
        return Some(link.to_owned());
    }
    let (file, fragment) = link.split_once('#').map_or((link, ""), |(file, _)| (file, &link[file.len()..]));
    let path = resolved(page.path, file);
    if path == "openapi/openapi.json" {
        return Some("/openapi.json".to_owned());
    }
    Some(format!("{}{fragment}", pages::at(&path)?.address()))
}

/// A path in the repository, of a link relative to a file.
fn resolved(from: &str, link: &str) -> String {
    let mut segments: Vec<_> = from.split('/').collect();
    segments.pop();
    for segment in link.split('/') {
        match segment {
            "" | "." => (),
            ".." => drop(segments.pop()),
            name => segments.push(name),
        }
    }
    segments.join("/")
}

/// The table of contents, with the current page marked.
fn items(current: &Page) -> Vec<Item> {
    let lines = pages::CONTENTS.iter().map(|line| match line {
        Line::Part(title) => Item::Part(title),
        Line::Entry(Entry { depth, title, page }) => {
            Item::Entry { depth: *depth, title, address: page.address(), is_current: page.path == current.path }
        }
    });
    lines.collect()
}

/// The pages before and after this one.
fn neighbours(current: &Page) -> (Option<Neighbour>, Option<Neighbour>) {
    let entries: Vec<_> = pages::entries().collect();
    let Some(index) = entries.iter().position(|entry| entry.page.path == current.path) else { return (None, None) };
    let neighbour = |entry: &&Entry| Neighbour { address: entry.page.address(), title: entry.title };
    let previous = index.checked_sub(1).and_then(|index| entries.get(index));
    (previous.map(neighbour), entries.get(index + 1).map(neighbour))
}

#[cfg(test)]
mod tests {
    use askama::Template;

    use super::{address_of, anchor, article, document};
    use crate::guide::pages::{PAGES, at, named};

    #[test]
    fn a_link_to_a_file_of_the_book_leads_to_its_page() {
        let page = named("webhooks").unwrap();
        assert_eq!(address_of(page, "api.md#errors").as_deref(), Some("/docs/guide/api#errors"));
        assert_eq!(address_of(page, "../glossary.md").as_deref(), Some("/docs/guide/glossary"));
        assert_eq!(address_of(page, "../../SECURITY.md").as_deref(), Some("/docs/guide/security"));
        assert_eq!(address_of(page, "introduction.md").as_deref(), Some("/docs/guide"));
        assert_eq!(address_of(page, "../../openapi/openapi.json").as_deref(), Some("/openapi.json"));
    }

    #[test]
    fn a_link_to_a_file_that_is_not_served_is_plain_text() {
        assert_eq!(address_of(named("webhooks").unwrap(), "../examples/Caddyfile"), None);
    }

    #[test]
    fn an_anchor_is_the_one_that_code_hosts_make() {
        assert_eq!(anchor("Errors, pages & `asOf`: the API"), "errors-pages--asof-the-api");
    }

    #[test]
    fn every_page_has_a_title_and_a_description_and_no_link_to_a_file() {
        for page in PAGES {
            let article = article(page);
            assert!(!article.title.is_empty() && !article.description.is_empty(), "{}", page.path);
            assert!(!article.html.contains(".md\"") && !article.html.contains(".md#"), "{}", page.path);
        }
    }

    #[test]
    fn a_page_names_its_neighbours_and_marks_itself() {
        let html = document(at("docs/guide/tour.md").unwrap(), "https://build.example").render().unwrap();
        assert!(html.contains("<a href=\"/docs/guide/tour\" aria-current=\"page\">"), "{html}");
        assert!(html.contains("<link rel=\"canonical\" href=\"https://build.example/docs/guide/tour\">"), "{html}");
        assert!(html.contains("<a href=\"/docs/guide\" rel=\"prev\">← "), "{html}");
    }
}
