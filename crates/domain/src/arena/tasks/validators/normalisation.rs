//! Normalisation of short texts, so that differences without meaning do not count.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::{At, Object};
use crate::words;

/// The number of differences that exist.
const DIFFERENCES_MAX: usize = 4;

words! {
    /// A difference between texts that can be ignored.
    enum Difference, "expected case, spaces, punctuation or articles" {
        /// Upper and lower case.
        Case = "case",
        /// The kind and length of white space, and white space at the ends.
        Spaces = "spaces",
        /// Quotation marks, brackets, `.,:;!?…` and Markdown's `*`, `_` and backtick at the ends.
        Punctuation = "punctuation",
        /// The English articles at the beginning.
        Articles = "articles",
    }
}

/// Which differences are ignored. The compatibility form of characters (Unicode NFKC) always is: `ﬁ` equals `fi`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::arena::tasks) struct Normalisation(Vec<Difference>);

impl Default for Normalisation {
    fn default() -> Self {
        Self(vec![Difference::Case, Difference::Spaces, Difference::Punctuation])
    }
}

impl Normalisation {
    /// Reads the field `ignore`: an array of differences.
    pub(super) fn read(object: &mut Object<'_>) -> Option<Self> {
        let read = |at: At<'_>| at.each(0..=DIFFERENCES_MAX, At::word).map(Self);
        object.or("ignore", Self::default(), read)
    }

    fn ignores(&self, difference: Difference) -> bool {
        self.0.contains(&difference)
    }

    /// The normal form: two texts are the same if theirs are equal. It has at most 18 times as many characters.
    pub(in crate::arena::tasks) fn apply(&self, text: &str) -> String {
        let mut normal: String = text.nfkc().collect();
        if self.ignores(Difference::Case) {
            // Lower case depends on the position for the sigma alone.
            normal = normal.to_lowercase().nfkc().map(|letter| if letter == 'ς' { 'σ' } else { letter }).collect();
        }
        if self.ignores(Difference::Spaces) {
            normal = normal.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        self.without_ends(&normal).to_owned()
    }

    /// Removes punctuation and articles from the ends, until nothing more is removed.
    fn without_ends<'t>(&self, text: &'t str) -> &'t str {
        let (marks, spaces) = (self.ignores(Difference::Punctuation), self.ignores(Difference::Spaces));
        let is_cut = |letter: char| marks && is_mark(letter) || spaces && letter.is_whitespace();
        let mut rest = text.trim_matches(is_cut);
        if self.ignores(Difference::Articles) {
            while let Some(shorter) = without_article(rest) {
                rest = shorter.trim_matches(is_cut);
            }
        }
        rest
    }
}

fn without_article(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once(' ')?;
    ["a", "an", "the"].iter().any(|article| first.eq_ignore_ascii_case(article)).then_some(rest)
}

/// Signs like `#`, `%`, `&`, `+` and `-` carry meaning (C#, 5 %, C++) and are none.
fn is_mark(letter: char) -> bool {
    match letter.general_category() {
        GeneralCategory::OpenPunctuation
        | GeneralCategory::ClosePunctuation
        | GeneralCategory::InitialPunctuation
        | GeneralCategory::FinalPunctuation => true,
        _ => ".,:;!?…\"'`*_".contains(letter),
    }
}
