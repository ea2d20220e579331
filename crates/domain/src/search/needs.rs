//! Needs: full sentences that describe a task, and the score of documents by the number of shared words.
//!
//! A [`super::Query`] matches documents with all of its words. A need matches documents with any of its words, and the
//! ones with most words rank first.

use std::collections::BTreeSet;

use super::words::{push, words};

/// The maximum number of words used from a need.
pub const STEMS_MAX: usize = 32;
/// The maximum number of characters used from a need.
const TEXT_MAX: usize = 4000;
/// Stop words: function words of English, and words that occur in every request.
const HOLLOW: &str = " a about all also am an and any are as at be been but by can could did do does document documents for \
     from get give had has have hello help hey hi how i if in into is it its just know let like may me might must my need \
     needs no not of on one or our out please protocol protocols should so some tell than thank thanks that the their them \
     then there these they this those to us use used using via want wants was we were what when where which who whom whose \
     why will wish with would you your ";
/// Word endings that are removed, the longest first.
const ENDINGS: [&str; 7] = ["ies", "ing", "es", "ed", "s", "e", "y"];
/// The minimum number of letters that remain of a word.
const STEM_MIN: usize = 4;

/// The words of a need without their endings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    stems: BTreeSet<String>,
}

impl Need {
    /// Parses sentences.
    pub fn of(text: &str) -> Self {
        let begin: String = text.chars().take(TEXT_MAX).collect();
        let telling = words(&begin).filter(|word| !word.tail && !is_hollow(&word.text));
        let mut stems = BTreeSet::new();
        for word in telling {
            if stems.len() == STEMS_MAX {
                break;
            }
            stems.insert(stem(&word.text).to_owned());
        }
        Self { stems }
    }

    /// The needles of the need: a document that contains any of them matches; see [`super::document`].
    pub fn needles(&self) -> Vec<String> {
        let needle = |stem: &String| {
            let mut needle = String::new();
            push(&mut needle, stem);
            needle
        };
        self.stems.iter().map(needle).collect()
    }

    /// The score of a document: one for each word that it contains, two if the word is in its title.
    pub fn score(&self, document: &str) -> i64 {
        let title = document.find('\n').unwrap_or(document.len());
        let worth = |needle: String| document.find(&needle).map_or(0, |at| if at < title { 2 } else { 1 });
        self.needles().into_iter().map(worth).sum()
    }
}

fn is_hollow(word: &str) -> bool {
    let (single, plain) = (word.chars().count() == 1, word.is_ascii());
    plain && (single || HOLLOW.contains(&format!(" {word} ")))
}

fn stem(word: &str) -> &str {
    let cut = |ending: &&str| word.strip_suffix(ending).filter(|stem| stem.is_ascii() && stem.len() >= STEM_MIN);
    ENDINGS.iter().find_map(cut).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::document, *};

    #[test]
    fn stop_words_and_endings_are_removed() {
        let need = Need::of("Hello! I'd like to browse the tracks, and I need their messages: posting and reading.");
        assert_eq!(need.needles(), [" brows", " messag", " post", " read", " track"]);
        assert_eq!(Need::of("Capabilities, a capability").needles(), [" capabilit"]);
        assert_eq!(Need::of("How may I help you?").needles(), [] as [&str; 0]);
        // Other languages have no stop words.
        assert_eq!(Need::of("天气").needles(), [" 天气"]);
    }

    #[test]
    fn the_document_with_the_most_words_ranks_first() {
        let need = Need::of("I want to post a message");
        let score = |title: &str, text: &str| need.score(&document(title, &[text]));
        assert_eq!(score("Weather", "Says what comes."), 0);
        assert_eq!(score("Tracks", "Where messages are."), 1);
        assert_eq!(score("Messages", "Reads them."), 2);
        assert_eq!(score("Messages", "Posts and reads them."), 3);
        assert_eq!(score("Compost", "A signpost"), 0);
    }

    proptest! {
        #[test]
        fn a_need_is_bounded_and_finds_its_own_words(text in "\\PC{0,300}") {
            let need = Need::of(&text);
            let needles = need.needles();
            prop_assert!(needles.len() <= STEMS_MAX);
            let own = document("", &[&text]);
            prop_assert!(needles.iter().all(|needle| own.contains(needle)), "{needles:?} in {own:?}");
            prop_assert_eq!(need.score(&own), i64::try_from(needles.len()).unwrap());
        }
    }
}
