//! Intents: dotted names of services, such as `translation.en_zh`, and patterns for all intents below a name, such as
//! `translation.*`.

use std::{fmt, str::FromStr};

use crate::relay::InvalidText;

/// An intent, or a pattern for all intents below one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent(String);

impl Intent {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// For a pattern: the prefix of all matching intents, including the last dot. `None` for a single intent.
    pub fn prefix(&self) -> Option<&str> {
        self.0.strip_suffix('*')
    }

    /// The patterns that match it: `a.*` and `a.b.*` for `a.b.c`.
    pub fn above(&self) -> impl Iterator<Item = String> + '_ {
        let named = self.0.strip_suffix(".*").unwrap_or(&self.0);
        named.match_indices('.').map(|(at, _)| format!("{}.*", &named[..at]))
    }

    /// Whether this intent and `other` have a service in common. Symmetric.
    pub fn meets(&self, other: &Self) -> bool {
        match (self.prefix(), other.prefix()) {
            (None, None) => self == other,
            (Some(prefix), None) => is_below(&other.0, prefix),
            (None, Some(prefix)) => is_below(&self.0, prefix),
            (Some(one), Some(other)) => one.starts_with(other) || other.starts_with(one),
        }
    }
}

fn is_below(intent: &str, prefix: &str) -> bool {
    intent.len() > prefix.len() && intent.starts_with(prefix)
}

impl fmt::Display for Intent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for Intent {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let named = text.strip_suffix(".*").unwrap_or(text);
        let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | ':' | '/');
        let fits = |part: &str| !part.is_empty() && part.chars().all(plain);
        if text.len() <= 128 && named.split('.').all(fits) { Ok(Self(text.to_owned())) } else { Err(InvalidText) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intent(text: &str) -> Intent {
        text.parse().unwrap()
    }

    #[test]
    fn a_pattern_matches_only_the_intents_below_it() {
        for (one, other) in [
            ("translation.en_zh", "translation.en_zh"),
            ("translation.*", "translation.en_zh"),
            ("translation.*", "translation.medical.en_zh"),
            ("translation.*", "translation.medical.*"),
            ("translation.*", "translation.*"),
        ] {
            assert!(intent(one).meets(&intent(other)) && intent(other).meets(&intent(one)), "{one} {other}");
        }
        for (one, other) in [
            ("translation.en_zh", "translation.zh_en"),
            ("translation.*", "translation"),
            ("translation.*", "translations.en"),
            ("translation.a.*", "translation.b.*"),
            ("translation", "translation.en"),
        ] {
            assert!(!intent(one).meets(&intent(other)) && !intent(other).meets(&intent(one)), "{one} {other}");
        }
    }

    #[test]
    fn patterns_above_an_intent_match_it() {
        let above: Vec<_> = intent("a.b.c").above().collect();
        assert_eq!(above, ["a.*", "a.b.*"]);
        assert!(above.iter().all(|pattern| intent(pattern).meets(&intent("a.b.c"))));
        assert_eq!(intent("a.b.*").above().collect::<Vec<_>>(), ["a.*"]);
        assert_eq!(intent("a").above().count(), 0);
    }

    #[test]
    fn an_intent_has_parts_of_plain_characters() {
        for text in ["", ".", "a.", ".a", "*", "a*", "a.*.b", "a b", "a.b%", "ä", &"a".repeat(129)] {
            assert_eq!(text.parse::<Intent>(), Err(InvalidText), "{text:?}");
        }
    }
}
