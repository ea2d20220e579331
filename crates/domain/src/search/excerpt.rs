//! Search excerpts: the part of a text around its first match, with the matches marked.

use super::{
    Query, Term,
    words::{Word, words},
};

/// The number of characters in an excerpt, and before its first match.
const LENGTH: usize = 240;
const BEFORE: usize = 60;

/// A part of an excerpt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The text as written.
    pub text: String,
    /// Whether it matches the query.
    pub is_match: bool,
}

/// The excerpt of a text around its first match (from its beginning if nothing matches), with all matches marked.
pub fn excerpt(text: &str, query: &Query) -> Vec<Part> {
    let matches = matches(text, query);
    let first = matches.first().map_or(0, |(start, _)| *start);
    let begin = text[..first].char_indices().rev().nth(BEFORE - 1).map_or(0, |(index, _)| index);
    let end = text[begin..].char_indices().nth(LENGTH).map_or(text.len(), |(index, _)| begin + index);
    let mut parts = Vec::new();
    let mut put = |text: &str, is_match: bool| {
        if !text.is_empty() {
            parts.push(Part { text: text.to_owned(), is_match });
        }
    };
    put(if begin > 0 { "…" } else { "" }, false);
    let mut done = begin;
    for (start, stop) in matches.into_iter().filter(|(start, _)| *start < end) {
        let stop = stop.min(end);
        put(&text[done..start], false);
        put(&text[start..stop], true);
        done = stop;
    }
    put(&text[done..end], false);
    put(if end < text.len() { "…" } else { "" }, false);
    parts
}

/// The byte ranges of all matches, in order and without overlaps.
fn matches(text: &str, query: &Query) -> Vec<(usize, usize)> {
    let words = words(text);
    let mut found: Vec<_> = query.wanted().iter().flat_map(|term| of_term(&words, term)).collect();
    found.sort_unstable();
    let mut apart: Vec<(usize, usize)> = Vec::with_capacity(found.len());
    for (start, end) in found {
        match apart.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => apart.push((start, end)),
        }
    }
    apart
}

fn of_term<'w>(words: &'w [Word], term: &'w Term) -> impl Iterator<Item = (usize, usize)> {
    words.windows(term.words.len()).filter_map(|window| {
        let (last, before) = window.split_last()?;
        let (asked, asked_before) = term.words.split_last()?;
        let same = before.iter().map(|word| &word.text).eq(asked_before);
        let goes_on = term.open && last.text.starts_with(&**asked);
        if !same || !(goes_on || last.text == *asked) {
            return None;
        }
        // For a pair of characters, mark only the characters that the query contains.
        let end = last.head.filter(|_| last.text != *asked).unwrap_or(last.end);
        window.first().map(|first| (first.start, end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The excerpt with matches in brackets.
    fn shown(text: &str, query: &str) -> String {
        let parts = excerpt(text, &Query::parse(query).unwrap());
        parts.into_iter().map(|part| if part.is_match { format!("[{}]", part.text) } else { part.text }).collect()
    }

    #[test]
    fn matches_are_marked_in_the_original_text() {
        assert_eq!(shown("Push, don't poll. PUSH!", "push"), "[Push], don't poll. [PUSH]!");
        assert_eq!(shown("Push, don't poll.", "\"don't poll\" pu"), "[Push], [don't poll].");
        assert_eq!(shown("Push, don't poll.", "webhooks"), "Push, don't poll.");
        assert_eq!(shown("Webhooks", "webh"), "[Webhooks]");
    }

    #[test]
    fn overlapping_matches_are_marked_once() {
        assert_eq!(shown("Push and poll.", "\"push and\" \"and poll\""), "[Push and poll].");
        assert_eq!(shown("Push and poll.", "push \"push and\""), "[Push and] poll.");
    }

    #[test]
    fn only_the_matching_part_of_a_run_is_marked() {
        assert_eq!(shown("에이전트가 알림을 받는다", "알림"), "에이전트가 [알림]을 받는다");
        assert_eq!(shown("在中国", "中"), "在[中]国");
        assert_eq!(shown("协作平台", "作平台"), "协[作平台]");
    }

    #[test]
    fn a_long_text_is_cut_around_its_first_match() {
        let text = format!("{}push{}", "先 ".repeat(500), " 後".repeat(500));
        let excerpt = shown(&text, "push");
        assert!(excerpt.starts_with("…") && excerpt.contains(" [push] ") && excerpt.ends_with('…'), "{excerpt}");
        assert_eq!(excerpt.chars().count(), LENGTH + 4);
    }

    proptest! {
        #[test]
        fn the_parts_are_a_substring_of_the_text(text in "\\PC{0,400}", query in "\\PC{1,3}") {
            if let Ok(query) = Query::parse(&query) {
                let joined: String = excerpt(&text, &query).into_iter().map(|part| part.text).collect();
                let piece = joined.strip_prefix('…').unwrap_or(&joined);
                let piece = if text.contains(piece) { piece } else { piece.strip_suffix('…').unwrap_or(piece) };
                prop_assert!(text.contains(piece) || text.contains(&joined));
            }
        }
    }
}
