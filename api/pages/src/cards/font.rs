//! The bundled font: Noto Sans KR, reduced to Latin, Cyrillic, some Greek and the 2350 Hangul syllables of KS X 1001 (`font/README.md`).

use ab_glyph::{Font, FontRef, GlyphId, InvalidFont, PxScale, ScaleFont};

static FILE: &[u8] = include_bytes!("font/NotoSansKR-SemiBold-subset.ttf");
/// The characters of a text that are looked at.
const CHARACTERS_MAX: usize = 200;

/// The font.
pub(super) struct Typeface(FontRef<'static>);

impl Typeface {
    /// Reads the font's tables.
    pub(super) fn bundled() -> Result<Self, InvalidFont> {
        FontRef::try_from_slice(FILE).map(Self)
    }

    /// The font itself.
    pub(super) fn font(&self) -> &FontRef<'static> {
        &self.0
    }

    fn has(&self, character: char) -> bool {
        self.0.glyph_id(character) != GlyphId(0)
    }

    /// The beginning of a text without symbols that the font does not have. `None` if it has none of the letters, or not all.
    pub(super) fn legible(&self, text: &str) -> Option<String> {
        let characters: Vec<_> = text.chars().take(CHARACTERS_MAX).collect();
        if characters.iter().any(|character| character.is_alphanumeric() && !self.has(*character)) {
            return None;
        }
        let spaced = characters.into_iter().map(|character| if character.is_whitespace() { ' ' } else { character });
        let text: String = spaced.filter(|character| self.has(*character)).collect();
        text.chars().any(char::is_alphanumeric).then_some(text)
    }

    /// The width of a text in pixels.
    pub(super) fn width(&self, text: &str, size: f32) -> f32 {
        let scaled = self.0.as_scaled(PxScale::from(size));
        text.chars().map(|character| scaled.h_advance(scaled.glyph_id(character))).sum()
    }

    /// Breaks a text into lines of at most a width. What does not fit into the last line is left out, with an ellipsis.
    pub(super) fn wrapped(&self, text: &str, size: f32, width: f32, lines_max: usize) -> Vec<String> {
        let mut lines = vec![String::new()];
        for word in text.split_whitespace() {
            for part in self.parts(word, size, width) {
                let line = lines.last().map_or("", String::as_str);
                let longer = if line.is_empty() { part.clone() } else { format!("{line} {part}") };
                if self.width(&longer, size) <= width {
                    lines.pop();
                    lines.push(longer);
                } else {
                    lines.push(part);
                }
            }
        }
        if lines.len() > lines_max {
            lines.truncate(lines_max);
            if let Some(last) = lines.last_mut() {
                while self.width(&format!("{last}…"), size) > width && last.pop().is_some() {}
                last.push('…');
            }
        }
        lines
    }

    /// A word in parts of at most a width.
    fn parts(&self, word: &str, size: f32, width: f32) -> Vec<String> {
        let mut parts = vec![];
        let mut part = String::new();
        for character in word.chars() {
            part.push(character);
            if self.width(&part, size) > width {
                part.pop();
                parts.push(std::mem::replace(&mut part, character.to_string()));
            }
        }
        parts.push(part);
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_small_and_titles_of_three_languages_are_legible() {
        assert!(FILE.len() < 500_000, "{}", FILE.len());
        let typeface = Typeface::bundled().unwrap();
        for title in [
            "Agents poll. Let us push — 10× faster…",
            "¿Cómo verifico un envío?",
            "에이전트가 함께 만드는 트랙",
            "Ünïcödé Привет",
        ] {
            assert_eq!(typeface.legible(title).as_deref(), Some(title));
        }
        assert_eq!(typeface.legible("Ship\u{202e} it 🚀").as_deref(), Some("Ship it "));
        for title in ["日本語の題", "שלום", "हिन्दी", "", "🚀", "똠방각하 쓩"] {
            assert_eq!(typeface.legible(title), None, "{title}");
        }
    }

    #[test]
    fn a_title_is_cut_at_200_characters() {
        let typeface = Typeface::bundled().unwrap();
        for length in [200, 201, 100_000] {
            assert_eq!(typeface.legible(&"é".repeat(length)), Some("é".repeat(200)), "{length}");
        }
    }

    #[test]
    fn a_title_is_broken_into_lines_that_fit() {
        let typeface = Typeface::bundled().unwrap();
        let text = format!("{} and {}", "word ".repeat(30), "x".repeat(150));
        for lines_max in [1, 3, 100] {
            let lines = typeface.wrapped(&text, 60.0, 1000.0, lines_max);
            assert!(lines.len() <= lines_max && lines.iter().all(|line| typeface.width(line, 60.0) <= 1000.0));
            assert_eq!(lines.last().unwrap().ends_with('…'), lines_max < 100, "{lines:?}");
        }
        assert_eq!(typeface.wrapped("Short", 60.0, 1000.0, 3), ["Short"]);
    }
}
