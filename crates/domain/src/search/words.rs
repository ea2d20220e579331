//! The words of a text.
//!
//! Texts are compared as compatibility forms (NFKC) in lower case, and marks on Latin letters don't count: `Ｃａｆé` is
//! `cafe`. Scripts that are written without spaces, the East Asian ones above all, are cut into overlapping pairs of
//! characters, so that no dictionary is needed and every part of a run of them can be found.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Characters of a word; what is longer counts as its beginning.
pub const WORD_MAX: usize = 64;

/// A word as it is compared, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Bytes in the text as it was written.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where its first character ends, if it is a pair that overlaps with the next.
    pub(super) head: Option<usize>,
    /// The last character of a run, alone: what makes a run's last character be found by what begins with it.
    pub(super) tail: bool,
}

/// What a document's words are kept as: each in spaces, its title before the first line's end, and each further text in
/// a line of its own, so that no phrase reaches from one into the next.
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

/// A word behind a space, as it begins in a document.
pub(super) fn push(document: &mut String, word: &str) {
    document.push(' ');
    document.push_str(word);
}

/// The words of a text, in order.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut cutter = Cutter::default();
    let mut characters = text.char_indices().peekable();
    while let Some((start, first)) = characters.next() {
        let mut end = start + first.len_utf8();
        while let Some((at, next)) = characters.next_if(|(_, next)| continues(*next)) {
            end = at + next.len_utf8();
        }
        cutter.take(&text[start..end], start, end);
    }
    cutter.close();
    cutter.words
}

/// Whether it belongs to the character before it: marks, and the later parts of a Korean syllable.
fn continues(character: char) -> bool {
    is_combining_mark(character) || matches!(character, '\u{1160}'..='\u{11ff}' | '\u{ff9e}' | '\u{ff9f}')
}

enum Sort {
    /// Part of a word.
    Letter,
    /// Part of a run that is written without spaces.
    Dense,
    /// What stands upon a letter.
    Mark,
    /// A word of its own: emoji and the like.
    Symbol,
    /// As if it were not there.
    Nothing,
    /// Between words.
    Gap,
}

fn sort(character: char) -> Sort {
    match character {
        'a'..='z' | '0'..='9' => return Sort::Letter,
        '\0'..='\u{7f}' => return Sort::Gap,
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' => return Sort::Nothing,
        _ => {}
    }
    let letters = matches!(
        character.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number | GeneralCategoryGroup::Mark
    );
    match character.general_category() {
        _ if letters && is_dense(character) => Sort::Dense,
        GeneralCategory::OtherSymbol => Sort::Symbol,
        // The colours of skin.
        GeneralCategory::ModifierSymbol => Sort::Nothing,
        _ if is_combining_mark(character) => Sort::Mark,
        _ if letters => Sort::Letter,
        _ => Sort::Gap,
    }
}

/// Thai, Lao, Myanmar and Khmer; Korean, kana, bopomofo and Han, with what was added to them later.
fn is_dense(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{31ff}' | '\u{3400}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{1b000}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}')
}

/// A character as it is compared, and where it stands.
#[derive(Clone, Copy)]
struct Unit {
    character: char,
    start: usize,
    end: usize,
}

#[derive(Default)]
struct Cutter {
    words: Vec<Word>,
    /// A word that may go on.
    word: Vec<Unit>,
    /// A run that may go on.
    run: Vec<Unit>,
}

impl Cutter {
    /// A character with everything that belongs to it.
    fn take(&mut self, written: &str, start: usize, end: usize) {
        let mut latin = false;
        let plain = written.nfkd().flat_map(char::to_lowercase).nfkd().filter(|character| {
            let dropped = latin && matches!(character, '\u{300}'..='\u{36f}');
            latin = dropped || character.is_ascii_lowercase();
            !dropped
        });
        for character in plain.nfc() {
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
                self.words.push(word(&[unit], None, false));
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
            let kept = &self.word[..self.word.len().min(WORD_MAX)];
            self.words.push(Word { end, ..word(kept, None, false) });
            self.word.clear();
        }
    }

    fn close_run(&mut self) {
        for pair in self.run.windows(2) {
            self.words.push(word(pair, Some(pair[0].end), false));
        }
        if let Some(last) = self.run.last() {
            self.words.push(word(&[*last], Some(last.end), self.run.len() > 1));
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

    fn texts(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn words_end_at_what_is_neither_letter_nor_number() {
        assert_eq!(
            texts("Don't poll: use `webhook_url`, v2.1!"),
            ["don", "t", "poll", "use", "webhook", "url", "v2", "1"]
        );
        assert_eq!(texts(" \u{0}\t…—-"), [] as [&str; 0]);
    }

    #[test]
    fn forms_cases_and_marks_on_latin_letters_do_not_count() {
        for text in ["Café", "cafe\u{301}", "ＣＡＦＥ", "CAFÉ"] {
            assert_eq!(texts(text), ["cafe"], "{text}");
        }
        assert_eq!(texts("İstanbul ﬁre ① ĳ"), ["istanbul", "fire", "1", "ij"]);
        // On others they do: these are two letters.
        assert_ne!(texts("и"), texts("й"));
        assert_eq!(texts("हिन्दी"), ["हिन्दी"]);
    }

    #[test]
    fn what_is_written_without_spaces_is_cut_into_pairs() {
        assert_eq!(texts("에이전트가 웹"), ["에이", "이전", "전트", "트가", "가", "웹"]);
        assert_eq!(texts("协作平台API设计"), ["协作", "作平", "平台", "台", "api", "设计", "计"]);
        assert_eq!(texts("サーバー"), ["サー", "ーバ", "バー", "ー"]);
        // The same in half width, and with its syllables taken apart.
        assert_eq!(texts("ｻｰﾊﾞｰ"), texts("サーバー"));
        assert_eq!(texts(&"에이전트".nfd().collect::<String>()), texts("에이전트"));
    }

    #[test]
    fn a_symbol_is_a_word_of_its_own() {
        assert_eq!(texts("ship it🚀👩🏽\u{200d}💻!"), ["ship", "it", "🚀", "👩", "💻"]);
        assert_eq!(texts("❤\u{fe0f}"), ["❤"]);
    }

    #[test]
    fn a_long_word_counts_as_its_beginning() {
        assert_eq!(texts(&"x".repeat(1000)), ["x".repeat(WORD_MAX)]);
    }

    #[test]
    fn words_stand_where_they_were_written() {
        let text = "«Café» 协作!";
        let places = |word: &Word| text[word.start..word.end].to_owned();
        assert_eq!(words(text).iter().map(places).collect::<Vec<_>>(), ["Café", "协作", "作"]);
    }

    #[test]
    fn a_document_keeps_its_texts_apart() {
        assert_eq!(document("Push!", &["协作", ""]), " push \n 协作  作 \n\n");
    }

    proptest! {
        #[test]
        fn a_word_is_short_has_no_space_and_stands_in_the_text(text in any::<String>()) {
            for word in words(&text) {
                prop_assert!(!word.text.is_empty() && word.text.chars().count() <= WORD_MAX);
                prop_assert!(!word.text.contains(|letter: char| letter.is_whitespace() || letter.is_control() || "\"'\\:*&|!".contains(letter)));
                prop_assert!(word.start < word.end && text.get(word.start..word.end).is_some());
            }
        }
    }
}
