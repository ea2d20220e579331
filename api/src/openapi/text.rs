//! Serialization of the document: one operation or component per line, which keeps the file small and its diffs readable.

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use utoipa::openapi::OpenApi as Document;

/// The depth up to which lines are broken: the document, its parts, their entries, and the operations of a path.
const DEPTH: usize = 3;

/// Serializes the document.
pub(crate) fn text_of(document: &Document) -> Result<String, serde_json::Error> {
    let mut text = Vec::new();
    document.serialize(&mut Serializer::with_formatter(&mut text, Lines { depth: 0 }))?;
    String::from_utf8(text).map_err(serde::ser::Error::custom)
}

/// A JSON formatter that breaks lines between the members of the outer objects only.
struct Lines {
    depth: usize,
}

impl Lines {
    fn begin_line<W: ?Sized + std::io::Write>(&self, writer: &mut W) -> std::io::Result<()> {
        if self.depth <= DEPTH { write!(writer, "\n{:1$}", "", self.depth) } else { Ok(()) }
    }
}

impl Formatter for Lines {
    fn begin_object<W: ?Sized + std::io::Write>(&mut self, writer: &mut W) -> std::io::Result<()> {
        self.depth += 1;
        CompactFormatter.begin_object(writer)
    }

    fn end_object<W: ?Sized + std::io::Write>(&mut self, writer: &mut W) -> std::io::Result<()> {
        self.depth -= 1;
        if self.depth < DEPTH {
            self.begin_line(writer)?;
        }
        CompactFormatter.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, first: bool) -> std::io::Result<()> {
        CompactFormatter.begin_object_key(writer, first)?;
        self.begin_line(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_the_same_document_below_512_kib() {
        let document = crate::openapi::document();
        let text = text_of(&document).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), serde_json::to_value(&document).unwrap());
        assert!(text.len() < 512 * 1024, "{} bytes", text.len());
        let longest = text.lines().map(str::len).max().unwrap_or_default();
        assert!(text.lines().count() > 500 && longest < 20_000, "{longest}");
    }
}
