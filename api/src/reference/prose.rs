//! Descriptions of the OpenAPI document as HTML.

use std::fmt;

use askama::filters::HtmlSafe;
use pulldown_cmark::{Event, Parser, html};

/// A description as HTML, in the language of the document.
#[derive(Debug, Default)]
pub(crate) struct Prose(String);

impl Prose {
    /// Renders Markdown of the document. What looks like HTML is text, such as `<token>`.
    pub(super) fn of(markdown: &str) -> Self {
        let events = Parser::new(markdown).map(|event| match event {
            Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
            event => event,
        });
        let mut rendered = String::new();
        html::push_html(&mut rendered, events);
        if rendered.is_empty() {
            Self(rendered)
        } else {
            Self(format!("<div lang=\"en\">{}</div>", rendered.trim_end()))
        }
    }
}

impl fmt::Display for Prose {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Texts of this repository alone are rendered, and HTML in them is escaped.
impl HtmlSafe for Prose {}

/// A text for HTML, in an element or in an attribute with double quotes.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::Prose;

    #[test]
    fn a_description_has_code_and_no_html_of_its_own() {
        let shown = Prose::of("Send it as `Bearer <token>`, <b>never</b> twice.").to_string();
        let expected = "<div lang=\"en\"><p>Send it as <code>Bearer &lt;token&gt;</code>, &lt;b&gt;never&lt;/b&gt; twice.</p></div>";
        assert_eq!(shown, expected);
        assert_eq!(Prose::of("").to_string(), "");
    }
}
