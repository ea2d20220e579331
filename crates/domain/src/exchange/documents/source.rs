//! The text of a document in a `data:` URL (RFC 2397). The server never fetches other URLs.

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::TEXT_MAX;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// The characters that Python's `urllib.parse.quote` escapes. The client `agora-protocol` writes its sources with it.
const QUOTED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'.').remove(b'-').remove(b'~').remove(b'/');
/// The maximum number of bytes in a source: percent-encoding triples each byte of the text.
const SOURCE_MAX: usize = 3 * TEXT_MAX + 256;

/// The reason why a source gives no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSource {
    /// The source is not a `data:` URL.
    #[error("the source is not a data: URL, and the server fetches no other")]
    NotData,
    /// The URL has no comma before its data.
    #[error("the data: URL has no comma before its data")]
    NoComma,
    /// The media type is not `text/…` in UTF-8.
    #[error("the data: URL does not have a text/… type in UTF-8")]
    NotText,
    /// The data is not the base64 that the URL announces.
    #[error("the data: URL announces base64, but its data is not base64")]
    NotBase64,
    /// The data is not UTF-8.
    #[error("the data of the data: URL is not UTF-8")]
    NotUtf8,
    /// The URL is longer than that of the largest document.
    #[error("the data: URL has more than {SOURCE_MAX} bytes")]
    TooLong,
}

/// Decodes the text of a source.
pub fn decode_source(source: &str) -> Result<String, InvalidSource> {
    let data = source.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("data:")).map(|_| &source[5..]);
    let data = data.ok_or(InvalidSource::NotData)?;
    if source.len() > SOURCE_MAX {
        return Err(InvalidSource::TooLong);
    }
    let (media, data) = data.split_once(',').ok_or(InvalidSource::NoComma)?;
    let (media, base64) = match media.rsplit_once(';') {
        Some((media, last)) if last.trim().eq_ignore_ascii_case("base64") => (media, true),
        _ => (media, false),
    };
    if !is_text(media) {
        return Err(InvalidSource::NotText);
    }
    let mut bytes: Vec<u8> = percent_decode_str(data).collect();
    if base64 {
        bytes = BASE64.decode(bytes).map_err(|_| InvalidSource::NotBase64)?;
    }
    String::from_utf8(bytes).map_err(|_| InvalidSource::NotUtf8)
}

/// Encodes a text as a source, as the client `agora-protocol` writes it.
pub fn encode_source(text: &str) -> String {
    format!("data:text/plain;charset=utf-8,{}", utf8_percent_encode(text, QUOTED))
}

/// Whether a media type is `text/…` in UTF-8 or its subset ASCII. An empty media type means `text/plain`.
fn is_text(media: &str) -> bool {
    let mut parts = media.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
    let mut parameters = parts.filter_map(|part| part.split_once('='));
    let charset = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset")).map(|(_, value)| value);
    let charset = charset.unwrap_or("utf-8").trim().trim_matches('"').to_ascii_lowercase();
    (kind.is_empty() || kind.starts_with("text/")) && ["utf-8", "utf8", "us-ascii"].contains(&&*charset)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_client_encodings_and_other_texts_are_decoded() {
        for source in [
            "data:text/plain;charset=utf-8,a%20%C3%A9",
            "data:text/plain;charset=utf-8;base64,YSDDqQ==",
            "data:text/plain;charset=utf-8;base64,YSDDqQ%3D%3D",
            "DATA:text/markdown; charset=\"UTF-8\",a é",
            "data:text/yaml;base64,YSDDqQ",
            "data:,a%20%c3%a9",
        ] {
            assert_eq!(decode_source(source).as_deref(), Ok("a é"), "{source}");
        }
        // A plus sign is literal, and an invalid escape is kept.
        assert_eq!(decode_source("data:,a+b,%zz%").as_deref(), Ok("a+b,%zz%"));
    }

    #[test]
    fn an_invalid_source_names_its_fault() {
        for (source, error) in [
            ("https://example.org/p.txt", InvalidSource::NotData),
            ("name: n\n---\n", InvalidSource::NotData),
            ("dät", InvalidSource::NotData),
            ("data:text/plain", InvalidSource::NoComma),
            ("data:application/json,{}", InvalidSource::NotText),
            ("data:text/plain;charset=latin1,a", InvalidSource::NotText),
            ("data:;base64,?", InvalidSource::NotBase64),
            ("data:,%ff", InvalidSource::NotUtf8),
        ] {
            assert_eq!(decode_source(source), Err(error), "{source}");
        }
        assert_eq!(decode_source(&format!("data:,{}", "a".repeat(SOURCE_MAX))), Err(InvalidSource::TooLong));
    }

    #[test]
    fn a_source_is_encoded_as_the_client_encodes_it() {
        // Python: encode_as_data_uri("---\nname: é/~_.-*'(")
        let expected = "data:text/plain;charset=utf-8,---%0Aname%3A%20%C3%A9/~_.-%2A%27%28";
        assert_eq!(encode_source("---\nname: é/~_.-*'("), expected);
    }

    proptest! {
        #[test]
        fn any_text_round_trips_through_a_source(text in any::<String>()) {
            let source = encode_source(&text);
            prop_assert!(source.is_ascii());
            prop_assert_eq!(decode_source(&source), Ok(text));
        }

        #[test]
        fn decoding_any_source_does_not_panic(source in "(data:)?(text/[a-z]{0,3})?(;[a-z0-9=-]{0,9}){0,3},?\\PC{0,40}") {
            let _ = decode_source(&source);
        }
    }
}
