//! Whether a document matches a query, and how well.

use super::{Query, Term};

/// The bonus of a word in the title.
const IN_TITLE: usize = 500;

impl Query {
    /// The relevance of a document, above zero and greater for a better match; `None` if it does not match. See [`super::document`].
    ///
    /// The frequency of each term, divided by the text's length, plus a bonus for terms in the title.
    pub fn score(&self, document: &str) -> Option<i64> {
        if self.unwanted().iter().any(|term| document.contains(&term.needle())) {
            return None;
        }
        let title = document.find('\n').unwrap_or(document.len());
        let length = document.chars().count() / 1000;
        let of_term = |term: &Term| {
            let needle = term.needle();
            let mut occurrences = document.match_indices(&*needle);
            let (first, _) = occurrences.next()?;
            let often = 1 + occurrences.count();
            Some(1000 * often / (often + 1 + length) + if first < title { IN_TITLE } else { 0 })
        };
        let score: Option<usize> = self.wanted().iter().map(of_term).sum();
        score.map(|score| i64::try_from(score).unwrap_or(i64::MAX).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::document;

    fn score(query: &str, title: &str, text: &str) -> Option<i64> {
        Query::parse(query).unwrap().score(&document(title, &[text]))
    }

    #[test]
    fn frequent_words_and_words_in_the_title_rank_first() {
        assert_eq!(score("push", "", "push"), Some(500));
        assert_eq!(score("push", "", "push push"), Some(666));
        assert_eq!(score("push", "Push", ""), Some(1000));
        assert_eq!(score("push", "", &format!("push{}", " x".repeat(1000))), Some(200));
        assert_eq!(score("push poll", "", "push"), None);
        assert_eq!(score("push -poll", "", "push poll"), None);
    }

    #[test]
    fn a_word_counts_once_however_often_the_query_repeats_it() {
        let (repeated, text) = ("push ".repeat(16), "push pushing");
        assert_eq!(score(&repeated, "", text), score("\"push\"", "", text));
        assert_eq!(score("push PUSH pushing -x -X", "", "push pushing"), score("push pushing -x", "", "push pushing"));
    }
}
