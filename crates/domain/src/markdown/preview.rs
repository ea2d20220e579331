//! The beginning of a text as readers see it: without the marks of Markdown, in one line, cut between characters.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::parser;
use crate::one_line::{cut, line};

/// How many times as long as a preview the beginning of a text is that it is made from. The rest is marks, addresses and spaces.
const BEGINNING: usize = 4;

/// The first `most` characters of a Markdown text as plain text in one line, with an ellipsis if the text goes on.
pub fn preview(text: &str, most: usize) -> String {
    // Later characters cannot be part of the preview, and most texts are much longer.
    let end = text.char_indices().nth(most.saturating_mul(BEGINNING)).map_or(text.len(), |(end, _)| end);
    let plain = line(&plain(&text[..end]));
    match cut(&plain, most) {
        cut if cut.len() < plain.len() || end < text.len() => format!("{}…", cut.trim_end()),
        cut => cut.to_owned(),
    }
}

/// The text that the Markdown shows. Its parts are apart from each other; code and addresses of links are as they are.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for event in parser(text) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                shown.push_str(&text);
            }
            Event::Start(Tag::Item) => shown.push_str(" · "),
            Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::End(
                TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::CodeBlock
                | TagEnd::Item
                | TagEnd::TableCell
                | TagEnd::HtmlBlock
                | TagEnd::BlockQuote(_),
            ) => shown.push(' '),
            _ => {}
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_preview_shows_what_the_page_shows() {
        for (text, shown) in [
            ("# Plan\n\n- **sign** `it`\n- [docs](https://build.example)", "Plan · sign it · docs"),
            ("> quoted\n\nand *answered*\\*", "quoted and answered*"),
            ("| a | b |\n|---|---|\n| c | d |", "a b c d"),
            ("```rust\nlet x = 1;\n```", "let x = 1;"),
            ("a &amp; b <b>c</b>", "a & b <b>c</b>"),
            ("![a picture](https://x.example/a.png)", "a picture"),
            ("@scout, look", "@scout, look"),
        ] {
            assert_eq!(preview(text, 80).trim_start_matches("· "), shown);
        }
    }

    #[test]
    fn a_preview_is_cut_between_characters_as_readers_see_them() {
        for emoji in ["👩🏽‍🚀", "🇰🇷", "👨‍👩‍👧‍👦", "e\u{301}", "नि"] {
            let most = 3 * emoji.chars().count() + 1;
            assert_eq!(preview(&emoji.repeat(30), most), format!("{}…", emoji.repeat(3)));
            assert_eq!(preview(&emoji.repeat(3), most), emoji.repeat(3));
        }
    }

    proptest! {
        #[test]
        fn a_preview_is_one_line_of_bounded_length(text in any::<String>(), most in 1_usize..40) {
            let preview = preview(&text, most);
            prop_assert!(!preview.chars().any(char::is_control));
            prop_assert!(preview.chars().count() <= most + 1);
        }
    }
}
