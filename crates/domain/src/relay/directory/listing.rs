//! What of a registration is looked at when somebody is looked for.

use serde::{Deserialize, Deserializer, Serialize};

use super::{Intent, Price, Pricing};
use crate::relay::Sealed;

/// See the module.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// What the agent calls itself.
    #[serde(default)]
    pub name: Option<String>,
    /// What it can do, in its order.
    pub offerings: Vec<Offering>,
}

/// One capability (seed: «Capability Manifest»).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Offering {
    /// What the agent calls the capability, for programs.
    pub id: String,
    /// For people.
    pub name: String,
    /// The services, each once.
    #[serde(deserialize_with = "intents")]
    pub intents: Vec<String>,
    /// In which languages, as tags of BCP 47.
    #[serde(default, rename = "supported_languages")]
    pub languages: Vec<String>,
    /// For how much.
    #[serde(default)]
    pub pricing: Option<Pricing>,
}

impl Listing {
    /// Reads it out of a registration; none where the text is not that of one.
    pub fn read(registration: &Sealed) -> Option<Self> {
        let Wire { agent, capabilities } = serde_json::from_str(registration.as_str()).ok()?;
        Some(Self { name: agent.name, offerings: capabilities.unwrap_or_default() })
    }

    /// All services, each once, in order.
    pub fn intents(&self) -> Vec<&str> {
        let all: std::collections::BTreeSet<_> =
            self.offerings.iter().flat_map(|offering| &offering.intents).map(String::as_str).collect();
        all.into_iter().collect()
    }
}

impl Offering {
    /// Its services that are meant by `wanted`.
    pub fn meeting<'s>(&'s self, wanted: &'s Intent) -> impl Iterator<Item = &'s str> {
        let meets = |intent: &&str| intent.parse::<Intent>().is_ok_and(|intent| intent.meets(wanted));
        self.intents.iter().map(String::as_str).filter(meets)
    }

    /// Whether it is offered in a language: in itself, or in a variety of it (RFC 4647, basic filtering).
    pub fn speaks(&self, wanted: &str) -> bool {
        let wanted = wanted.to_ascii_lowercase();
        let is_variety =
            |tag: &str| tag.strip_prefix(&*wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
        self.languages.iter().any(|language| is_variety(&language.to_ascii_lowercase()))
    }

    /// What a request costs, as far as that can be compared.
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

/// An intent as the seed has it, or as the protocol's public SDK allows too.
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
    fn a_registration_is_read_and_read_again() {
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
