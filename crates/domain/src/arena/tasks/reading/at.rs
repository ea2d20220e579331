//! A JSON value with the pointer that leads to it, and the faults found so far.
//!
//! Each method returns `None` after it has recorded a fault. A caller reads all fields before it looks at any result, so
//! that one pass finds every fault.

use std::{cell::RefCell, ops::RangeInclusive, str::FromStr};

use serde_json::{Map, Value};

use super::{Problem, TaskFault};

/// The faults found so far.
#[derive(Debug, Default)]
pub(in crate::arena::tasks) struct Sink(RefCell<Vec<TaskFault>>);

impl Sink {
    /// The faults, in the order in which they were found.
    pub(in crate::arena::tasks) fn into_faults(self) -> Vec<TaskFault> {
        self.0.into_inner()
    }

    /// The number of faults so far.
    fn count(&self) -> usize {
        self.0.borrow().len()
    }
}

/// A value in a task file.
#[derive(Debug, Clone)]
pub(in crate::arena::tasks) struct At<'a> {
    pub(in crate::arena::tasks) value: &'a Value,
    pointer: String,
    task: Option<&'a str>,
    sink: &'a Sink,
}

impl<'a> At<'a> {
    /// The root of a document.
    pub(in crate::arena::tasks) fn root(value: &'a Value, sink: &'a Sink) -> Self {
        Self { value, pointer: String::new(), task: None, sink }
    }

    /// The same value, whose faults name this task.
    pub(in crate::arena::tasks) fn in_task(self, task: Option<&'a str>) -> Self {
        Self { task, ..self }
    }

    /// Records a fault.
    pub(in crate::arena::tasks) fn fault<T>(&self, problem: Problem) -> Option<T> {
        let (task, pointer) = (self.task.map(ToOwned::to_owned), self.pointer.clone());
        self.sink.0.borrow_mut().push(TaskFault { task, pointer, problem });
        None
    }

    /// The number of faults of the whole document so far.
    pub(in crate::arena::tasks) fn fault_count(&self) -> usize {
        self.sink.count()
    }

    /// A value below this one, by name or index.
    fn below(&self, token: &str, value: &'a Value) -> Self {
        let token = token.replace('~', "~0").replace('/', "~1");
        Self { value, pointer: format!("{}/{token}", self.pointer), ..self.clone() }
    }

    /// The value of a member, or this value if there is none: for faults that name a member.
    pub(in crate::arena::tasks) fn member(&self, name: &str) -> Self {
        self.value.get(name).map_or_else(|| self.clone(), |value| self.below(name, value))
    }

    /// The value of an item, or this value if there is none: for faults that name an item.
    pub(in crate::arena::tasks) fn item(&self, index: usize) -> Self {
        self.value.get(index).map_or_else(|| self.clone(), |value| self.below(&index.to_string(), value))
    }

    /// The text of a member, without a fault if there is none.
    pub(in crate::arena::tasks) fn member_text(&self, name: &str) -> Option<&'a str> {
        self.value.get(name)?.as_str()
    }

    /// A string, of any length.
    pub(in crate::arena::tasks) fn string(&self) -> Option<&'a str> {
        self.value.as_str().or_else(|| self.fault(Problem::Expected("a string")))
    }

    /// A string with this number of characters.
    pub(in crate::arena::tasks) fn text(&self, characters: RangeInclusive<usize>) -> Option<&'a str> {
        let text = self.string()?;
        let got = text.chars().count();
        if characters.contains(&got) {
            return Some(text);
        }
        self.fault(Problem::Length { least: *characters.start(), most: *characters.end(), got })
    }

    /// One of the words of a type.
    pub(in crate::arena::tasks) fn word<T: FromStr<Err = &'static str>>(&self) -> Option<T> {
        match self.string()?.parse() {
            Ok(word) => Some(word),
            Err(expected) => self.fault(Problem::Expected(expected.trim_start_matches("expected "))),
        }
    }

    /// A whole number in a range.
    pub(in crate::arena::tasks) fn whole(&self, range: RangeInclusive<u64>) -> Option<u64> {
        let number = self.value.as_u64().filter(|number| range.contains(number));
        number.or_else(|| self.fault(Problem::Range { least: *range.start(), most: *range.end() }))
    }

    /// `true` or `false`.
    pub(in crate::arena::tasks) fn flag(&self) -> Option<bool> {
        self.value.as_bool().or_else(|| self.fault(Problem::Expected("true or false")))
    }

    /// An array with this number of items.
    pub(in crate::arena::tasks) fn items(&self, count: RangeInclusive<usize>) -> Option<Vec<Self>> {
        let Some(items) = self.value.as_array() else {
            return self.fault(Problem::Expected("an array"));
        };
        if !count.contains(&items.len()) {
            return self.fault(Problem::Count { least: *count.start(), most: *count.end(), got: items.len() });
        }
        Some(items.iter().enumerate().map(|(index, item)| self.below(&index.to_string(), item)).collect())
    }

    /// An array whose items are read with `read`. Reads all of them, also after a fault.
    pub(in crate::arena::tasks) fn each<T>(
        &self,
        count: RangeInclusive<usize>,
        read: impl FnMut(&Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items: Vec<_> = self.items(count)?.iter().map(read).collect();
        items.into_iter().collect()
    }

    /// The members of an object with any names.
    pub(in crate::arena::tasks) fn members(&self) -> Option<Vec<(&'a str, Self)>> {
        let Some(members) = self.value.as_object() else {
            return self.fault(Problem::Expected("an object"));
        };
        Some(members.iter().map(|(name, value)| (name.as_str(), self.below(name, value))).collect())
    }

    /// An object with known fields.
    pub(in crate::arena::tasks) fn object(&self) -> Option<Object<'a>> {
        let Some(members) = self.value.as_object() else {
            return self.fault(Problem::Expected("an object"));
        };
        Some(Object { at: self.clone(), members, known: Vec::new() })
    }
}

/// An object whose fields are read by name. [`Object::finish`] refuses those that were not asked for.
#[derive(Debug)]
pub(in crate::arena::tasks) struct Object<'a> {
    pub(in crate::arena::tasks) at: At<'a>,
    members: &'a Map<String, Value>,
    known: Vec<&'static str>,
}

impl<'a> Object<'a> {
    /// A field that must be there.
    pub(in crate::arena::tasks) fn required(&mut self, name: &'static str) -> Option<At<'a>> {
        self.optional(name).or_else(|| self.at.fault(Problem::Missing(name)))
    }

    /// A field that may be absent.
    pub(in crate::arena::tasks) fn optional(&mut self, name: &'static str) -> Option<At<'a>> {
        self.known.push(name);
        Some(self.at.below(name, self.members.get(name)?))
    }

    /// A field with a default: `None` after a fault.
    pub(in crate::arena::tasks) fn or<T>(
        &mut self,
        name: &'static str,
        default: T,
        read: impl FnOnce(At<'a>) -> Option<T>,
    ) -> Option<T> {
        match self.optional(name) {
            Some(at) => read(at),
            None => Some(default),
        }
    }

    /// Refuses all other fields.
    pub(in crate::arena::tasks) fn finish(self) {
        for name in self.members.keys().filter(|name| !self.known.contains(&name.as_str())) {
            self.at.fault::<()>(Problem::Unknown(name.clone()));
        }
    }
}
