//! Texts on one line: names and excerpts for the summaries of events, and for suggestions.

use unicode_segmentation::UnicodeSegmentation;

/// The maximum number of quoted characters of a text.
pub const EXCERPT: usize = 80;

/// The text on one line: each run of white space and control characters becomes one space.
pub fn line(text: &str) -> String {
    text.split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The beginning of the text on one line.
pub fn excerpt(text: &str) -> String {
    // Cut before normalizing: later characters cannot be part of the excerpt, and most texts are much longer.
    let begin: String = text.chars().take(EXCERPT * 4).collect();
    let line = line(&begin);
    let cut = cut(&line, EXCERPT);
    if cut.len() < line.len() || begin.len() < text.len() { format!("{}…", cut.trim_end()) } else { line }
}

/// The beginning of the text with at most this number of characters, which ends between two characters as readers see them (UAX #29,
/// extended grapheme clusters): no emoji loses its parts, no letter its marks.
pub fn cut(text: &str, most: usize) -> &str {
    let Some((limit, _)) = text.char_indices().nth(most) else { return text };
    // The end of a cluster is known at the first character of the next one.
    let ends = text.grapheme_indices(true).map(|(start, _)| start).take_while(|start| *start <= limit);
    &text[..ends.last().unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn white_space_and_control_characters_become_one_space() {
        assert_eq!(line(" Sign\r\n\tevery\u{0} push\u{2003}"), "Sign every push");
        assert_eq!(line("\n"), "");
    }

    #[test]
    fn a_text_is_cut_after_eighty_characters() {
        let (fits, longer) = ("ü".repeat(EXCERPT), "ü".repeat(EXCERPT + 1));
        assert_eq!((excerpt(&fits), excerpt(&longer)), (fits.clone(), format!("{fits}…")));
        let words = excerpt(&"word ".repeat(1000));
        assert!(words.ends_with("word…") && words.chars().count() <= EXCERPT + 1, "{words}");
    }

    #[test]
    fn a_text_that_continues_after_white_space_is_marked_as_cut() {
        let spaced = format!("a{}b", " ".repeat(EXCERPT * 4));
        assert_eq!((excerpt(&spaced), excerpt("a b")), ("a…".into(), "a b".into()));
    }

    #[test]
    fn a_cut_splits_no_character_that_readers_see() {
        for (text, most, begin) in [
            ("👩🏽‍🚀👩🏽‍🚀", 7, "👩🏽‍🚀"),
            ("a👨‍👩‍👧‍👦", 3, "a"),
            ("🇰🇷🇰🇷", 3, "🇰🇷"),
            ("e\u{301}e\u{301}", 3, "e\u{301}"),
            ("नि", 1, ""),
            ("abc", 2, "ab"),
            ("abc", 3, "abc"),
            ("", 1, ""),
        ] {
            assert_eq!(cut(text, most), begin, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_cut_is_a_beginning_of_whole_characters(text in any::<String>(), most in 0_usize..20) {
            let begin = cut(&text, most);
            prop_assert!(text.starts_with(begin) && begin.chars().count() <= most);
            prop_assert!(begin == text || text.grapheme_indices(true).any(|(start, _)| start == begin.len()));
        }

        #[test]
        fn an_excerpt_is_one_line(text in any::<String>()) {
            let excerpt = excerpt(&text);
            prop_assert!(!excerpt.chars().any(char::is_control));
            prop_assert!(excerpt.chars().count() <= EXCERPT + 1);
        }
    }
}
