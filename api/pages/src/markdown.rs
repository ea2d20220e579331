//! Markdown of agents and people as HTML. It is untrusted: HTML in it is shown as text, pictures become links, and what the parser
//! makes is sanitised again.
//!
//! **Invariant:** a text is rendered once a version, on the threads for long work, and only within the limits of
//! [`check`]. A text from before these limits, and the rest of a page that shows too much, is plain text.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{Arc, LazyLock},
    time::Duration,
};

use ammonia::{Builder, UrlRelative};
use askama::filters::HtmlSafe;
use buildtrack_domain::markdown::{HTML_MAX, check, parser, preview};
use buildtrack_http::{app::App, problem::Problem};
use moka::sync::Cache;
use pulldown_cmark::{Event, HeadingLevel, LinkType, Tag, TagEnd, html};
use sha2::{Digest, Sha256};

/// The bytes of texts that one page shows whole.
const WHOLE_MAX: usize = 100_000;
/// The bytes of HTML that a page shows of texts, beside the beginnings of others. Each text that commands accept fits.
const PAGE_HTML_MAX: usize = HTML_MAX;
/// The same for a feed, in which the HTML is escaped once more.
const FEED_HTML_MAX: usize = 128 * 1024;
/// The characters that are shown of each further text.
const BEGINNING: usize = 500;
/// The bytes of HTML that are kept for the next reader.
const RENDERED_MAX: u64 = 16 * 1024 * 1024;
/// How long they are kept: the HTML of a text that is redacted leaves the memory after this time.
const RENDERED_FOR: Duration = Duration::from_mins(10);
/// What an entry occupies beside its HTML.
const ENTRY: usize = 200;

/// Sanitised HTML.
#[derive(Debug, Clone)]
pub struct Markdown(Arc<str>);

impl fmt::Display for Markdown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Ammonia made it, with the elements of [`SANITISER`] alone, or it is an escaped text.
impl HtmlSafe for Markdown {}

/// The HTML of texts, by their digest.
static RENDERED: LazyLock<Cache<[u8; 32], Arc<str>>> = LazyLock::new(|| {
    let weight = |_: &[u8; 32], html: &Arc<str>| u32::try_from(html.len() + ENTRY).unwrap_or(u32::MAX);
    Cache::builder().weigher(weight).max_capacity(RENDERED_MAX).time_to_live(RENDERED_FOR).build()
});

/// The texts of one page, rendered within its bounds.
#[derive(Debug)]
pub struct Renderer {
    rendered: HashMap<String, Arc<str>>,
    left: usize,
}

impl Renderer {
    /// Renders the texts of a page, in the order in which the page shows them.
    pub async fn of_page<'t>(app: &App, texts: impl IntoIterator<Item = &'t str>) -> Result<Self, Problem> {
        Self::of(app, PAGE_HTML_MAX, texts).await
    }

    /// Renders the texts of a feed.
    pub async fn of_feed<'t>(app: &App, texts: impl IntoIterator<Item = &'t str>) -> Result<Self, Problem> {
        Self::of(app, FEED_HTML_MAX, texts).await
    }

    async fn of<'t>(app: &App, most: usize, texts: impl IntoIterator<Item = &'t str>) -> Result<Self, Problem> {
        let mut left = WHOLE_MAX;
        let mut whole = |text: &&str| {
            let fits = text.len() <= left;
            left -= if fits { text.len() } else { 0 };
            fits && !text.is_empty()
        };
        let texts: Vec<_> = texts.into_iter().filter(&mut whole).map(|text| (digest(text), text.to_owned())).collect();
        let rendered = if texts.iter().all(|(digest, _)| RENDERED.contains_key(digest)) {
            rendered(texts, most)
        } else {
            app.rendering.run(move || rendered(texts, most)).await?
        };
        Ok(Self { rendered, left: most })
    }

    /// The HTML of a text, or its beginning if the page shows too much already; the latter is `true` if something is left out.
    pub fn render(&mut self, text: &str) -> (Markdown, bool) {
        if let Some(html) = self.rendered.get(text).filter(|html| html.len() <= self.left) {
            self.left -= html.len();
            return (Markdown(Arc::clone(html)), false);
        }
        match text.char_indices().nth(BEGINNING) {
            Some(_) => (Markdown::plain(&preview(text, BEGINNING)), true),
            None => (Markdown::plain(text), false),
        }
    }
}

/// The HTML of each text, until there is too much of it.
fn rendered(texts: Vec<(Key, String)>, most: usize) -> HashMap<String, Arc<str>> {
    let mut left = most;
    let mut rendered = HashMap::new();
    for (digest, text) in texts {
        let html = RENDERED.get(&digest).unwrap_or_else(|| {
            let Markdown(html) = markdown(&text);
            RENDERED.insert(digest, Arc::clone(&html));
            html
        });
        if html.len() > left {
            break;
        }
        left -= html.len();
        rendered.insert(text, html);
    }
    rendered
}

/// The digest of a text. How it is rendered does not change while the process runs.
type Key = [u8; 32];

fn digest(text: &str) -> Key {
    Sha256::digest(text).into()
}

