//! The comparable form of characters: NFKC, full case folding, and no optional marks.
//!
//! Texts and queries go through the same function, so that each finds the other: `Ｃａｆé` is `cafe`, `Straße` is `STRASSE`, and `ΟΔΟΣ`
//! is `οδός`. Marks are optional where people write them or leave them out: accents on Latin and Greek letters, Hebrew points, and
//! Arabic vowel signs. In other scripts marks distinguish letters (`й` is not `и`).

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The comparable characters of a character with its marks.
pub(super) fn folded(written: &str) -> impl Iterator<Item = char> {
    // The upper case of the iota subscript is a letter.
    let cased = written.nfkd().filter(|character| *character != '\u{345}').flat_map(fold_case).nfkd();
    let mut base = None;
    let retained = cased.filter(move |character| {
        if !is_combining_mark(*character) {
            base = Some(*character);
        }
        !is_optional(*character, base)
    });
    retained.nfc()
}

/// Full case folding (Unicode, section 3.13), as the lower case of the upper case: `ß` and `ẞ` give `ss`, `ς` gives `σ`. The Turkish
/// `ı` gives `i` as well, because `İ`, `I` and `i` do without its dot.
fn fold_case(character: char) -> impl Iterator<Item = char> {
    // First in lower case: `ẞ` has no upper case of its own.
    character.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// Whether the character is a mark that its base may do without. Marks are decomposed here.
fn is_optional(mark: char, base: Option<char>) -> bool {
    match mark {
        // Accents, breathings and the dialytika.
        '\u{300}'..='\u{36f}' => base.is_some_and(|base| matches!(base, 'a'..='z' | '\u{370}'..='\u{3ff}')),
        // Hebrew cantillation and points; Arabic vowel signs, shadda, sukun and the signs of the Koran.
        '\u{591}'..='\u{5bd}'
        | '\u{5bf}'
        | '\u{5c1}'
        | '\u{5c2}'
        | '\u{5c4}'
        | '\u{5c5}'
        | '\u{5c7}'
        | '\u{fb1e}'
        | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{652}'
        | '\u{656}'..='\u{65f}'
        | '\u{670}'
        | '\u{6d6}'..='\u{6dc}'
        | '\u{6df}'..='\u{6e4}'
        | '\u{6e7}'
        | '\u{6e8}'
        | '\u{6ea}'..='\u{6ed}'
        | '\u{8d3}'..='\u{8e1}'
        | '\u{8e3}'..='\u{8ff}' => true,
        // Madda and hamza: optional on an alef, part of the letter elsewhere.
        '\u{653}'..='\u{655}' => base == Some('\u{627}'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Query, document};
    use proptest::prelude::*;

    fn of(text: &str) -> String {
        document("", &[text])
    }

    fn finds(query: &str, text: &str) -> bool {
        let query = Query::parse(query).unwrap();
        query.score(&of(text)).is_some()
    }

    #[test]
    fn case_is_folded_in_full() {
        for (one, other) in [
            ("ΟΔΟΣ", "οδος"),
            ("Straße", "STRASSE"),
            ("GROẞE", "große"),
            ("ﬁre", "FIRE"),
            ("İstanbul", "ISTANBUL"),
            ("ırmak", "IRMAK"),
            ("ŉ", "ʼN"),
            ("ΌΣΟΣ", "όσος"),
            ("µm", "ΜM"),
            ("ǰ", "J"),
            ("ԵՒ", "և"),
            ("ᏣᎳᎩ", "ꮳꮃꭹ"),
            ("ქართული", "ᲥᲐᲠᲗᲣᲚᲘ"),
            ("𐐔𐐯", "𐐼𐐇"),
        ] {
            assert!(finds(one, other) && finds(other, one), "{one} {other}: {} {}", of(one), of(other));
        }
    }

    #[test]
    fn marks_are_optional_where_people_leave_them_out() {
        for (with, without) in [
            ("Café", "cafe"),
            ("οδός", "οδος"),
            ("τῷ ἀνθρώπῳ", "τω ανθρωπω"),
            ("שָׁלוֹם", "שלום"),
            ("מָחָר", "מחר"),
            ("مُحَمَّدٌ", "محمد"),
            ("كِتَابٌ", "كـــتاب"),
            ("أحمد", "احمد"),
            ("القرآن", "القران"),
        ] {
            assert!(finds(with, without) && finds(without, with), "{with} {without}: {} {}", of(with), of(without));
        }
        for (one, other) in [("й", "и"), ("हिन्दी", "हनद"), ("سؤال", "سوال"), ("が", "か")]
        {
            assert_ne!(of(one), of(other));
        }
    }

    /// Letters of scripts, and marks that they are written with.
    fn written() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-zA-ZÀ-žßẞſĳﬀ-ﬆİı\u{300}-\u{304}]{1,12}",
            "[Α-ώἀ-ῼΣς\u{300}\u{301}\u{308}\u{313}\u{342}]{1,12}",
            "[א-תיִ-פֿ\u{591}-\u{5c7}]{1,12}",
            "[ء-ي\u{64b}-\u{655}\u{670}ـﹰ-ﻼ]{1,12}",
            "[Ѐ-ӿ]{1,12}",
            "[Ա-և]{1,12}",
            "[Ꭰ-ᏽꭰ-ꮿ]{1,12}",
            "[ऀ-ॿ]{1,12}",
            "[Ⴀ-ჿᲐ-Ჿ]{1,12}",
            "[ก-๎가-힣一-龥ぁ-ヿ]{1,12}",
            "\\PC{1,12}",
        ]
    }

    proptest! {
        #[test]
        fn a_text_is_found_in_any_case_and_form(text in written()) {
            // The iota subscript, a mark here, has an upper case that is a letter.
            prop_assume!(!text.nfkd().any(|character| character == '\u{345}'));
            let forms = [text.nfc().collect(), text.nfd().collect(), text.nfkc().collect(), text.nfkd().collect()];
            let folded = of(&text);
            for form in forms as [String; 4] {
                prop_assert_eq!(&of(&form), &folded, "{:?}", form);
            }
            for form in [text.to_uppercase(), text.to_lowercase()] {
                prop_assert_eq!(&of(&form), &folded, "{:?}", form);
            }
        }

        #[test]
        fn folding_twice_changes_nothing(text in written()) {
            let once: String = folded(&text).collect();
            prop_assert_eq!(folded(&once).collect::<String>(), once);
        }

        #[test]
        fn optional_marks_make_no_difference(text in "[α-ωא-תء-ي]{1,12}", marks in prop::collection::vec("[\u{301}\u{308}\u{5b0}-\u{5bc}\u{64b}-\u{652}]", 12)) {
            let greek_only = |mark: &str, letter: char| mark < "\u{370}" && !matches!(letter, 'α'..='ω');
            let pointed: String = text.chars().zip(&marks)
                .map(|(letter, mark)| if greek_only(mark, letter) { letter.to_string() } else { format!("{letter}{mark}") })
                .collect();
            prop_assert_eq!(of(&pointed), of(&text));
        }
    }
}
