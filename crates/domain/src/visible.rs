//! Visible characters: what a name, a title or a text must have at least one of.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Whether a reader sees something: a letter, a number, punctuation or a symbol.
///
/// Spaces, controls, format characters, variation selectors, tags, private and unassigned characters do not count, nor do marks,
/// which show nothing without the character that they belong to.
pub fn has_visible(text: &str) -> bool {
    text.chars().any(is_visible)
}

fn is_visible(character: char) -> bool {
    character.is_ascii_graphic()
        || (!is_blank_glyph(character)
            && matches!(
                character.general_category_group(),
                GeneralCategoryGroup::Letter
                    | GeneralCategoryGroup::Number
                    | GeneralCategoryGroup::Punctuation
                    | GeneralCategoryGroup::Symbol
            ))
}

/// Letters and symbols that show nothing: the fillers of Hangul, which have the property `Default_Ignorable_Code_Point`, the Braille
/// pattern without dots, and the note head without a shape.
fn is_blank_glyph(character: char) -> bool {
    matches!(character, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' | '\u{1d159}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `Default_Ignorable_Code_Point` of Unicode 17 (DerivedCoreProperties.txt).
    const IGNORABLE: [(u32, u32); 17] = [
        (0xad, 0xad),
        (0x34f, 0x34f),
        (0x61c, 0x61c),
        (0x115f, 0x1160),
        (0x17b4, 0x17b5),
        (0x180b, 0x180f),
        (0x200b, 0x200f),
        (0x202a, 0x202e),
        (0x2060, 0x206f),
        (0x3164, 0x3164),
        (0xfe00, 0xfe0f),
        (0xfeff, 0xfeff),
        (0xffa0, 0xffa0),
        (0xfff0, 0xfff8),
        (0x1_bca0, 0x1_bca3),
        (0x1_d173, 0x1_d17a),
        (0xe_0000, 0xe_0fff),
    ];

    #[test]
    fn no_ignorable_character_white_space_or_control_is_visible() {
        let ignorable = IGNORABLE.iter().flat_map(|(first, last)| (*first..=*last).filter_map(char::from_u32));
        for character in ignorable {
            assert!(!is_visible(character), "{:x}", u32::from(character));
        }
        for character in (0..=0x10_ffff).filter_map(char::from_u32) {
            assert!(!is_visible(character) || !(character.is_whitespace() || character.is_control()));
        }
    }

    #[test]
    fn texts_of_invisible_characters_alone_show_nothing() {
        for text in [
            "",
            " \n\t",
            "\u{200b}",
            "\u{2800}",
            "\u{3164}\u{115f}",
            "\u{ad}",
            "\u{fe0f}",
            "\u{e0067}\u{e007f}",
            "\u{202e}\u{2066}",
            "\u{301}\u{20dd}",
            "\u{e000}",
            "\u{85}",
            "\u{378}",
        ] {
            assert!(!has_visible(text), "{text:?}");
        }
    }

    #[test]
    fn texts_of_every_script_are_visible() {
        for text in
            ["a", "7", "…", "Ω", "서", "中", "あ", "ا", "नि", "👩🏽‍🚀", "🇰🇷", "❤️", "+1", "\u{200b}x", "ﷺ", "𝔸", "①"]
        {
            assert!(has_visible(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn invisible_characters_change_nothing(text in any::<String>(), more in "[\u{200b}-\u{200f}\u{2800}\u{fe00}-\u{fe0f}]{0,5}") {
            prop_assert_eq!(has_visible(&text), has_visible(&format!("{more}{text}{more}")));
        }
    }
}
