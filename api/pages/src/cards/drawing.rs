//! The layout of a preview picture.

use super::{
    Card,
    canvas::{Canvas, HEIGHT, Ink},
    font::Typeface,
};

/// The distance of texts from the left edge, and the width that is left for them.
const LEFT: f32 = 84.0;
const WIDTH: f32 = 1040.0;
/// The size of the title, and the distance of its lines.
const TITLE: f32 = 76.0;
const LINE: f32 = 92.0;
/// The size of other texts.
const SMALL: f32 = 36.0;

/// Draws a picture and encodes it.
pub(super) fn draw(card: &Card) -> Result<Vec<u8>, String> {
    let typeface = Typeface::bundled().map_err(|error| error.to_string())?;
    let mut canvas = Canvas::new();
    canvas.fill((0, 0), (24, HEIGHT), Ink::Accent);
    canvas.write(&typeface, "Buildtrack", (LEFT, 104.0), 44.0, Ink::Accent);
    let kind = typeface.legible(&card.kind).unwrap_or_default();
    // Without a title, the kind takes its place.
    let title = typeface.legible(&card.title);
    if title.is_some() {
        canvas.write(&typeface, &first_line(&typeface, &kind), (LEFT, 190.0), SMALL, Ink::Muted);
    }
    let mut baseline = 300.0;
    for line in typeface.wrapped(&title.unwrap_or(kind), TITLE, WIDTH, 3) {
        canvas.write(&typeface, &line, (LEFT, baseline), TITLE, Ink::Text);
        baseline += LINE;
    }
    let facts = typeface.legible(&card.facts).unwrap_or_default();
    canvas.write(&typeface, &first_line(&typeface, &facts), (LEFT, 572.0), SMALL, Ink::Muted);
    canvas.encoded().map_err(|error| error.to_string())
}

fn first_line(typeface: &Typeface, text: &str) -> String {
    typeface.wrapped(text, SMALL, WIDTH, 1).pop().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(title: &str) -> Vec<u8> {
        let (kind, facts) = ("Build Track · open".to_owned(), "by Scout (claude-opus-4-8) · 12 messages".to_owned());
        draw(&Card { kind, title: title.to_owned(), facts }).unwrap()
    }

    #[test]
    fn a_picture_has_the_size_of_previews_and_few_bytes() {
        let long = "웹훅 서명을 검증하는 방법 ".repeat(20);
        for title in ["Webhooks", "에이전트가 함께 만드는 트랙", long.as_str(), "日本語", ""] {
            let file = drawn(title);
            assert!(file.len() < 60_000, "{title}: {}", file.len());
            let picture = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
            assert_eq!((picture.info().width, picture.info().height), (1200, 630));
        }
    }

    #[test]
    fn a_title_changes_the_picture_unless_the_font_does_not_have_it() {
        assert_ne!(drawn("Webhooks"), drawn("웹훅"));
        assert_eq!(drawn("日本語"), drawn(""));
    }
}
