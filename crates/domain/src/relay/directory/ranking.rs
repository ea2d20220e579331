//! Who fits best: by completion record, price, speed kept and presence.
//!
//! A score is made of four parts, each from 0 to 1000, with their weights: the share of its threads that an agent has
//! delivered (40 %), how many of those who fit ask as much or more (25 %), the share of its promises of time that it has
//! kept (20 %), and whether it is there (15 %). Shares are those of one success and one failure more than there were, so
//! that nothing known is half of everything, and a long record counts for more than a short one.

use super::{Availability, Intent, Listing, Offering};

/// Weights of the parts, in hundredths.
const COMPLETION: i64 = 40;
const PRICE: i64 = 25;
const SPEED: i64 = 20;
const PRESENCE: i64 = 15;
/// All of a part.
const WHOLE: i64 = 1000;

/// What somebody looks for; what is none is not asked for. One capability has to fit all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// The service, or all below one.
    pub intent: Option<Intent>,
    /// A language.
    pub language: Option<String>,
    /// The most that a request may cost.
    pub max_price: Option<f64>,
    /// In which currency prices are compared; those in others are not known.
    pub currency: String,
}

/// What an agent has delivered. What it was not to blame for is not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PartyRecord {
    /// Threads that it was chosen for and has delivered.
    pub completed: i64,
    /// Threads that it was chosen for and has given up, or let time out.
    pub failed: i64,
    /// Delivered threads for which it had promised a time.
    pub promised: i64,
    /// Those of them in which it was kept.
    pub kept: i64,
    /// From ACCEPT to RESULT, all delivered threads together, in milliseconds.
    pub delivery_ms: i64,
}

impl PartyRecord {
    /// From ACCEPT to RESULT, on average, in seconds.
    pub fn mean_seconds(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "beyond 2^53 milliseconds a few do not matter")]
        (self.completed > 0).then(|| (self.delivery_ms / self.completed) as f64 / 1000.0)
    }
}

/// Somebody who may fit.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Where it was first registered on the log: of two who are as good, the earlier comes first.
    pub position: i64,
    /// What it can do.
    pub listing: Listing,
    /// What it has done.
    pub record: PartyRecord,
    /// Whether it is there.
    pub availability: Availability,
}

/// What a score is made of, each from 0 to 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// The share of its threads that it has delivered.
    pub completion: i64,
    /// How many of those who fit ask as much or more.
    pub price: i64,
    /// The share of its promises of time that it has kept.
    pub speed: i64,
    /// Whether it is there.
    pub presence: i64,
}

impl Parts {
    /// All of them with their weights, from 0 to 1000.
    pub fn score(&self) -> i64 {
        let sum = self.completion * COMPLETION + self.price * PRICE + self.speed * SPEED + self.presence * PRESENCE;
        sum / 100
    }
}

/// Somebody who fits.
#[derive(Debug, Clone)]
pub struct Ranked {
    /// Who.
    pub candidate: Candidate,
    /// Which of its capabilities: of those that fit the cheapest.
    pub offering: usize,
    /// What that costs in the currency asked for, as far as that can be compared.
    pub price: Option<f64>,
    /// Why it stands where it does.
    pub parts: Parts,
}

/// Those who fit, the best first. Ties are broken by who was registered first.
pub fn rank(wish: &Wish, candidates: Vec<Candidate>) -> Vec<Ranked> {
    let fitting: Vec<_> = candidates
        .into_iter()
        .filter_map(|candidate| best(wish, &candidate.listing).map(|(offering, price)| (candidate, offering, price)))
        .collect();
    let mut prices: Vec<f64> = fitting.iter().map(|(_, _, price)| price.unwrap_or(f64::INFINITY)).collect();
    prices.sort_unstable_by(f64::total_cmp);
    let mut ranked: Vec<_> = fitting
        .into_iter()
        .map(|(candidate, offering, price)| {
            let parts = parts(&candidate, price, &prices);
            Ranked { candidate, offering, price, parts }
        })
        .collect();
    ranked.sort_by_key(|one| (std::cmp::Reverse(one.parts.score()), one.candidate.position));
    ranked
}

/// The capability that fits for the least, and for how much; what has no price comes last.
fn best(wish: &Wish, listing: &Listing) -> Option<(usize, Option<f64>)> {
    let priced = |offering: &Offering| offering.price().and_then(|price| price.amount_in(&wish.currency));
    let fitting = listing.offerings.iter().enumerate().filter(|(_, offering)| fits(wish, offering));
    let compare =
        |one: Option<f64>, other: Option<f64>| one.unwrap_or(f64::INFINITY).total_cmp(&other.unwrap_or(f64::INFINITY));
    fitting.map(|(index, offering)| (index, priced(offering))).min_by(|(_, one), (_, other)| compare(*one, *other))
}

fn fits(wish: &Wish, offering: &Offering) -> bool {
    let affordable = |most: f64| {
        let price = offering.price().and_then(|price| price.amount_in(&wish.currency));
        price.is_some_and(|price| price <= most)
    };
    wish.intent.as_ref().is_none_or(|intent| offering.meeting(intent).next().is_some())
        && wish.language.as_ref().is_none_or(|language| offering.speaks(language))
        && wish.max_price.is_none_or(affordable)
}

/// `prices` are those of all who fit, in order, and beyond all of them where there is none.
fn parts(candidate: &Candidate, price: Option<f64>, prices: &[f64]) -> Parts {
    let PartyRecord { completed, failed, promised, kept, .. } = candidate.record;
    let cheaper = |price: f64| prices.partition_point(|other| *other < price);
    let as_dear = price.map_or(0, |price| prices.len() - cheaper(price));
    Parts {
        completion: share(completed, completed + failed),
        price: part(as_dear, prices.len()),
        speed: share(kept, promised),
        presence: match candidate.availability {
            Availability::Online => WHOLE,
            Availability::Busy => WHOLE / 2,
            Availability::Offline => 0,
        },
    }
}

/// The share of `good` in `all`, with one of each more.
fn share(good: i64, all: i64) -> i64 {
    WHOLE * (good.max(0) + 1) / (all.max(good).max(0) + 2)
}

fn part(some: usize, all: usize) -> i64 {
    let [some, all] = [some, all.max(1)].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
    WHOLE * some / all
}

#[cfg(test)]
mod tests;
