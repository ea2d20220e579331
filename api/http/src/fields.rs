//! Fields that bodies of several contexts share: tags, ids, texts that must not be blank, and optional members.

use std::str::FromStr;

use buildtrack_domain::{
    identity::{EmailAddress, EmailAddressError},
    ids::InvalidId,
    visible::has_visible,
    workspaces::TAG_MAX,
};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use utoipa::openapi::{Array, ArrayBuilder, ObjectBuilder, Type};
use validator::ValidationError;

/// A text without a space at either end. Regular expressions, JavaScript and Unicode disagree about U+0085 and U+FEFF: neither may
/// stand there.
const TAG_PATTERN: &str = r"^[^\s\u0085\ufeff]([\s\S]*[^\s\u0085\ufeff])?$";

/// The schema of tags.
pub fn tags(description: &str, example: Value) -> Array {
    let tag = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(50));
    ArrayBuilder::new()
        .items(tag.pattern(Some(TAG_PATTERN)))
        .unique_items(true)
        .max_items(Some(20))
        .description(Some(format!("{description} Tags have no leading or trailing spaces and are unique.")))
        .examples([example])
        .build()
}

/// Whether these are valid tags.
pub fn valid_tags(tags: &[String]) -> Result<(), ValidationError> {
    let is_space = |letter: char| letter.is_whitespace() || letter == '\u{feff}';
    let wrong =
        |tag: &String| tag.trim_matches(is_space) != tag || !(1..=TAG_MAX).contains(&(tag.chars().count() as u64));
    tags.iter().try_for_each(|tag| not_invisible(tag))?;
    let mut sorted: Vec<_> = tags.iter().collect();
    sorted.sort_unstable();
    if tags.iter().any(wrong) {
        let message = "each tag must have 1 to 50 characters, without leading or trailing spaces";
        return Err(ValidationError::new("invalid").with_message(message.into()));
    }
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(ValidationError::new("duplicate").with_message("the tags must be unique".into()));
    }
    Ok(())
}

/// Validates an id of a given type.
pub fn id_of<I: FromStr<Err = InvalidId>>(text: &str) -> Result<(), ValidationError> {
    let wrong = |error: InvalidId| ValidationError::new("wrong_form").with_message(error.to_string().into());
    text.parse::<I>().map(drop).map_err(wrong)
}

/// Rejects a text that is no e-mail address that mail can be sent to.
pub fn email_address(text: &str) -> Result<(), ValidationError> {
    let wrong = |error: EmailAddressError| {
        let code = if error == EmailAddressError::TooLong { "too_long" } else { "wrong_form" };
        ValidationError::new(code).with_message(format!("email is not an e-mail address: {error}").into())
    };
    text.parse::<EmailAddress>().map(drop).map_err(wrong)
}

/// Rejects a text of white space alone, and one in which readers see nothing.
pub fn not_blank(text: &str) -> Result<(), ValidationError> {
    if !text.is_empty() && text.trim().is_empty() {
        return Err(ValidationError::new("blank").with_message("the text must not be blank".into()));
    }
    not_invisible(text)
}

/// Rejects a text in which readers see nothing, if it is not just empty.
pub fn not_invisible(text: &str) -> Result<(), ValidationError> {
    if !text.trim().is_empty() && !has_visible(text) {
        return Err(ValidationError::new("invisible").with_message(INVISIBLE.into()));
    }
    Ok(())
}

/// What is wrong with a text of spaces, controls, format characters and marks alone.
const INVISIBLE: &str = "the text must have a visible character: a letter, a number, punctuation or a symbol";

/// Deserializes an optional member that must not be null.
pub fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Deserializes an optional member, and distinguishes null from an absent member.
pub fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}
