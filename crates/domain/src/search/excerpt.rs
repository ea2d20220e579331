//! Search excerpts: the part of a text around its first match, with the matches marked.
//!
//! **Invariant:** a text is read only as far as its excerpt goes, and the excerpts of one answer together read a bounded number of bytes.

use std::{cell::Cell, collections::VecDeque};

use super::{
    Query, Term,
    words::{Word, Words},
};

/// The number of characters in an excerpt, and before its first match.
const LENGTH: usize = 240;
const BEFORE: usize = 60;
/// How many bytes of its texts an answer reads to find the first matches. The texts that come later are read only up to [`SCANNED_MIN`].
pub const SCANNED_MAX: usize = 512 * 1024;
/// How many bytes of each text are read at least.
const SCANNED_MIN: usize = 1024;

/// A part of an excerpt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The text as written.
    pub text: String,
    /// Whether it matches the query.
    pub is_match: bool,
}

/// The excerpts of one answer.
#[derive(Debug)]
pub struct Excerpts<'q> {
    query: &'q Query,
    /// How many bytes may still be read.
    left: Cell<usize>,
}

impl<'q> Excerpts<'q> {
    /// The excerpts for the matches of a query.
    pub fn new(query: &'q Query) -> Self {
        Self { query, left: Cell::new(SCANNED_MAX) }
    }

    /// The excerpt of a text around its first match, with all matches marked. From its beginning if nothing matches as far as the
    /// text is read.
    pub fn of(&self, text: &str) -> Vec<Part> {
        let (matches, read) = matches(text, self.query, self.left.get().max(SCANNED_MIN));
        self.left.set(self.left.get().saturating_sub(read));
        parts(text, matches)
    }
}

fn parts(text: &str, matches: Vec<(usize, usize)>) -> Vec<Part> {
    let begin = matches.first().map_or(0, |(start, _)| begin(text, *start));
    let end = end(text, begin);
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

/// Where the excerpt around a first match begins.
fn begin(text: &str, first: usize) -> usize {
    text[..first].char_indices().rev().nth(BEFORE - 1).map_or(0, |(index, _)| index)
}

/// Where the excerpt that begins here ends.
fn end(text: &str, begin: usize) -> usize {
    text[begin..].char_indices().nth(LENGTH).map_or(text.len(), |(index, _)| begin + index)
}

/// The byte ranges of the matches, in order and without overlaps, up to the end of the excerpt around the first; and how many bytes
/// were read, at most `limit` and the rest of a character with its marks.
fn matches(text: &str, query: &Query, limit: usize) -> (Vec<(usize, usize)>, usize) {
    let longest = query.wanted().iter().map(|term| term.words.len()).max().unwrap_or(1);
    let mut words = Words::within(text, limit);
    let mut recent: VecDeque<Word> = VecDeque::with_capacity(longest);
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut last = text.len();
    for word in words.by_ref() {
        if recent.len() == longest {
            recent.pop_front();
        }
        recent.push_back(word);
        let before = found.len();
        found.extend(query.wanted().iter().filter_map(|term| ends_here(&recent, term)));
        if before == 0
            && let Some(first) = found.iter().map(|(start, _)| *start).min()
        {
            last = end(text, begin(text, first));
        }
        // A phrase that begins within the excerpt may end beyond it.
        if recent.len() == longest && recent.front().is_some_and(|word| word.start >= last) {
            break;
        }
    }
    (apart(found), words.read())
}

/// The range of a term whose last word is the most recent one.
fn ends_here(recent: &VecDeque<Word>, term: &Term) -> Option<(usize, usize)> {
    let (last, from) = (recent.back()?, recent.len().checked_sub(term.words.len())?);
    let (asked, asked_before) = term.words.split_last()?;
    let is_last = last.text == *asked || term.open && last.text.starts_with(&**asked);
    let before = recent.range(from..recent.len() - 1).map(|word| &word.text);
    if !is_last || !before.eq(asked_before) {
        return None;
    }
    // For a pair of characters, mark only the characters that the query contains.
    let end = last.head.filter(|_| last.text != *asked).unwrap_or(last.end);
    recent.get(from).map(|first| (first.start, end))
}

/// The ranges in order, those that overlap as one.
fn apart(mut found: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The excerpt with matches in brackets.
    fn shown(text: &str, query: &str) -> String {
        let query = Query::parse(query).unwrap();
        let parts = Excerpts::new(&query).of(text);
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

    #[test]
    fn matches_are_marked_where_folding_changes_the_length() {
        assert_eq!(shown("Die Straße, die STRASSE.", "strasse"), "Die [Straße], die [STRASSE].");
        assert_eq!(shown("Ἡ ὁδός!", "οδος"), "Ἡ [ὁδός]!");
        assert_eq!(shown("«שָׁלוֹם»", "שלום"), "«[שָׁלוֹם]»");
    }

    #[test]
    fn a_text_is_read_only_as_far_as_its_excerpt_goes() {
        let (query, text) = (Query::parse("push").unwrap(), format!("push {}", "poll ".repeat(20_000)));
        let (found, read) = matches(&text, &query, SCANNED_MAX);
        assert_eq!(found, [(0, 4)]);
        assert!(read <= LENGTH + 10, "{read}");
    }

    #[test]
    fn the_excerpts_of_one_answer_read_a_bounded_number_of_bytes() {
        let (query, text) = (Query::parse("push").unwrap(), format!("{}push", "poll ".repeat(20_000)));
        let excerpts = Excerpts::new(&query);
        let is_marked = |text: &str| excerpts.of(text).iter().any(|part| part.is_match);
        let marked = (0..200).take_while(|_| is_marked(&text)).count();
        assert_eq!(marked, SCANNED_MAX / text.len());
        assert_eq!(excerpts.left.get(), 0);
        assert!(is_marked(&format!("{}push", "poll ".repeat(200))) && !is_marked(&text));
        // No half of a word is marked at the end of what is read.
        assert!(!is_marked(&format!("{}pushing", "x".repeat(SCANNED_MIN - 4))));
        assert!(!is_marked(&format!("{} pushing", "x".repeat(SCANNED_MIN - 5))));
    }

    proptest! {
        #[test]
        fn the_parts_are_a_substring_of_the_text(text in "\\PC{0,400}", query in "\\PC{1,3}") {
            if let Ok(query) = Query::parse(&query) {
                let joined: String = Excerpts::new(&query).of(&text).into_iter().map(|part| part.text).collect();
                let piece = joined.strip_prefix('…').unwrap_or(&joined);
                let piece = if text.contains(piece) { piece } else { piece.strip_suffix('…').unwrap_or(piece) };
                prop_assert!(text.contains(piece) || text.contains(&joined));
            }
        }
    }
}
