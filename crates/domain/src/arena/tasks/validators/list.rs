//! The validators `set` and `ordered_list`: items between separators, or in a JSON array.

use std::collections::{BTreeMap, BTreeSet};

use agora_envelope::{Limits, json::parse_strict};
use serde_json::Value;

use super::{At, Normalisation, Object, Problem, read_partial};
use crate::{
    arena::tasks::{ANSWER_BYTES_MAX, Answer, Verdict},
    words,
};

/// The maximum number of items of a right answer, of ways to write each, and of characters of each.
const ITEMS_MAX: usize = 256;
const SYNONYMS_MAX: usize = 16;
const ITEM_MAX: usize = 1024;
/// The number of separators that exist.
const SEPARATORS_MAX: usize = 4;

words! {
    /// What separates the items of an answer.
    enum Separator, "expected comma, semicolon, newline or space" {
        /// `,`
        Comma = "comma",
        /// `;`
        Semicolon = "semicolon",
        /// U+000A
        Newline = "newline",
        /// Any white space.
        Space = "space",
    }
}

words! {
    /// What a repeated item means in a set.
    enum Duplicates, "expected ignore or refuse" {
        /// Nothing.
        Ignore = "ignore",
        /// The answer is malformed.
        Refuse = "refuse",
    }
}

/// The items of a right answer, and how an answer is split into items.
#[derive(Debug)]
struct Items {
    /// The item's number, by each way to write it in normal form.
    numbers: BTreeMap<String, usize>,
    /// The item's number at each position. In an ordered list, equal items have the number of the first one.
    order: Vec<usize>,
    separators: Vec<Separator>,
    normalisation: Normalisation,
}

impl Items {
    fn read(object: &mut Object<'_>, may_repeat: bool) -> Option<Self> {
        let normalisation = Normalisation::read(object);
        let defaults = vec![Separator::Comma, Separator::Semicolon, Separator::Newline];
        let separators = object.or("separators", defaults, |at| at.each(1..=SEPARATORS_MAX, At::word));
        let items = object.required("items")?.items(1..=ITEMS_MAX)?;
        let normalisation = normalisation?;
        let mut numbers = BTreeMap::new();
        let order: Vec<_> = (0..)
            .zip(&items)
            .map(|(index, item)| read_item(item, index, may_repeat, &normalisation, &mut numbers))
            .collect();
        let order = order.into_iter().collect::<Option<_>>()?;
        Some(Self { numbers, order, separators: separators?, normalisation })
    }

    /// The items of an answer as numbers, with `None` for those that are unknown. `None` if the answer is no list.
    fn split(&self, answer: &str) -> Option<Vec<Option<usize>>> {
        let texts = if answer.trim_start().starts_with('[') { from_array(answer)? } else { self.split_text(answer) };
        let normal = texts.iter().map(|text| self.normalisation.apply(text)).filter(|text| !text.is_empty());
        let numbers: Vec<_> = normal.map(|text| self.numbers.get(&text).copied()).collect();
        (!numbers.is_empty()).then_some(numbers)
    }

    fn split_text(&self, answer: &str) -> Vec<String> {
        let is_separator = |letter: char| {
            self.separators.iter().any(|separator| match separator {
                Separator::Comma => letter == ',',
                Separator::Semicolon => letter == ';',
                Separator::Newline => letter == '\n',
                Separator::Space => letter.is_whitespace(),
            })
        };
        answer.split(is_separator).map(ToOwned::to_owned).collect()
    }
}

/// Adds the ways to write an item (a text, or an array of texts), and returns its number.
fn read_item(
    item: &At<'_>,
    index: usize,
    may_repeat: bool,
    normalisation: &Normalisation,
    numbers: &mut BTreeMap<String, usize>,
) -> Option<usize> {
    let synonyms = if item.value.is_array() { item.items(1..=SYNONYMS_MAX)? } else { vec![item.clone()] };
    let mut number = index;
    for (position, synonym) in synonyms.into_iter().enumerate() {
        let text = synonym.text(1..=ITEM_MAX)?;
        let normal = normalisation.apply(text);
        if normal.is_empty() {
            return synonym.fault(Problem::Blank);
        }
        match numbers.get(&normal) {
            None => drop(numbers.insert(normal, number)),
            Some(known) if may_repeat && position == 0 => number = *known,
            Some(known) if *known == number => (),
            Some(_) => return synonym.fault(Problem::Twice(text.to_owned())),
        }
    }
    Some(number)
}

/// The items of a JSON array of strings, numbers and booleans.
fn from_array(answer: &str) -> Option<Vec<String>> {
    let limits = Limits { bytes: ANSWER_BYTES_MAX, depth: 1 };
    match parse_strict(answer.as_bytes(), &limits) {
        Ok(Value::Array(items)) => {
            Some(items.iter().filter(|item| !item.is_null()).map(|item| Answer::from_json(item).into_text()).collect())
        }
        _ => None,
    }
}

/// `{"kind": "set", "items": ["Phobos", ["Deimos", "Mars II"]]}`: all items, and no others, in any order.
#[derive(Debug)]
pub(super) struct Set {
    items: Items,
    duplicates: Duplicates,
    partial: bool,
}

impl Set {
    pub(super) fn read(object: &mut Object<'_>) -> Option<Self> {
        let duplicates = object.or("duplicates", Duplicates::Ignore, |duplicates| duplicates.word());
        let partial = read_partial(object);
        Some(Self { items: Items::read(object, false)?, duplicates: duplicates?, partial: partial? })
    }

    /// Partial credit: the right items, out of all items of both sets together, so that guessing more does not pay.
    pub(super) fn judge(&self, answer: &str) -> Verdict {
        let Some(given) = self.items.split(answer) else {
            return Verdict::MALFORMED;
        };
        let right: BTreeSet<_> = given.iter().flatten().collect();
        let unknown = given.iter().filter(|number| number.is_none()).count();
        if self.duplicates == Duplicates::Refuse && right.len() + unknown < given.len() {
            return Verdict::MALFORMED;
        }
        Verdict::of_share(right.len(), self.items.order.len() + unknown, self.partial)
    }
}

/// `{"kind": "ordered_list", "items": […]}`: all items in this order.
#[derive(Debug)]
pub(super) struct OrderedList {
    items: Items,
    partial: bool,
}

impl OrderedList {
    pub(super) fn read(object: &mut Object<'_>) -> Option<Self> {
        let partial = read_partial(object);
        Some(Self { items: Items::read(object, true)?, partial: partial? })
    }

    /// Partial credit: the positions with the right item, out of those of the longer list.
    pub(super) fn judge(&self, answer: &str) -> Verdict {
        let Some(given) = self.items.split(answer) else {
            return Verdict::MALFORMED;
        };
        let order = &self.items.order;
        let right = given.iter().zip(order).filter(|(given, right)| **given == Some(**right)).count();
        Verdict::of_share(right, order.len().max(given.len()), self.partial)
    }
}
