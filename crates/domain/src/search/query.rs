//! Search queries: words, phrases and exclusions.

use super::words::{Word, push, words};

/// The maximum number of characters in a query.
pub const TEXT_MAX: usize = 200;
/// The maximum number of words, phrases and exclusions in a query.
pub const TERMS_MAX: usize = 16;

/// The reason why a query is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The query is empty.
    #[error("the query is empty")]
    Empty,
    /// The query has more than [`TEXT_MAX`] characters.
    #[error("the query has more than {TEXT_MAX} characters")]
    TooLong,
    /// The query has more than [`TERMS_MAX`] words, phrases and exclusions.
    #[error("the query has more than {TERMS_MAX} words and phrases")]
    TooManyTerms,
    /// A phrase has no closing quotation mark.
    #[error("a quotation mark is not closed")]
    OpenQuote,
    /// The query has only punctuation: no letters, numbers or symbols.
    #[error("the query holds no word")]
    NoWords,
    /// The query has only exclusions.
    #[error("the query has only exclusions")]
    OnlyExclusions,
}

/// A word or phrase: a sequence of consecutive words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub(super) words: Vec<String>,
    /// Whether the last word matches as a prefix.
    pub(super) open: bool,
}

impl Term {
    /// The needle: a document that contains it contains the term; see [`super::document`].
    pub fn needle(&self) -> String {
        let mut needle = String::new();
        for (index, word) in self.words.iter().enumerate() {
            push(&mut needle, word);
            if !self.open || index + 1 < self.words.len() {
                needle.push(' ');
            }
        }
        needle
    }

    /// Whether the last word matches as a prefix.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Parses a term; `None` if it has no words.
    fn of(text: &str, may_go_on: bool) -> Option<Self> {
        let mut found: Vec<_> = words(text).collect();
        // In a run that already ends with a pair, the single last character is redundant.
        if found.last().is_some_and(|last| last.tail) {
            found.pop();
        }
        let last = found.last()?;
        let open = is_alone(last) || may_go_on && last.head.is_none();
        Some(Self { words: found.into_iter().map(|word| word.text).collect(), open })
    }
}

/// The terms without repeats, so that a term costs and counts once.
fn distinct(terms: Vec<Term>) -> Vec<Term> {
    let mut distinct: Vec<Term> = Vec::with_capacity(terms.len());
    for term in terms {
        // A text with the word also has a word that begins with it.
        match distinct.iter_mut().find(|known| known.words == term.words) {
            Some(known) => known.open &= term.open,
            None => distinct.push(term),
        }
    }
    distinct
}

/// One character of a script without spaces, which is found by the pairs that begin with it.
fn is_alone(word: &Word) -> bool {
    word.head == Some(word.end)
}

/// A parsed query. A document matches if it contains all wanted terms and no unwanted one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    wanted: Vec<Term>,
    unwanted: Vec<Term>,
}

impl Query {
    /// Parses words, `"phrases"` and `-exclusions`, separated by white space. The last word matches as a prefix.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(QueryError::Empty);
        }
        if text.chars().count() > TEXT_MAX {
            return Err(QueryError::TooLong);
        }
        let mut query = Self { wanted: vec![], unwanted: vec![] };
        let mut rest = text;
        while !rest.is_empty() {
            let (excluded, from) = rest.strip_prefix('-').map_or((false, rest), |from| (true, from));
            let term;
            if let Some(quoted) = from.strip_prefix('"') {
                let (phrase, after) = quoted.split_once('"').ok_or(QueryError::OpenQuote)?;
                (term, rest) = (Term::of(phrase, false), after);
            } else {
                let (word, after) = from.split_once(char::is_whitespace).unwrap_or((from, ""));
                (term, rest) = (Term::of(word, !excluded && after.is_empty()), after);
            }
            (if excluded { &mut query.unwanted } else { &mut query.wanted }).extend(term);
            rest = rest.trim_start();
        }
        match query {
            Self { wanted, unwanted } if wanted.is_empty() && unwanted.is_empty() => Err(QueryError::NoWords),
            Self { wanted, .. } if wanted.is_empty() => Err(QueryError::OnlyExclusions),
            Self { wanted, unwanted } if wanted.len() + unwanted.len() > TERMS_MAX => Err(QueryError::TooManyTerms),
            Self { wanted, unwanted } => Ok(Self { wanted: distinct(wanted), unwanted: distinct(unwanted) }),
        }
    }

    /// The terms that a document must contain.
    pub fn wanted(&self) -> &[Term] {
        &self.wanted
    }

    /// The terms that a document must not contain.
    pub fn unwanted(&self) -> &[Term] {
        &self.unwanted
    }

    /// Whether a document that has all of [`Self::words`] matches: the query has no phrases and no exclusions.
    pub fn has_only_words(&self) -> bool {
        self.unwanted.is_empty() && self.wanted.iter().all(|term| term.words.len() == 1)
    }

    /// The wanted words without duplicates, each with whether it matches as a prefix. For a word index.
    pub fn words(&self) -> Vec<(&str, bool)> {
        let of_term = |term: &Term| term.words.len();
        let mut words: Vec<_> = self
            .wanted
            .iter()
            .flat_map(|term| {
                let last = of_term(term) - 1;
                term.words.iter().enumerate().map(move |(index, word)| (&**word, term.open && index == last))
            })
            .collect();
        words.sort_unstable();
        words.dedup();
        words
    }
}

