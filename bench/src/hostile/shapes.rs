//! Shapes of hostile bodies: one value repeated until the body is full, in known or unknown fields.

use std::fmt;

/// Bytes of a body; the server accepts 320 KiB.
const FULL: usize = 318_000;
/// Nesting depth of arrays and objects; serde accepts 128.
const NESTED_MAX: usize = 100;
/// Bytes of a query string, which is part of the request head.
const QUERY: usize = 30_000;

/// The repeated values.
const PIECES: [&str; 24] = [
    "0",
    "\"\"",
    "{}",
    "[]",
    "null",
    "1e308",
    "0.1000000000000000055511151231257827021181583404541015625",
    "\"\\u0000\"",
    "\"\u{1f980}\"",
    "\"a\u{301}\u{301}\"",
    "\"\u{fdfa}\"",
    "\"@[a\"",
    "\"@a \"",
    "\"``` `` ` \"",
    "\"conv_\"",
    "\"a@b.\"",
    "\"---\\nname: x\\n\"",
    "\"data:,%25\"",
    "\"2fd4e1c67a2d28fced849ee1bb76e7391b93eb12 \"",
    "\"2026-03-01T12:00:00Z\"",
    "\"read\"",
    "{\"id\":0}",
    "{\"a\":[0]}",
    "[[[[0]]]]",
];

/// How a value fills a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filling {
    /// Every field is an array of the value.
    Arrays,
    /// Every field is one long text of the value.
    Texts,
    /// Under unknown names.
    Unknown,
    /// Under one name that occurs many times.
    Doubled,
    /// In nested arrays and objects.
    Nested,
    /// As the name of a field.
    Name,
}

const FILLINGS: [Filling; 6] =
    [Filling::Arrays, Filling::Texts, Filling::Unknown, Filling::Doubled, Filling::Nested, Filling::Name];

/// The description of a body.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    piece: usize,
    /// The value that follows each repetition, if any.
    second: Option<usize>,
    filling: Filling,
    bytes: usize,
    /// The only field that is filled, if any.
    only: Option<usize>,
}

impl Shape {
    /// The shape of a plain request.
    pub(super) fn plain() -> Self {
        Self { piece: 0, second: None, filling: Filling::Arrays, bytes: 0, only: None }
    }

    /// Each value in each filling, in a full body.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let of_piece = |piece| FILLINGS.map(|filling| Self { piece, second: None, filling, bytes: FULL, only: None });
        (0..PIECES.len()).flat_map(of_piece)
    }

    /// The same shape with one change.
    pub(super) fn mutated(&self, random: &mut Random) -> Self {
        let mut shape = self.clone();
        match random.below(5) {
            0 => shape.piece = random.below(PIECES.len()),
            1 => shape.second = Some(random.below(PIECES.len())),
            2 => shape.filling = FILLINGS[random.below(FILLINGS.len())],
            3 => shape.only = Some(random.below(8)),
            _ => shape.bytes = FULL / (1 + random.below(16)),
        }
        shape
    }

    /// A query string: each parameter with one long text, or many unknown parameters.
    pub(super) fn query(&self, fields: &[&str]) -> String {
        let share = self.bytes.min(QUERY) / fields.len().max(1);
        let text = PIECES[self.piece].bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
        match self.filling {
            Filling::Unknown => {
                (0..self.bytes.min(QUERY) / 8).map(|index| format!("n{index}=&")).collect::<Vec<_>>().concat()
            }
            Filling::Name => repeated(&text, self.bytes.min(QUERY)),
            Filling::Doubled => "q=&".repeat(self.bytes.min(QUERY) / 3),
            Filling::Arrays | Filling::Texts | Filling::Nested => {
                let pairs: Vec<_> = fields.iter().map(|name| format!("{name}={}", repeated(&text, share))).collect();
                pairs.join("&")
            }
        }
    }

    /// The body, with members only for the given fields.
    pub(super) fn body(&self, fields: &[&str]) -> String {
        let piece = PIECES[self.piece];
        let pieces = self.second.map_or_else(|| piece.to_owned(), |second| format!("{piece},{}", PIECES[second]));
        let chosen: Vec<_> = match self.only {
            Some(only) => fields.iter().cycle().skip(only).take(1).collect(),
            None => fields.iter().collect(),
        };
        let share = self.bytes / chosen.len().max(1);
        let text = pieces.replace(['"', ','], "");
        let object = |value: &dyn Fn() -> String| {
            let members: Vec<_> = chosen.iter().map(|name| format!("\"{name}\":{}", value())).collect();
            format!("{{{}}}", members.join(","))
        };
        match self.filling {
            Filling::Arrays => {
                object(&|| format!("[{}]", repeated(&format!("{pieces},"), share).trim_end_matches(',')))
            }
            Filling::Texts => object(&|| format!("\"{}\"", repeated(&text, share))),
            Filling::Unknown => format!("{{{}}}", members(piece, self.bytes, |index| format!("n{index}"))),
            Filling::Doubled => format!("{{{}}}", members(piece, self.bytes, |_| "twice".to_owned())),
            Filling::Nested => {
                let (open, close) = ("[{\"a\":".repeat(NESTED_MAX / 2), "}]".repeat(NESTED_MAX / 2));
                let inner = repeated(&format!("{pieces},"), share.saturating_sub(NESTED_MAX * 4));
                object(&|| format!("{open}[{}]{close}", inner.trim_end_matches(',')))
            }
            Filling::Name => format!("{{\"{}\":0}}", repeated(&text, self.bytes)),
        }
    }
}

/// As many whole repetitions as fit into `bytes`, but at least one.
fn repeated(piece: &str, bytes: usize) -> String {
    let piece = if piece.is_empty() { "x" } else { piece };
    piece.repeat((bytes / piece.len()).max(1))
}

fn members(piece: &str, bytes: usize, name: impl Fn(usize) -> String) -> String {
    let mut members = String::with_capacity(bytes + 64);
    let mut index = 0;
    while members.len() < bytes {
        if index > 0 {
            members.push(',');
        }
        members.extend(["\"", &*name(index), "\":", piece]);
        index += 1;
    }
    members
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} of {}", self.filling, PIECES[self.piece])?;
        self.second.map_or(Ok(()), |second| write!(formatter, " and {}", PIECES[second]))?;
        self.only.map_or(Ok(()), |only| write!(formatter, " in field {only}"))
    }
}

/// `SplitMix64` (Steele, Lea and Flood, 2014): the same numbers for the same seed.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end`; 0 if `end` is 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ mixed >> 31) % (end.max(1) as u64)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_json_that_fits_into_a_body() {
        for shape in Shape::all() {
            let body = shape.body(&["name", "tags"]);
            assert!(serde_json::from_str::<serde_json::Value>(&body).is_ok(), "{shape}: {body:.200}");
            assert!(body.len() < 320 * 1024, "{shape}: {}", body.len());
        }
    }

    #[test]
    fn the_same_seed_yields_the_same_mutations() {
        let walk = |seed| {
            let mut random = Random::new(seed);
            (0..20).fold(Shape::plain(), |shape, _| shape.mutated(&mut random)).to_string()
        };
        assert_eq!(walk(20), walk(20));
    }
}
