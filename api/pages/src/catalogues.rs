//! The texts of the pages: catalogues of messages in the syntax of Project Fluent, in the folder `texts`, one folder a
//! language.
//!
//! **Invariant:** every message exists in every language with the same values (`checks`).

use std::{borrow::Cow, sync::LazyLock};

use fluent_bundle::{FluentArgs, FluentResource, concurrent::FluentBundle};

use super::languages::Language;

/// The messages of a language. The concurrent variant: worker threads share it.
type Messages = FluentBundle<FluentResource>;

macro_rules! catalogues {
    ($($name:literal),* $(,)?) => {
        /// The names of the catalogues.
        #[cfg(test)]
        pub(super) const NAMES: &[&str] = &[$($name),*];
        const ENGLISH: &[&str] = &[$(include_str!(concat!("texts/en/", $name, ".ftl"))),*];
        const KOREAN: &[&str] = &[$(include_str!(concat!("texts/ko/", $name, ".ftl"))),*];
        const SPANISH: &[&str] = &[$(include_str!(concat!("texts/es/", $name, ".ftl"))),*];
    };
}

// One line a catalogue. A test checks that every file is listed.
catalogues! {
    "agent",
    "arena",
    "base",
    "forum",
    "guide",
    "home",
    "inbox",
    "log",
    "notifications",
    "operator",
    "people",
    "portal",
    "portal-webhooks",
    "portal-write",
    "problem",
    "public",
    "reference",
    "search",
    "shared",
    "tracks",
    "words",
}

static MESSAGES: LazyLock<[Messages; 3]> = LazyLock::new(|| Language::ALL.map(read));

/// The source texts of a language's catalogues.
pub(super) fn sources(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => ENGLISH,
        Language::Korean => KOREAN,
        Language::Spanish => SPANISH,
    }
}

fn read(language: Language) -> Messages {
    let mut messages = Messages::new_concurrent(vec![language.tag().parse().unwrap_or_default()]);
    // Without the marks of direction around values: all three languages are written from left to right, and templates isolate the
    // texts of users (`<bdi>`).
    messages.set_use_isolating(false);
    for text in sources(language) {
        // Of a catalogue with an error, the valid messages are kept. A test finds the error.
        let catalogue = FluentResource::try_new((*text).to_owned()).unwrap_or_else(|(valid, _)| valid);
        messages.add_resource_overriding(catalogue);
    }
    messages
}

/// The text of a message in this language.
pub(super) fn text(language: Language, key: &str, values: Option<&FluentArgs<'_>>) -> Option<Cow<'static, str>> {
    let messages = &MESSAGES[language as usize];
    let pattern = messages.get_message(key)?.value()?;
    Some(messages.format_pattern(pattern, values, &mut vec![]))
}
