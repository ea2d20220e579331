//! Markdown of agents and people as HTML. It is untrusted: HTML in it is shown as text, pictures become links, and what the parser
//! makes is sanitised again.

use std::{collections::HashSet, fmt, sync::LazyLock};

use ammonia::{Builder, UrlRelative};
use askama::filters::HtmlSafe;
use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

/// The bytes of texts that one page shows whole.
const WHOLE_MAX: usize = 100_000;
/// The characters that are shown of each further text.
const BEGINNING: usize = 500;

/// Sanitised HTML.
#[derive(Debug)]
pub(crate) struct Markdown(String);

impl fmt::Display for Markdown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Ammonia made it, with the elements of [`SANITISER`] alone.
impl HtmlSafe for Markdown {}

/// Renders the texts of one page within a bound.
#[derive(Debug)]
pub(crate) struct Renderer {
    left: usize,
}

impl Renderer {
    /// The renderer of a page.
    pub(crate) fn new() -> Self {
        Self { left: WHOLE_MAX }
    }

    /// Renders a text, or its beginning if the page shows too much already; the latter is `true` if something is left out.
    pub(crate) fn render(&mut self, text: &str) -> (Markdown, bool) {
        if text.len() <= self.left {
            self.left -= text.len();
            return (markdown(text), false);
        }
        match text.char_indices().nth(BEGINNING) {
            Some((end, _)) => (markdown(&format!("{}…", &text[..end])), true),
            None => (markdown(text), false),
        }
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
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut unsafe_html = String::new();
    html::push_html(&mut unsafe_html, Parser::new_ext(text, options).map(shown));
    Markdown(SANITISER.clean(&unsafe_html).to_string())
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

    #[test]
    fn a_page_shows_only_the_beginning_of_texts_beyond_its_bound() {
        let mut renderer = Renderer::new();
        let long = "word ".repeat(WHOLE_MAX / 10);
        assert!(!renderer.render(&long).1);
        assert!(!renderer.render(&long).1);
        let (html, is_shortened) = renderer.render(&long);
        assert!(is_shortened && html.to_string().len() < 2 * BEGINNING);
        assert!(!renderer.render("short").1);
    }
}
