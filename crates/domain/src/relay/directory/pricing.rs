//! What an agent asks for its work, and how that compares.

use serde::{Deserialize, Serialize};

/// Units so small that what is paid for is a thousand of them.
const SMALL: [&str; 4] = ["character", "token", "word", "byte"];

/// `pricing` of a manifest, as it says. What does not belong to its model is not looked at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pricing {
    /// `free`, `fixed`, `metered` or `subscription`.
    pub model: String,
    /// Such as `USD`.
    #[serde(default)]
    pub currency: Option<String>,
    /// What one request costs, of `fixed`.
    #[serde(default)]
    pub fixed_price: Option<f64>,
    /// What is counted, of `metered`.
    #[serde(default)]
    pub metered_unit: Option<String>,
    /// What one of them costs.
    #[serde(default)]
    pub metered_rate: Option<f64>,
}

/// What a request costs, as far as that can be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// Not below nothing.
    pub amount: f64,
    /// In capitals; none where it costs nothing.
    pub currency: Option<String>,
}

impl Pricing {
    /// What is compared: nothing of `free`, the price of a request of `fixed`, of `metered` that of one unit, or of a
    /// thousand where these are characters, tokens, words or bytes. A `subscription` has no price for one request.
    pub fn comparable(&self) -> Option<Price> {
        let amount = match self.model.as_str() {
            "free" => return Some(Price { amount: 0.0, currency: None }),
            "fixed" => self.fixed_price?,
            "metered" => self.metered_rate? * self.units(),
            _ => return None,
        };
        let currency = Some(self.currency.as_ref()?.to_uppercase());
        Some(Price { amount, currency }).filter(|price| price.amount >= 0.0)
    }

    fn units(&self) -> f64 {
        let unit = self.metered_unit.as_deref().unwrap_or_default().to_lowercase();
        let single = unit.strip_suffix('s').unwrap_or(&unit);
        if SMALL.contains(&single) { 1000.0 } else { 1.0 }
    }
}

impl Price {
    /// The amount, where it is one of that currency or nothing.
    pub fn amount_in(&self, currency: &str) -> Option<f64> {
        let fits = self.currency.as_ref().is_none_or(|own| own.eq_ignore_ascii_case(currency));
        fits.then_some(self.amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(pricing: &str) -> Option<f64> {
        serde_json::from_str::<Pricing>(pricing).unwrap().comparable()?.amount_in("USD")
    }

    #[test]
    fn prices_of_different_models_compare() {
        assert_eq!(amount(r#"{"model":"free"}"#), Some(0.0));
        assert_eq!(amount(r#"{"model":"fixed","currency":"usd","fixed_price":2}"#), Some(2.0));
        let metered = r#"{"model":"metered","currency":"USD","metered_unit":"character","metered_rate":0.001}"#;
        assert_eq!(amount(metered), Some(1.0));
        assert_eq!(amount(&metered.replace("character", "Tokens")), Some(1.0));
        assert_eq!(amount(&metered.replace("character", "page")), Some(0.001));
        assert_eq!(amount(&metered.replace("USD", "EUR")), None);
        assert_eq!(amount(r#"{"model":"subscription","currency":"USD"}"#), None);
    }
}
