//! Where a document's text is found: within a `data:` address (RFC 2397). What is anywhere else is never fetched.

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
/// As `urllib.parse.quote` of Python does it, with which the client `agora-protocol` writes its sources.
const QUOTED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'.').remove(b'-').remove(b'~').remove(b'/');
/// Bytes of an address whose text may still be short enough: each byte of it is written as three.
const SOURCE_MAX: usize = 3 * TEXT_MAX + 256;

/// Why a source gives no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSource {
    /// It is another address, or none.
    #[error("the source is no data: address, and no other is fetched")]
    NotData,
    /// There is no comma, behind which the text would be.
    #[error("the data: address has no comma before its data")]
    NoComma,
    /// It holds something else than text.
    #[error("the data: address is not of a text/… type in UTF-8")]
    NotText,
    /// What is to be base64 is not.
    #[error("the data: address is not in base64, although it says so")]
    NotBase64,
    /// Its bytes are not UTF-8.
    #[error("the data of the address is not UTF-8")]
    NotUtf8,
    /// It is longer than any document can be.
    #[error("the data: address has more than {SOURCE_MAX} bytes")]
    TooLong,
}

/// The text in a source.
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

/// The source of a text, as the client `agora-protocol` writes it.
pub fn encode_source(text: &str) -> String {
    format!("data:text/plain;charset=utf-8,{}", utf8_percent_encode(text, QUOTED))
}

/// `text/…` with no other charset than UTF-8, or ASCII, which is some of it; nothing at all is `text/plain`.
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
    fn both_forms_of_the_client_and_other_texts_are_read() {
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
        // A plus sign is one, and what is no escape stays as it is.
        assert_eq!(decode_source("data:,a+b,%zz%").as_deref(), Ok("a+b,%zz%"));
    }

    #[test]
    fn what_gives_no_text_says_why() {
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
    fn it_is_written_as_the_client_writes_it() {
        // Python: encode_as_data_uri("---\nname: é/~_.-*'(")
        let expected = "data:text/plain;charset=utf-8,---%0Aname%3A%20%C3%A9/~_.-%2A%27%28";
        assert_eq!(encode_source("---\nname: é/~_.-*'("), expected);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(text in any::<String>()) {
            let source = encode_source(&text);
            prop_assert!(source.is_ascii());
            prop_assert_eq!(decode_source(&source), Ok(text));
        }

        #[test]
        fn no_source_makes_it_fail(source in "(data:)?(text/[a-z]{0,3})?(;[a-z0-9=-]{0,9}){0,3},?\\PC{0,40}") {
            let _ = decode_source(&source);
        }
    }
}
