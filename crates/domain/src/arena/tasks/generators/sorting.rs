//! Records to be sorted by three keys, as JSON.

use std::cmp::{Ordering, Reverse};

use serde_json::Value;

use super::{Draft, Random};
use crate::arena::tasks::InputFormat;

const NAMES: [&str; 14] = [
    "Amara", "Bruno", "Chen", "Dalia", "Enzo", "Farid", "Greta", "Hugo", "Ida", "Jarek", "Kofi", "Lucia", "Mei",
    "Nadia",
];

#[derive(Clone)]
struct Record {
    name: &'static str,
    team: &'static str,
    points: i64,
    minutes: i64,
}

type Order = fn(&Record, &Record) -> Ordering;

/// The first keys, in words, with their orders. The last key is always the name, so that the order is unique.
const KEYS: [(&str, Order); 4] = [
    ("by points, the highest first; then by minutes, the lowest first", |one, other| {
        (Reverse(one.points), one.minutes).cmp(&(Reverse(other.points), other.minutes))
    }),
    ("by team in alphabetical order; then by points, the highest first", |one, other| {
        (one.team, Reverse(one.points)).cmp(&(other.team, Reverse(other.points)))
    }),
    ("by minutes, the highest first; then by team in reverse alphabetical order", |one, other| {
        (Reverse(one.minutes), Reverse(one.team)).cmp(&(Reverse(other.minutes), Reverse(other.team)))
    }),
    ("by team in reverse alphabetical order; then by minutes, the lowest first", |one, other| {
        (Reverse(one.team), one.minutes).cmp(&(Reverse(other.team), other.minutes))
    }),
];

/// Seven to ten records with few different values, so that every key is needed.
pub(super) fn draft(random: &mut Random) -> Draft {
    let count = 7 + random.below(4);
    let records: Vec<_> = random
        .sample(&NAMES, count)
        .into_iter()
        .map(|name| Record {
            name,
            team: random.pick(&["blue", "green", "red"]),
            points: random.within(1..=4) * 10,
            minutes: random.within(1..=3) * 15,
        })
        .collect();
    let (keys, order) = random.pick(&KEYS);
    let mut sorted = records.clone();
    sorted.sort_by(|one, other| order(one, other).then(one.name.cmp(other.name)));
    let instruction = format!(
        "Sort these records {keys}; then by name in alphabetical order.\n\n{}\n\n\
         Return a JSON array of the names in that order.",
        records.iter().map(Record::in_json).collect::<Vec<_>>().join("\n"),
    );
    let mut swapped = sorted.clone();
    let at = random.below(count - 1);
    swapped.swap(at, at + 1);
    let wrong = vec![names(&swapped), names(&sorted[1..])];
    Draft { input_format: InputFormat::Json, ..Draft::of_json(instruction, names(&sorted), wrong, 120) }
}

fn names(records: &[Record]) -> Value {
    records.iter().map(|record| record.name).collect()
}

impl Record {
    fn in_json(&self) -> String {
        let Self { name, team, points, minutes } = self;
        format!(r#"{{"name": "{name}", "team": "{team}", "points": {points}, "minutes": {minutes}}}"#)
    }
}
