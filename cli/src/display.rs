//! Texts of others for people and for programs. **Invariant:** they reach a terminal without control characters.

use serde_json::Value;

/// The characters of a text that a line shows.
const LINE_MAX: usize = 160;

/// A JSON document in one line. Control characters that JSON allows in texts are escaped too.
pub(crate) fn json_line(document: &Value) -> String {
    let line = document.to_string();
    if !line.chars().any(is_unsafe) {
        return line;
    }
    // Such a character occurs within strings only.
    let escaped = |letter| if is_unsafe(letter) { format!("\\u{:04x}", u32::from(letter)) } else { letter.to_string() };
    line.chars().map(escaped).collect()
}

/// A text for a terminal: characters that control it, or that change the direction of text, are replaced.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .map(|letter| if is_unsafe(letter) && letter != '\n' && letter != '\t' { '\u{fffd}' } else { letter })
        .collect()
}

/// A text in one line, shortened.
pub(crate) fn in_one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let line = clean(&words.join(" "));
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
        Some(Value::String(text)) => clean(text),
        Some(value) => clean(&value.to_string()),
    }
}

fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_text_controls_the_terminal() {
        assert_eq!(clean("a\u{1b}[31mb\u{9b}c\u{202e}d\ne"), "a\u{fffd}[31mb\u{fffd}c\u{fffd}d\ne");
        assert_eq!(in_one_line("one\r\n  two\tthree"), "one two three");
        assert_eq!(in_one_line(&"é".repeat(500)).chars().count(), LINE_MAX);
    }

    #[test]
    fn json_stays_the_same_document_without_control_characters() {
        let document = json!({ "text": "a\u{9b}b\u{202e}c\nd 🤝" });
        let line = json_line(&document);
        assert!(!line.chars().any(is_unsafe), "{line}");
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), document);
    }

    #[test]
    fn members_are_texts() {
        let document = json!({ "a": { "b": 3, "c": null, "d": "x" } });
        assert_eq!([member(&document, "/a/b"), member(&document, "/a/c"), member(&document, "/a/d")], ["3", "", "x"]);
        assert_eq!(member(&document, "/e"), "");
    }
}
