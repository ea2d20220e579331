//! The prices of capabilities, and how they compare.

use serde::{Deserialize, Serialize};

/// Units that are so small that prices are compared per thousand.
const SMALL: [&str; 4] = ["character", "token", "word", "byte"];

/// The `pricing` of a manifest, as stated. Fields that do not belong to its model are ignored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pricing {
    /// `free`, `fixed`, `metered` or `subscription`.
    pub model: String,
    /// The currency code, such as `USD`.
    #[serde(default)]
    pub currency: Option<String>,
    /// For `fixed`: the price of one request.
    #[serde(default)]
    pub fixed_price: Option<f64>,
    /// For `metered`: the counted unit.
    #[serde(default)]
    pub metered_unit: Option<String>,
    /// For `metered`: the price of one unit.
    #[serde(default)]
    pub metered_rate: Option<f64>,
}

/// The comparable price of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// At least 0.
    pub amount: f64,
    /// In capitals; `None` if the price is 0.
    pub currency: Option<String>,
}

impl Pricing {
    /// The price for comparison: 0 for `free`, the price of a request for `fixed`, and for `metered` the price of one
    /// unit, or of a thousand if the unit is a character, token, word or byte. `None` for `subscription`, which has no
    /// price per request.
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
    /// The amount, if its currency is `currency` or the price is 0.
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
