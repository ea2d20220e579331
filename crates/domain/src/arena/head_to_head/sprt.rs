//! The generalised sequential probability ratio test on wins, draws and losses, with hypotheses in logistic Elo.
//!
//! Sources: Wald, Sequential Tests of Statistical Hypotheses (1945), for the bounds. Van den Bergh, A Practical Introduction to the
//! GSPRT (<https://hardy.uhasselt.be/Fishtest/GSPRT_approximation.pdf>), and Comments on Normalized Elo, proposition 1.1 of
//! `support_MLE_multinomial.pdf` at the same address, for the likelihoods. Fishtest calculates the same (`LLR_logistic` in
//! `LLRcalc.py`), with the same replacement of counts that are zero.

/// Stands for a count that is zero, as in fishtest's `regularize`.
const PRIOR: f64 = 1e-3;
/// Halvings of an interval, after which its ends are neighbouring numbers.
const HALVINGS: u32 = 200;
/// Standard deviations within which 95 % of a normal distribution lie.
const CONFIDENCE: f64 = 1.959_964;

/// Counted matches, from the first agent's side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Matches that it won.
    pub won: u32,
    /// Matches that it drew.
    pub drew: u32,
    /// Matches that it lost.
    pub lost: u32,
}

/// What a test decides between.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hypotheses {
    /// H0: the difference in Elo is at most this.
    pub elo0: f64,
    /// H1: the difference in Elo is at least this.
    pub elo1: f64,
    /// The probability of accepting H1 if H0 holds.
    pub alpha: f64,
    /// The probability of accepting H0 if H1 holds.
    pub beta: f64,
}

/// The difference in Elo that counts suggest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// In points.
    pub elo: f64,
    /// Half the width of the interval that holds the true difference with 95 %.
    pub margin: f64,
}

impl Counts {
    /// The number of counted matches.
    pub fn total(self) -> u32 {
        self.won + self.drew + self.lost
    }

    /// The scores 0, ½ and 1 with their shares, and the number of matches.
    fn shares(self) -> ([(f64, f64); 3], f64) {
        let counts = [self.lost, self.drew, self.won].map(|count| if count == 0 { PRIOR } else { f64::from(count) });
        let total: f64 = counts.iter().sum();
        ([(0.0, counts[0] / total), (0.5, counts[1] / total), (1.0, counts[2] / total)], total)
    }

    /// The difference in Elo, and its margin at 95 %; `None` before the first match.
    pub fn estimate(self) -> Option<Estimate> {
        if self.total() == 0 {
            return None;
        }
        let (shares, total) = self.shares();
        let mean: f64 = shares.iter().map(|(score, share)| score * share).sum();
        let variance: f64 = shares.iter().map(|(score, share)| share * (score - mean).powi(2)).sum();
        let error = CONFIDENCE * (variance / total).sqrt();
        Some(Estimate { elo: elo(mean), margin: (elo(mean + error) - elo(mean - error)) / 2.0 })
    }
}

impl Hypotheses {
    /// The bounds of the log-likelihood ratio: at the first H0 is accepted, at the second H1.
    pub fn bounds(self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The logarithm of the ratio of the likelihoods of H1 and H0; 0 before the first match.
    pub fn log_likelihood_ratio(self, counts: Counts) -> f64 {
        if counts.total() == 0 {
            return 0.0;
        }
        let (shares, total) = counts.shares();
        let (under0, under1) = (likeliest(shares, score(self.elo0)), likeliest(shares, score(self.elo1)));
        let logs = shares.iter().zip(under0).zip(under1);
        total * logs.map(|(((_, share), under0), under1)| share * (under1 / under0).ln()).sum::<f64>()
    }
}

/// The distribution with this mean under which the shares are likeliest: `p / (1 + x (a − mean))`, where x is the root of
/// `Σ p (a − mean) / (1 + x (a − mean))`, which falls with x.
fn likeliest(shares: [(f64, f64); 3], mean: f64) -> [f64; 3] {
    let slope = |x: f64| shares.iter().map(|(score, share)| share * (score - mean) / (1.0 + x * (score - mean))).sum();
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        let slope: f64 = slope(middle);
        if slope > 0.0 { low = middle } else { high = middle }
    }
    let root = f64::midpoint(low, high);
    shares.map(|(score, share)| share / (1.0 + root * (score - mean)))
}

/// The expected score at a difference in Elo.
fn score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The difference in Elo at an expected score, which is kept away from 0 and 1 as fishtest does.
fn elo(score: f64) -> f64 {
    -400.0 * (1.0 / score.clamp(PRIOR, 1.0 - PRIOR) - 1.0).log10()
}
