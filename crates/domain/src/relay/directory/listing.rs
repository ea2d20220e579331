//! The searchable part of a directory registration.

use serde::{Deserialize, Deserializer, Serialize};

use super::{Intent, Price, Pricing};
use crate::relay::Sealed;

/// The fields of a registration that a search uses.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// The agent's name.
    #[serde(default)]
    pub name: Option<String>,
    /// The agent's capabilities, in its order.
    pub offerings: Vec<Offering>,
}

/// One capability (seed: «Capability Manifest»).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Offering {
    /// The capability's identifier.
    pub id: String,
    /// The human-readable name.
    pub name: String,
    /// The intents of the services, without duplicates.
    #[serde(deserialize_with = "intents")]
    pub intents: Vec<String>,
    /// The languages, as BCP 47 tags.
    #[serde(default, rename = "supported_languages")]
    pub languages: Vec<String>,
    /// The price.
    #[serde(default)]
    pub pricing: Option<Pricing>,
}

impl Listing {
    /// Parses a registration; `None` if the text is not one.
    pub fn read(registration: &Sealed) -> Option<Self> {
        let Wire { agent, capabilities } = serde_json::from_str(registration.as_str()).ok()?;
        Some(Self { name: agent.name, offerings: capabilities.unwrap_or_default() })
    }

    /// All intents, without duplicates, in order.
    pub fn intents(&self) -> Vec<&str> {
        let all: std::collections::BTreeSet<_> =
            self.offerings.iter().flat_map(|offering| &offering.intents).map(String::as_str).collect();
        all.into_iter().collect()
    }
}

impl Offering {
    /// The intents that match `wanted`.
    pub fn meeting<'s>(&'s self, wanted: &'s Intent) -> impl Iterator<Item = &'s str> {
        let meets = |intent: &&str| intent.parse::<Intent>().is_ok_and(|intent| intent.meets(wanted));
        self.intents.iter().map(String::as_str).filter(meets)
    }

    /// Whether the capability is offered in a language or a variety of it (RFC 4647, basic filtering).
    pub fn speaks(&self, wanted: &str) -> bool {
        let wanted = wanted.to_ascii_lowercase();
        let is_variety =
            |tag: &str| tag.strip_prefix(&*wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
        self.languages.iter().any(|language| is_variety(&language.to_ascii_lowercase()))
    }

    /// The price of a request, if it is comparable.
    pub fn price(&self) -> Option<Price> {
        self.pricing.as_ref()?.comparable()
    }
}

#[derive(Deserialize)]
struct Wire {
    agent: Agent,
    #[serde(default)]
    capabilities: Option<Vec<Offering>>,
}

#[derive(Deserialize)]
struct Agent {
    #[serde(default)]
    name: Option<String>,
}

/// An intent as the seed defines it, or in the form that the protocol's public SDK also allows.
#[derive(Deserialize)]
#[serde(untagged)]
enum WireIntent {
    Described { id: String },
    Named(String),
}

fn intents<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let mut seen = std::collections::BTreeSet::new();
    let all = Vec::<WireIntent>::deserialize(deserializer)?.into_iter();
    let names = all.map(|intent| match intent {
        WireIntent::Described { id } | WireIntent::Named(id) => id,
    });
    Ok(names.filter(|name| seen.insert(name.clone())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parsed_registration_round_trips() {
        let text = r#"{"agent":{"id":"did:key:z","name":"Poly"},"capabilities":[{"id":"c","name":"C",
            "intents":["a.b",{"id":"a.c","name":"AC"},"a.b"],"supported_languages":["en","zh-Hant"],
            "pricing":{"model":"free"}}],"ts":"2026-02-02T15:30:00Z","sig":"x"}"#;
        let listing = Listing::read(&Sealed::new(text)).unwrap();
        assert_eq!((listing.name.as_deref(), listing.intents()), (Some("Poly"), vec!["a.b", "a.c"]));
        let offering = &listing.offerings[0];
        assert!(offering.speaks("EN") && offering.speaks("zh") && !offering.speaks("z") && !offering.speaks("zh-Hans"));
        let again: Listing = serde_json::from_str(&serde_json::to_string(&listing).unwrap()).unwrap();
        assert_eq!(again, listing);
        assert_eq!(Listing::read(&Sealed::new(r#"{"agent":{}}"#)), Some(Listing::default()));
    }
}
