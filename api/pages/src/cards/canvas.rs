//! A picture of 1200 by 630 pixels in three inks on one ground, and its PNG form.

use ab_glyph::{Font, PxScale, ScaleFont, point};
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Filter};

use super::font::Typeface;

/// The size of previews that the large social networks ask for.
pub(super) const WIDTH: u16 = 1200;
pub(super) const HEIGHT: u16 = 630;

/// The colour of the ground: red, green and blue.
const GROUND: [u8; 3] = [0x10, 0x15, 0x21];
/// The steps between the ground and an ink.
const STEPS: u8 = 84;

/// The colours that are drawn with.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ink {
    Text,
    Muted,
    Accent,
}

impl Ink {
    const ALL: [Self; 3] = [Self::Text, Self::Muted, Self::Accent];

    fn colour(self) -> [u8; 3] {
        match self {
            Self::Text => [0xf3, 0xf5, 0xf9],
            Self::Muted => [0xa9, 0xb2, 0xc3],
            Self::Accent => [0x8f, 0xae, 0xff],
        }
    }

    /// The place of the ground in the palette, which this ink's steps follow.
    fn first(self) -> u8 {
        match self {
            Self::Text => 0,
            Self::Muted => STEPS + 1,
            Self::Accent => 2 * (STEPS + 1),
        }
    }
}

/// A picture; each pixel is a place in the palette.
pub(super) struct Canvas {
    pixels: Vec<u8>,
}

impl Canvas {
    /// The empty ground.
    pub(super) fn new() -> Self {
        Self { pixels: vec![Ink::Text.first(); usize::from(WIDTH) * usize::from(HEIGHT)] }
    }

    /// Fills a rectangle.
    pub(super) fn fill(&mut self, (left, top): (u16, u16), (width, height): (u16, u16), ink: Ink) {
        for y in top..top + height {
            for x in left..left + width {
                self.put((i32::from(x), i32::from(y)), STEPS, ink);
            }
        }
    }

    /// Writes a text in one line. `baseline` is in pixels from the top.
    pub(super) fn write(&mut self, typeface: &Typeface, text: &str, (left, baseline): (f32, f32), size: f32, ink: Ink) {
        let scaled = typeface.font().as_scaled(PxScale::from(size));
        let mut pen = left;
        for character in text.chars() {
            let id = scaled.glyph_id(character);
            if let Some(outline) = scaled.outline_glyph(id.with_scale_and_position(size, point(pen, baseline))) {
                let corner = outline.px_bounds().min;
                let (left, top) = (whole(corner.x), whole(corner.y));
                outline.draw(|x, y, coverage| {
                    self.put((left + x.cast_signed(), top + y.cast_signed()), steps(coverage), ink);
                });
            }
            pen += scaled.h_advance(id);
        }
    }

    /// Sets a pixel, unless it is outside of the picture or has more ink already.
    fn put(&mut self, (x, y): (i32, i32), steps: u8, ink: Ink) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= usize::from(WIDTH) || steps == 0 {
            return;
        }
        if let Some(pixel) = self.pixels.get_mut(y * usize::from(WIDTH) + x) {
            *pixel = (*pixel).max(ink.first() + steps);
        }
    }

    /// The picture as a file.
    pub(super) fn encoded(&self) -> Result<Vec<u8>, EncodingError> {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, WIDTH.into(), HEIGHT.into());
        encoder.set_color(ColorType::Indexed);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_palette(palette());
        encoder.set_compression(Compression::Balanced);
        // Places in a palette are no amounts, so that differences between them compress worse.
        encoder.set_filter(Filter::NoFilter);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(file)
    }
}

/// For each ink, the steps from the ground to it.
fn palette() -> Vec<u8> {
    let mixed = |ground: u8, ink: u8, step: u8| {
        let (step, all) = (u16::from(step), u16::from(STEPS));
        u8::try_from((u16::from(ground) * (all - step) + u16::from(ink) * step) / all).unwrap_or(u8::MAX)
    };
    let mut palette = Vec::new();
    for ink in Ink::ALL {
        for step in 0..=STEPS {
            palette.extend(GROUND.into_iter().zip(ink.colour()).map(|(ground, ink)| mixed(ground, ink, step)));
        }
    }
    palette
}

#[expect(clippy::cast_possible_truncation, reason = "it is near the picture")]
fn whole(pixels: f32) -> i32 {
    pixels.round() as i32
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number is between 0 and STEPS")]
fn steps(coverage: f32) -> u8 {
    (coverage.clamp(0.0, 1.0) * f32::from(STEPS)).round() as u8
}