#[cfg(test)]
mod tests {
    use super::{super::document, *};
    use proptest::prelude::*;

    /// Whether a document matches the query.
    fn finds(query: &str, title: &str, text: &str) -> bool {
        Query::parse(query).unwrap().score(&document(title, &[text])).is_some()
    }

    #[test]
    fn all_words_must_match_and_the_last_one_matches_as_a_prefix() {
        assert!(finds("push webh", "Webhooks", "Push, don't poll"));
        assert!(!finds("webh push", "Webhooks", "Push, don't poll"));
        assert!(!finds("poll webhooks agents", "Webhooks", "Push, don't poll"));
    }

    #[test]
    fn a_phrase_matches_consecutive_words() {
        assert!(finds("\"don't poll\"", "", "Push, don't poll!"));
        assert!(!finds("\"push poll\"", "", "Push, don't poll!"));
        // A phrase neither spans title and text nor matches half a word.
        assert!(!finds("\"webhooks push\"", "Webhooks", "Push"));
        assert!(!finds("\"don't po\"", "", "Push, don't poll!"));
        assert!(finds("webhook_url", "", "the webhook-url is") && !finds("webhook_url", "", "url of a webhook"));
    }

    #[test]
    fn excluded_words_must_not_occur() {
        assert!(!finds("push -poll", "", "Push, don't poll"));
        assert!(finds("push -pol", "", "Push, don't poll"));
        assert!(!finds("-\"don't poll\" push", "", "Push, don't poll"));
        // A hyphen within a word is not an exclusion.
        assert!(finds("real-time", "", "in real time"));
    }

    #[test]
    fn a_query_of_single_words_is_decided_by_its_words() {
        let has_only_words = |query: &str| Query::parse(query).unwrap().has_only_words();
        assert!(has_only_words("push") && has_only_words("push \"poll\" webh"));
        for query in ["\"don't poll\"", "real-time", "push -poll", "협작평대"] {
            assert!(!has_only_words(query), "{query}");
        }
    }

    #[test]
    fn any_part_of_a_run_is_found() {
        for query in ["에이전트", "이전트가", "전", "트", "가", "에이전트가 알림"] {
            assert!(finds(query, "", "에이전트가 알림을 받는다"), "{query}");
        }
        for query in ["에전", "알에", "림에이", "받는다가"] {
            assert!(!finds(query, "", "에이전트가 알림을 받는다"), "{query}");
        }
        assert!(finds("台", "", "协作平台") && finds("平台a", "", "协作平台API") && !finds("协台", "", "协作平台"));
        assert!(finds("\"中\"", "", "在中国") && !finds("国中", "", "在中国"));
    }

    #[test]
    fn each_invalid_query_has_its_own_error() {
        let long = "x".repeat(TEXT_MAX + 1);
        let many = "a ".repeat(TERMS_MAX + 1);
        let refused = [
            ("  ", QueryError::Empty),
            (&*long, QueryError::TooLong),
            (&*many, QueryError::TooManyTerms),
            ("push \"poll", QueryError::OpenQuote),
            ("\"…\" & -!", QueryError::NoWords),
            ("-poll", QueryError::OnlyExclusions),
        ];
        for (text, error) in refused {
            assert_eq!(Query::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn the_index_words_have_no_duplicates() {
        let query = Query::parse("push \"push poll\" -webhook 协作 pus").unwrap();
        assert_eq!(query.words(), [("poll", false), ("pus", true), ("push", false), ("协作", false)]);
    }

    proptest! {
        #[test]
        fn every_word_of_a_text_finds_the_text(
            text in prop::collection::vec("[a-zé\u{301}\u{fe0f}🚀①에이전트각\u{1100}\u{1161}中協作ーバ_'.\" -]{1,12}|\\PC{1,6}", 1..8)
        ) {
            let text = text.join(" ");
            for word in text.split_whitespace() {
                let quoted = format!("\"{}\"", word.replace('"', " "));
                for query in [word, &*quoted] {
                    if let Ok(known) = Query::parse(query) && known.unwanted().is_empty() {
                        prop_assert!(finds(query, "", &text), "{query:?} in {text:?}");
                    }
                }
            }
        }
    }
}
