//! The search tokenizer: splits a text into comparable words.
//!
//! Words are compared in NFKC, with full case folding and without optional marks; see [`super::folding`]. Scripts without spaces between words, mainly East Asian ones, are split into overlapping pairs of
//! characters, so that no dictionary is needed and any part of a run can be found.

use std::{collections::VecDeque, iter::Peekable, str::CharIndices};

use unicode_normalization::char::is_combining_mark;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::folding::folded;

/// The maximum number of characters in a word. Longer words are truncated.
pub const WORD_MAX: usize = 64;

/// A word in its comparable form, with its location in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// The first byte in the original text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// For a pair that overlaps with the next one: the end of its first character.
    pub(super) head: Option<usize>,
    /// Whether it is the single last character of a run, so that a prefix search finds it too.
    pub(super) tail: bool,
}

/// The searchable form of a document: each word between spaces, the title on the first line, and each further text on
/// its own line, so that no phrase spans two of them.
pub fn document(title: &str, texts: &[&str]) -> String {
    let mut document = String::new();
    for text in [title].iter().chain(texts) {
        for word in words(text) {
            push(&mut document, &word.text);
            document.push(' ');
        }
        document.push('\n');
    }
    document
}

/// Appends a word after a space, as in a document.
pub(super) fn push(document: &mut String, word: &str) {
    document.push(' ');
    document.push_str(word);
}

/// The words of a text, in order.
pub(super) fn words(text: &str) -> Words<'_> {
    Words::within(text, text.len())
}

/// Reads a text word by word.
pub(super) struct Words<'t> {
    text: &'t str,
    characters: Peekable<CharIndices<'t>>,
    cutter: Cutter,
    /// Where to stop. A word that the end cuts is left out.
    end: usize,
}

impl<'t> Words<'t> {
    /// The words of the first bytes of a text.
    pub(super) fn within(text: &'t str, end: usize) -> Self {
        Self { text, characters: text.char_indices().peekable(), cutter: Cutter::default(), end }
    }

    /// How many bytes were read.
    pub(super) fn read(&mut self) -> usize {
        self.characters.peek().map_or(self.text.len(), |(at, _)| *at)
    }
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        loop {
            if let Some(word) = self.cutter.words.pop_front() {
                return Some(word);
            }
            let Some((start, first)) = self.characters.next_if(|(start, _)| *start < self.end) else {
                if self.characters.peek().is_none() {
                    self.cutter.close();
                }
                return self.cutter.words.pop_front();
            };
            let mut end = start + first.len_utf8();
            while let Some((at, next)) = self.characters.next_if(|(_, next)| continues(*next)) {
                end = at + next.len_utf8();
            }
            self.cutter.take(&self.text[start..end], start, end);
        }
    }
}

/// Whether the character belongs to the one before it: marks, and the later parts of a Korean syllable.
fn continues(character: char) -> bool {
    is_combining_mark(character) || matches!(character, '\u{1160}'..='\u{11ff}' | '\u{ff9e}' | '\u{ff9f}')
}

enum Sort {
    /// Part of a word.
    Letter,
    /// Part of a run without spaces between words.
    Dense,
    /// A mark on a letter.
    Mark,
    /// A word by itself, such as emoji.
    Symbol,
    /// Ignored.
    Nothing,
    /// Between words.
    Gap,
}

fn sort(character: char) -> Sort {
    match character {
        'a'..='z' | '0'..='9' => return Sort::Letter,
        '\0'..='\u{7f}' => return Sort::Gap,
        '\u{ad}' | '\u{640}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' => {
            return Sort::Nothing;
        }
        _ => {}
    }
    let letters = matches!(
        character.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number | GeneralCategoryGroup::Mark
    );
    match character.general_category() {
        _ if letters && is_dense(character) => Sort::Dense,
        GeneralCategory::OtherSymbol => Sort::Symbol,
        // Skin tones.
        GeneralCategory::ModifierSymbol => Sort::Nothing,
        _ if is_combining_mark(character) => Sort::Mark,
        _ if letters => Sort::Letter,
        _ => Sort::Gap,
    }
}

/// Thai, Lao, Myanmar and Khmer; Korean, kana, bopomofo and Han, with their later extensions.
fn is_dense(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{31ff}' | '\u{3400}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{1b000}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}')
}

/// A character in its comparable form, with its location in the text.
#[derive(Clone, Copy)]
struct Unit {
    character: char,
    start: usize,
    end: usize,
}

#[derive(Default)]
struct Cutter {
    words: VecDeque<Word>,
    /// The current word.
    word: Vec<Unit>,
    /// The current run.
    run: Vec<Unit>,
}

impl Cutter {
    /// Adds a character with its marks.
    fn take(&mut self, written: &str, start: usize, end: usize) {
        if let [letter] = written.as_bytes() {
            let character = char::from(letter.to_ascii_lowercase());
            return self.put(Unit { character, start, end });
        }
        for character in folded(written) {
            self.put(Unit { character, start, end });
        }
    }

