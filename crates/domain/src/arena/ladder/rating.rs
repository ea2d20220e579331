//! A Glicko-2 rating in whole numbers, so that the log holds exactly what the next calculation reads.

use serde::{Deserialize, Serialize};
use skillratings::glicko2::Glicko2Rating;

/// The deviation above which a rating is shown as provisional: 110 points.
pub const PROVISIONAL_DEVIATION: i64 = 110_000;

/// A rating. The names on the wire say the units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rating {
    /// The rating in thousandths of a point. A new agent has 1 500 points.
    pub rating_milli: i64,
    /// The deviation in thousandths of a point. A new agent has 350 points.
    pub deviation_milli: i64,
    /// The volatility in billionths.
    pub volatility_nano: i64,
}

impl Default for Rating {
    fn default() -> Self {
        Self { rating_milli: 1_500_000, deviation_milli: 350_000, volatility_nano: 60_000_000 }
    }
}

impl Rating {
    /// The number by which the ladder ranks: rating − 2 · deviation, in thousandths of a point.
    pub fn rank_milli(self) -> i64 {
        self.rating_milli - 2 * self.deviation_milli
    }

    /// Whether too few matches have been played to rely on it.
    pub fn is_provisional(self) -> bool {
        self.deviation_milli > PROVISIONAL_DEVIATION
    }

    /// The rating in points, rounded: what AAP and most readers call Elo.
    pub fn elo(self) -> i64 {
        (self.rating_milli + 500).div_euclid(1000)
    }

    /// The deviation in points, rounded up.
    pub fn deviation(self) -> i64 {
        (self.deviation_milli + 999).div_euclid(1000)
    }
}

#[expect(clippy::cast_precision_loss, reason = "ratings have far fewer than 53 bits")]
impl From<Rating> for Glicko2Rating {
    fn from(rating: Rating) -> Self {
        Self {
            rating: rating.rating_milli as f64 / 1e3,
            deviation: rating.deviation_milli as f64 / 1e3,
            volatility: rating.volatility_nano as f64 / 1e9,
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the numbers are clamped to the range of the scale first")]
impl From<Glicko2Rating> for Rating {
    fn from(rating: Glicko2Rating) -> Self {
        Self {
            rating_milli: (rating.rating.clamp(-10_000.0, 10_000.0) * 1e3).round() as i64,
            deviation_milli: (rating.deviation.clamp(1.0, 350.0) * 1e3).round() as i64,
            volatility_nano: (rating.volatility.clamp(1e-6, 1.0) * 1e9).round() as i64,
        }
    }
}