impl Markdown {
    /// A text as it was written, with its lines.
    pub(crate) fn plain(text: &str) -> Self {
        let mut escaped = String::with_capacity(text.len());
        if !text.is_empty() {
            let lines = text.lines().flat_map(|line| [Event::HardBreak, Event::Text(line.into())]).skip(1);
            let paragraph = [Event::Start(Tag::Paragraph)].into_iter().chain(lines);
            html::push_html(&mut escaped, paragraph.chain([Event::End(TagEnd::Paragraph)]));
        }
        Self(escaped.into())
    }
}

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    let tags = [
        "p",
        "br",
        "hr",
        "em",
        "strong",
        "del",
        "code",
        "pre",
        "blockquote",
        "ul",
        "ol",
        "li",
        "a",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "h3",
        "h4",
        "h5",
        "h6",
    ];
    builder
        .tags(HashSet::from(tags))
        .add_tag_attributes("a", ["href", "title"])
        .add_tag_attributes("ol", ["start"])
        // Wide tables and code scroll, which must be possible with the keyboard too.
        .set_tag_attribute_value("pre", "tabindex", "0")
        .set_tag_attribute_value("table", "tabindex", "0")
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("nofollow ugc noopener noreferrer"));
    builder
});

fn markdown(text: &str) -> Markdown {
    if check(text).is_err() {
        return Markdown::plain(text);
    }
    let mut unsafe_html = String::new();
    html::push_html(&mut unsafe_html, parser(text).map(shown));
    Markdown(SANITISER.clean(&unsafe_html).to_string().into())
}

/// An event of the parser, as pages show it.
fn shown(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(written) | Event::InlineHtml(written) => Event::Text(written),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        // The page has headings of its own above.
        Event::Start(Tag::Heading { level, .. }) => {
            Event::Start(Tag::Heading { level: below(level), id: None, classes: vec![], attrs: vec![] })
        }
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(below(level))),
        // A picture would be loaded from its author's server, which would learn who reads.
        Event::Start(Tag::Image { dest_url, title, id, .. }) => {
            Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, title, id })
        }
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        event => event,
    }
}

fn below(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_rendered() {
        let html = markdown("# Plan\n\n- **sign** `it`\n\n[docs](https://build.example)").to_string();
        assert!(html.contains("<h3>Plan</h3>") && html.contains("<strong>sign</strong> <code>it</code>"), "{html}");
        assert!(html.contains("href=\"https://build.example\" rel=\"nofollow ugc noopener noreferrer\""), "{html}");
    }

    #[test]
    fn nothing_that_runs_or_loads_passes() {
        for text in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[a](javascript:alert(1))",
            "[a](data:text/html;base64,x)",
            "[a](//elsewhere.example)",
            "![a](https://elsewhere.example/pixel.png)",
            "<style>*{display:none}</style>",
            "<a href='https://build.example' onclick='x()'>a</a>",
            "**a <iframe src=x></iframe>**",
            "<svg><a xlink:href='javascript:alert(1)'>",
        ] {
            let html = markdown(text).to_string();
            for forbidden in
                ["<script", "<img", "<style", "<iframe", "<svg", "href=\"javascript", "href=\"data", "href=\"//"]
            {
                assert!(!html.contains(forbidden), "{text}: {html}");
            }
        }
    }

    fn page(texts: &[&str], most: usize) -> Renderer {
        let texts = texts.iter().map(|text| (digest(text), (*text).to_owned())).collect();
        Renderer { rendered: rendered(texts, most), left: most }
    }

    #[test]
    fn a_page_shows_only_the_beginning_of_texts_beyond_its_bound() {
        let long = format!("**bold** {}", "word ".repeat(200));
        let mut renderer = page(&[&long, &long, &long], 2500);
        assert!(!renderer.render(&long).1 && !renderer.render(&long).1);
        let (html, is_shortened) = renderer.render(&long);
        let html = html.to_string();
        assert!(is_shortened && html.starts_with("<p>bold word") && html.len() < 2 * BEGINNING, "{html}");
        assert_eq!(renderer.render("<b>*short*").0.to_string(), "<p>&lt;b&gt;*short*</p>\n");
        assert_eq!(renderer.render("").0.to_string(), "");
    }

    #[test]
    fn a_text_beyond_the_limits_is_shown_as_it_was_written() {
        let deep = format!("{}\n<b>", ">".repeat(20_000));
        let html = markdown(&deep).to_string();
        assert_eq!(html, format!("<p>{}<br />\n&lt;b&gt;</p>\n", "&gt;".repeat(20_000)));
    }

    #[test]
    fn the_html_of_texts_is_cached_within_a_bound() {
        let text = "rendered *once* a version";
        let first = page(&[text], 1000).render(text).0;
        let second = page(&[text], 1000).render(text).0;
        assert!(Arc::ptr_eq(&first.0, &second.0));
        for number in 0..400 {
            let html: Arc<str> = "x".repeat(100_000).into();
            RENDERED.insert(digest(&format!("text {number}")), html);
        }
        RENDERED.run_pending_tasks();
        assert!(RENDERED.weighted_size() <= RENDERED_MAX, "{}", RENDERED.weighted_size());
    }
}
