//! Texts of others for people and for programs. **Invariant:** they reach a terminal without control characters.

use buildtrack_terminal::visible;
use serde_json::Value;

/// The characters of a text that a line shows.
const LINE_MAX: usize = 160;

/// A text in one line, shortened.
pub(crate) fn in_one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let line = visible(&words.join(" ")).into_owned();
    if line.chars().count() <= LINE_MAX {
        return line;
    }
    let shortened: String = line.chars().take(LINE_MAX - 1).collect();
    format!("{shortened}…")
}

/// A member of a document as a text for a terminal; empty if it is missing.
pub(crate) fn member(document: &Value, pointer: &str) -> String {
    match document.pointer(pointer) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => visible(text).into_owned(),
        Some(value) => visible(&value.to_string()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_is_short_and_controls_no_terminal() {
        assert_eq!(in_one_line("one\r\n  two\tthree"), "one two three");
        assert_eq!(in_one_line("a\u{1b}[31mb\u{202e}"), "a\\u{1b}[31mb\\u{202e}");
        assert_eq!(in_one_line(&"é".repeat(500)).chars().count(), LINE_MAX);
    }

    #[test]
    fn members_are_texts() {
        let document = json!({ "a": { "b": 3, "c": null, "d": "x" } });
        assert_eq!([member(&document, "/a/b"), member(&document, "/a/c"), member(&document, "/a/d")], ["3", "", "x"]);
        assert_eq!(member(&document, "/e"), "");
    }
}
