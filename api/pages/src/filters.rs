//! Filters with which templates say messages of the catalogues in the reader's language: `{{ "key"|say }}`,
//! `{{ "key"|say_one("name", name) }}`. `say_html` and its like are for messages that hold markup of ours: the message is shown as it
//! is, and its values are escaped.
//!
//! A filter is a type with the methods that askama calls: `default`, one setter for each argument, `execute`. They are written by
//! hand because `askama::filter_fn` generates unsafe code and public functions. A page that is rendered without its reader is in
//! English.

#![expect(non_camel_case_types, reason = "templates name filters, which are types, in lower case")]

use std::{borrow::Cow, fmt::Display};

use askama::{
    Values,
    filters::{Html, Safe, ValidArgIdx, ValidFilterInvocation, escape},
};
use fluent_bundle::{FluentArgs, FluentValue};

use super::{
    languages::Language,
    reader::{READER, Reader},
};

/// Says a message; the template escapes it.
pub type say<'n> = Saying<'n>;
/// Says a message with one value.
pub type say_one<'n> = Saying<'n>;
/// Says a message with two values.
pub type say_two<'n> = Saying<'n>;
/// Says a message with three values.
pub type say_three<'n> = Saying<'n>;
/// Says a message that holds markup.
pub type say_html<'n> = SayingHtml<'n>;
/// Says a message that holds markup, with one value.
pub type say_html_one<'n> = SayingHtml<'n>;
/// Says a message that holds markup, with two values.
pub type say_html_two<'n> = SayingHtml<'n>;
/// Says a message that holds markup, with three values.
pub type say_html_three<'n> = SayingHtml<'n>;

/// The arguments of a filter: names and values, which take turns.
#[derive(Default)]
struct Arguments<'n> {
    name: &'n str,
    values: FluentArgs<'n>,
}

impl<'n> Arguments<'n> {
    fn named(self, name: &'n str) -> Self {
        Self { name, ..self }
    }

    fn valued(mut self, value: FluentValue<'static>) -> Self {
        self.values.set(self.name, value);
        self
    }

    fn say(&self, key: &str, values: &dyn Values) -> askama::Result<Cow<'static, str>> {
        Ok(language(values)?.message(key, Some(&self.values)))
    }
}

/// The language of the page that is rendered.
fn language(values: &dyn Values) -> askama::Result<Language> {
    match askama::get_value::<Reader>(values, READER) {
        Ok(reader) => Ok(reader.language),
        Err(askama::Error::ValueMissing) => Ok(Language::English),
        Err(error) => Err(error),
    }
}

/// Says a word of the API, such as a status: `{{ track.status|word }}`.
pub struct word(fn(Language, &str) -> String);

impl Default for word {
    fn default() -> Self {
        Self(Language::word)
    }
}

impl ValidFilterInvocation for word {}

impl word {
    /// Says the word.
    pub fn execute(self, of_the_api: impl AsRef<str>, values: &dyn Values) -> askama::Result<String> {
        Ok((self.0)(language(values)?, of_the_api.as_ref()))
    }
}

/// A message in the making.
#[derive(Default)]
pub struct Saying<'n>(Arguments<'n>);

/// A message with markup in the making.
#[derive(Default)]
pub struct SayingHtml<'n>(Arguments<'n>);

/// Gives a type the setters of up to three pairs of a name and a value.
macro_rules! setters {
    ($filter:ident, $value:ident, $fluent:path, $($name_setter:ident $value_setter:ident $index:literal),*) => {
        impl<'n> $filter<'n> {
            $(
                /// The name of a value.
                pub fn $name_setter(self, name: &'n str) -> Self {
                    Self(self.0.named(name))
                }

                /// A value.
                pub fn $value_setter(self, value: impl $value) -> Self {
                    Self(self.0.valued($fluent(&value)))
                }
            )*
        }

        $(impl ValidArgIdx<$index> for $filter<'_> {})*
        impl ValidFilterInvocation for $filter<'_> {}
    };
}

setters!(Saying, Display, plain, with_0 with_1 1, with_2 with_3 3, with_4 with_5 5);
setters!(SayingHtml, Part, Part::value, with_0 with_1 1, with_2 with_3 3, with_4 with_5 5);

impl Saying<'_> {
    /// Says the message with this key.
    pub fn execute(self, key: impl AsRef<str>, values: &dyn Values) -> askama::Result<Cow<'static, str>> {
        self.0.say(key.as_ref(), values)
    }
}

impl SayingHtml<'_> {
    /// Says the message with this key.
    pub fn execute(self, key: impl AsRef<str>, values: &dyn Values) -> askama::Result<Safe<Cow<'static, str>>> {
        self.0.say(key.as_ref(), values).map(Safe)
    }
}

/// A value: whole numbers as such, so that they select plural forms, all else as it is displayed.
fn plain(value: &impl Display) -> FluentValue<'static> {
    value_of(value.to_string())
}

fn value_of(text: String) -> FluentValue<'static> {
    match text.parse::<i32>() {
        Ok(number) if number.to_string() == text => number.into(),
        _ => text.into(),
    }
}

/// A value within markup: escaped, unless it is markup of ours.
pub trait Part {
    /// The value.
    fn value(&self) -> FluentValue<'static>;
}

impl<T: Display> Part for T {
    fn value(&self) -> FluentValue<'static> {
        let Ok(Safe(escaped)) = escape(self, Html);
        value_of(escaped.to_string())
    }
}

/// Markup that the server has made itself, as a value within a message. It cannot be displayed, so that it is never escaped by
/// mistake.
#[derive(Debug)]
pub struct Markup(String);

impl Markup {
    /// What displays itself as markup.
    pub(super) fn of(shown: impl askama::filters::HtmlSafe) -> Self {
        Self(shown.to_string())
    }
}

impl Part for Markup {
    fn value(&self) -> FluentValue<'static> {
        self.0.clone().into()
    }
}
