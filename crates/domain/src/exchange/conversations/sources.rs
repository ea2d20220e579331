//! Where a document comes from (seed: «Usage of Protocol Hash and Sources»). Addresses are never called.

use base64::{Engine, engine::general_purpose::STANDARD};

/// What a source is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The document itself.
    Text(String),
    /// A `data:` URI that cannot be read.
    Unreadable,
    /// An address, or anything else that is not looked at.
    Elsewhere,
}

/// Reads a source: of `data:` URIs (RFC 2397) the text, in base64 or percent-encoded, in UTF-8.
pub fn source(text: &str) -> Source {
    let Some(rest) = text.strip_prefix("data:") else { return Source::Elsewhere };
    let Some((kind, data)) = rest.split_once(',') else { return Source::Unreadable };
    let bytes = percent_decoded(data);
    let bytes = if kind.ends_with(";base64") { bytes.and_then(|bytes| STANDARD.decode(bytes).ok()) } else { bytes };
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map_or(Source::Unreadable, Source::Text)
}

/// None where a percent sign is not followed by two hex digits.
fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn data_is_read_and_addresses_are_not_called() {
        let text = |text: &str| Source::Text(text.to_owned());
        assert_eq!(source("data:text/plain;charset=utf-8,a%0Ab%C3%A9"), text("a\nbé"));
        assert_eq!(source("data:text/plain;charset=utf-8;base64,YQpi"), text("a\nb"));
        assert_eq!(source("data:,"), text(""));
        assert_eq!(source("https://example.org/a.txt"), Source::Elsewhere);
        assert_eq!(source("data:text/plain"), Source::Unreadable);
        assert_eq!(source("data:text/plain,%f"), Source::Unreadable);
        assert_eq!(source("data:text/plain,%+1"), Source::Unreadable);
        assert_eq!(source("data:text/plain;base64,?"), Source::Unreadable);
        assert_eq!(source("data:text/plain,%ff"), Source::Unreadable);
    }

    proptest! {
        #[test]
        fn any_text_survives_its_encoding(text in any::<String>()) {
            let escaped = text.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
            prop_assert_eq!(source(&format!("data:text/plain;charset=utf-8,{escaped}")), Source::Text(text.clone()));
            let encoded = STANDARD.encode(&text);
            prop_assert_eq!(source(&format!("data:text/plain;charset=utf-8;base64,{encoded}")), Source::Text(text));
        }

        #[test]
        fn nothing_breaks_it(text in any::<String>()) {
            drop(source(&format!("data:{text}")));
        }
    }
}
