//! Texts of others on a terminal.

use std::{borrow::Cow, fmt::Write as _};

/// How a part of a line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// What a reader looks for first.
    Bold,
    /// What matters less.
    Faint,
}

const BOLD: &str = "\u{1b}[1m";
const FAINT: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

/// A text for a terminal of one or more lines: each character that controls the terminal (C0, C1) or changes the direction of text is
/// escaped, as `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| is_unsafe(letter) && letter != '\n' && letter != '\t', rust)
}

/// The same for a text that is part of a line: it begins no line and no column of its own.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_unsafe, rust)
}

/// The text of a JSON document for a terminal: the same document. Characters that control the terminal, which JSON allows in strings,
/// are escaped too.
pub fn json(document: &str) -> Cow<'_, str> {
    // A line break or a tab is layout: within strings JSON escapes them. All that is escaped has four digits.
    let is_escaped = |letter| is_unsafe(letter) && letter != '\n' && letter != '\t';
    escaped(document, is_escaped, |text, letter| {
        let _ = write!(text, "\\u{:04x}", u32::from(letter));
    })
}

/// A part of a line in a style, for [`print_styled`](crate::print_styled).
pub fn styled(style: Style, text: &str) -> String {
    let begin = match style {
        Style::Bold => BOLD,
        Style::Faint => FAINT,
    };
    format!("{begin}{text}{PLAIN}")
}

/// Like [`visible`], except for the styles of [`styled`].
pub(crate) fn visible_with_styles(text: &str) -> Cow<'_, str> {
    let Some((before, mut rest)) = text.split_once('\u{1b}') else { return visible(text) };
    let mut shown = visible(before).into_owned();
    loop {
        let style = [BOLD, FAINT, PLAIN].into_iter().find(|style| rest.starts_with(&style[1..]));
        match style {
            Some(style) => {
                shown.push_str(style);
                rest = &rest[style.len() - 1..];
            }
            None => rust(&mut shown, '\u{1b}'),
        }
        let Some((text, after)) = rest.split_once('\u{1b}') else { break };
        shown.push_str(&visible(text));
        rest = after;
    }
    shown.push_str(&visible(rest));
    shown.into()
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool, escape: impl Fn(&mut String, char)) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_escaped(letter) { escape(&mut shown, letter) } else { shown.push(letter) }
    }
    shown.into()
}

fn rust(text: &mut String, letter: char) {
    text.extend(letter.escape_unicode());
}

/// Control characters (C0, DEL, C1), the two separators that some programs take for line breaks, and the marks, embeddings, overrides
/// and isolates of the bidirectional algorithm (UAX #9).
fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_controls_the_terminal() {
        assert_eq!(
            visible("a\u{1b}[31mb\u{9b}c\u{202e}d\r\n\te\u{7f}"),
            "a\\u{1b}[31mb\\u{9b}c\\u{202e}d\\u{d}\n\te\\u{7f}"
        );
        assert_eq!(visible_line("one\r\n✓ two\t\u{2028}"), "one\\u{d}\\u{a}✓ two\\u{9}\\u{2028}");
        assert!(matches!(visible("plain é 🤝 שלום"), Cow::Borrowed(_)));
    }

    #[test]
    fn every_character_of_the_three_sets_is_escaped() {
        let controls = (0..=0x1f).chain(0x7f..=0x9f);
        let directions = [0x61c, 0x200e, 0x200f].into_iter().chain(0x202a..=0x202e).chain(0x2066..=0x2069);
        for letter in controls.chain(directions).map(|code| char::from_u32(code).unwrap()) {
            let shown = visible_line(letter.encode_utf8(&mut [0; 4])).into_owned();
            assert!(shown.is_ascii() && shown.starts_with("\\u{") && shown.len() > 4, "{shown:?}");
        }
    }

    #[test]
    fn json_stays_the_same_document() {
        assert_eq!(json("{\n \"a\": \"\u{9b}é\u{202e}\"}"), "{\n \"a\": \"\\u009bé\\u202e\"}");
    }

    #[test]
    fn only_the_programs_own_styles_reach_the_terminal() {
        let line = format!("{} \u{1b}[2J{}\u{9b}1m\u{1b}", styled(Style::Bold, "a"), styled(Style::Faint, "b"));
        let shown = "\u{1b}[1ma\u{1b}[0m \\u{1b}[2J\u{1b}[2mb\u{1b}[0m\\u{9b}1m\\u{1b}";
        assert_eq!(visible_with_styles(&line), shown);
        assert_eq!(visible_with_styles("plain\u{7}"), "plain\\u{7}");
    }
}
