//! Ranking of directory entries for a query: by completion record, price, kept time promises and presence.
//!
//! A score has four parts, each from 0 to 1000, with weights: the share of accepted threads that the agent delivered
//! (40 %), the share of matching agents that ask as much or more (25 %), the share of time promises that it kept (20
//! %), and its presence (15 %). Shares count one additional success and one additional failure, so that an agent
//! without a record gets one half, and a long record weighs more than a short one.

use super::{Availability, Intent, Listing, Offering};

/// The weights of the parts, in percent.
const COMPLETION: i64 = 40;
const PRICE: i64 = 25;
const SPEED: i64 = 20;
const PRESENCE: i64 = 15;
/// The maximum of a part.
const WHOLE: i64 = 1000;

/// A directory query. Fields that are `None` do not restrict it. One capability must match all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct DirectoryQuery {
    /// The intent, or a pattern.
    pub intent: Option<Intent>,
    /// A language.
    pub language: Option<String>,
    /// The maximum price of a request.
    pub max_price: Option<f64>,
    /// The currency in which prices are compared. Prices in other currencies count as unknown.
    pub currency: String,
}

/// The record of an agent. Threads that failed without its fault are not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PartyRecord {
    /// Threads that it was chosen for and delivered.
    pub completed: i64,
    /// Threads that it was chosen for and failed, or let time out.
    pub failed: i64,
    /// Delivered threads with a time promise.
    pub promised: i64,
    /// Delivered threads whose time promise it kept.
    pub on_time: i64,
    /// The total time from ACCEPT to RESULT of all delivered threads, in milliseconds.
    pub delivery_ms: i64,
}

impl PartyRecord {
    /// The average time from ACCEPT to RESULT, in seconds.
    pub fn mean_seconds(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "above 2^53 milliseconds the error is negligible")]
        (self.completed > 0).then(|| (self.delivery_ms / self.completed) as f64 / 1000.0)
    }
}

/// An agent that may match the query.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The log position of its first registration. Breaks ties: the earlier comes first.
    pub position: i64,
    /// Its registration.
    pub listing: Listing,
    /// Its record.
    pub record: PartyRecord,
    /// Its availability.
    pub availability: Availability,
}

/// The parts of a score, each from 0 to 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// The share of accepted threads that it delivered.
    pub completion: i64,
    /// The share of matching agents that ask as much or more.
    pub price: i64,
    /// The share of time promises that it kept.
    pub speed: i64,
    /// Its presence.
    pub presence: i64,
}

impl Parts {
    /// The weighted sum of the parts, from 0 to 1000.
    pub fn score(&self) -> i64 {
        let sum = self.completion * COMPLETION + self.price * PRICE + self.speed * SPEED + self.presence * PRESENCE;
        sum / 100
    }
}

/// A matching agent with its score.
#[derive(Debug, Clone)]
pub struct Ranked {
    /// The agent.
    pub candidate: Candidate,
    /// The index of the cheapest matching capability.
    pub offering: usize,
    /// The price of that capability in the query's currency, if it is comparable.
    pub price: Option<f64>,
    /// The parts of its score.
    pub parts: Parts,
}

/// The matching candidates, the best first. The earlier registration wins ties.
pub fn rank(query: &DirectoryQuery, candidates: Vec<Candidate>) -> Vec<Ranked> {
    let fitting: Vec<_> = candidates
        .into_iter()
        .filter_map(|candidate| best(query, &candidate.listing).map(|(offering, price)| (candidate, offering, price)))
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

/// The cheapest matching capability and its price. Capabilities without a price come last.
fn best(query: &DirectoryQuery, listing: &Listing) -> Option<(usize, Option<f64>)> {
    let priced = |offering: &Offering| offering.price().and_then(|price| price.amount_in(&query.currency));
    let fitting = listing.offerings.iter().enumerate().filter(|(_, offering)| fits(query, offering));
    let compare =
        |one: Option<f64>, other: Option<f64>| one.unwrap_or(f64::INFINITY).total_cmp(&other.unwrap_or(f64::INFINITY));
    fitting.map(|(index, offering)| (index, priced(offering))).min_by(|(_, one), (_, other)| compare(*one, *other))
}

fn fits(query: &DirectoryQuery, offering: &Offering) -> bool {
    let affordable = |most: f64| {
        let price = offering.price().and_then(|price| price.amount_in(&query.currency));
        price.is_some_and(|price| price <= most)
    };
    query.intent.as_ref().is_none_or(|intent| offering.meeting(intent).next().is_some())
        && query.language.as_ref().is_none_or(|language| offering.speaks(language))
        && query.max_price.is_none_or(affordable)
}

/// The parts of a candidate's score. `prices` are those of all matching candidates, sorted; an unknown price is above
/// all of them.
fn parts(candidate: &Candidate, price: Option<f64>, prices: &[f64]) -> Parts {
    let PartyRecord { completed, failed, promised, on_time, .. } = candidate.record;
    let cheaper = |price: f64| prices.partition_point(|other| *other < price);
    let as_dear = price.map_or(0, |price| prices.len() - cheaper(price));
    Parts {
        completion: share(completed, completed + failed),
        price: part(as_dear, prices.len()),
        speed: share(on_time, promised),
        presence: match candidate.availability {
            Availability::Online => WHOLE,
            Availability::Busy => WHOLE / 2,
            Availability::Offline => 0,
        },
    }
}

/// The share of `good` in `all`, with one additional success and one additional failure.
fn share(good: i64, all: i64) -> i64 {
    WHOLE * (good.max(0) + 1) / (all.max(good).max(0) + 2)
}

fn part(some: usize, all: usize) -> i64 {
    let [some, all] = [some, all.max(1)].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
    WHOLE * some / all
}

#[cfg(test)]
mod tests;