    fn put(&mut self, unit: Unit) {
        match sort(unit.character) {
            Sort::Letter => {
                self.close_run();
                self.word.push(unit);
            }
            Sort::Dense => {
                self.close_word();
                self.run.push(unit);
            }
            Sort::Mark if !self.word.is_empty() => self.word.push(unit),
            Sort::Mark if !self.run.is_empty() => self.run.push(unit),
            Sort::Symbol => {
                self.close();
                self.words.push_back(word(&[unit], None, false));
            }
            Sort::Mark | Sort::Nothing => {}
            Sort::Gap => self.close(),
        }
    }

    fn close(&mut self) {
        self.close_word();
        self.close_run();
    }

    fn close_word(&mut self) {
        if let (Some(_), Some(last)) = (self.word.first(), self.word.last()) {
            let end = last.end;
            let retained = &self.word[..self.word.len().min(WORD_MAX)];
            self.words.push_back(Word { end, ..word(retained, None, false) });
            self.word.clear();
        }
    }

    fn close_run(&mut self) {
        for pair in self.run.windows(2) {
            self.words.push_back(word(pair, Some(pair[0].end), false));
        }
        if let Some(last) = self.run.last() {
            self.words.push_back(word(&[*last], Some(last.end), self.run.len() > 1));
            self.run.clear();
        }
    }
}

fn word(units: &[Unit], head: Option<usize>, tail: bool) -> Word {
    let (start, end) = units.first().zip(units.last()).map_or((0, 0), |(first, last)| (first.start, last.end));
    Word { text: units.iter().map(|unit| unit.character).collect(), start, end, head, tail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    fn texts(text: &str) -> Vec<String> {
        words(text).map(|word| word.text).collect()
    }

    #[test]
    fn words_consist_of_letters_and_numbers() {
        assert_eq!(
            texts("Don't poll: use `webhook_url`, v2.1!"),
            ["don", "t", "poll", "use", "webhook", "url", "v2", "1"]
        );
        assert_eq!(texts(" \u{0}\t…—-"), [] as [&str; 0]);
    }

    #[test]
    fn character_forms_case_and_marks_on_latin_letters_are_ignored() {
        for text in ["Café", "cafe\u{301}", "ＣＡＦＥ", "CAFÉ"] {
            assert_eq!(texts(text), ["cafe"], "{text}");
        }
        assert_eq!(texts("İstanbul ﬁre ① ĳ"), ["istanbul", "fire", "1", "ij"]);
        // In other scripts marks distinguish letters.
        assert_ne!(texts("и"), texts("й"));
        assert_eq!(texts("हिन्दी"), ["हिन्दी"]);
    }

    #[test]
    fn scripts_without_spaces_are_split_into_pairs() {
        assert_eq!(texts("에이전트가 웹"), ["에이", "이전", "전트", "트가", "가", "웹"]);
        assert_eq!(texts("协作平台API设计"), ["协作", "作平", "平台", "台", "api", "设计", "计"]);
        assert_eq!(texts("サーバー"), ["サー", "ーバ", "バー", "ー"]);
        // The same in half width, and with its syllables decomposed.
        assert_eq!(texts("ｻｰﾊﾞｰ"), texts("サーバー"));
        assert_eq!(texts(&"에이전트".nfd().collect::<String>()), texts("에이전트"));
    }

    #[test]
    fn a_symbol_is_a_word_of_its_own() {
        assert_eq!(texts("ship it🚀👩🏽\u{200d}💻!"), ["ship", "it", "🚀", "👩", "💻"]);
        assert_eq!(texts("❤\u{fe0f}"), ["❤"]);
    }

    #[test]
    fn a_long_word_is_truncated() {
        assert_eq!(texts(&"x".repeat(1000)), ["x".repeat(WORD_MAX)]);
    }

    #[test]
    fn words_have_their_byte_ranges_in_the_text() {
        let text = "«Café» 协作!";
        let spellings = |word: Word| text[word.start..word.end].to_owned();
        assert_eq!(words(text).map(spellings).collect::<Vec<_>>(), ["Café", "协作", "作"]);
    }

    #[test]
    fn a_document_has_one_line_per_text() {
        assert_eq!(document("Push!", &["协作", ""]), " push \n 协作  作 \n\n");
    }

    proptest! {
        #[test]
        fn a_word_is_short_without_spaces_and_has_a_range_in_the_text(text in any::<String>()) {
            for word in words(&text) {
                prop_assert!(!word.text.is_empty() && word.text.chars().count() <= WORD_MAX);
                prop_assert!(!word.text.contains(|letter: char| letter.is_whitespace() || letter.is_control() || "\"'\\:*&|!".contains(letter)));
                prop_assert!(word.start < word.end && text.get(word.start..word.end).is_some());
            }
        }
    }
}
