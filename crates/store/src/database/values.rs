//! The values of a statement.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use sqlx::{Arguments as _, postgres::PgArguments, sqlite::SqliteArguments};

/// A value of a statement, NULL included: its type is that of the parameter.
#[derive(Debug, Clone)]
pub(crate) enum Value<'v> {
    Text(Option<Cow<'v, str>>),
    Bytes(Option<Cow<'v, [u8]>>),
    Integer(Option<i64>),
    /// An integer of four bytes.
    Short(Option<i32>),
    Real(Option<f64>),
    Flag(Option<bool>),
    Time(Option<DateTime<Utc>>),
}

/// The values of a statement, in the order of its parameters.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        &[$($crate::database::Value::from($value)),*]
    };
}
pub(crate) use values;

/// Adds the values to the arguments of either driver.
macro_rules! arguments {
    ($arguments:ty, $values:expr) => {{
        let mut arguments = <$arguments>::default();
        for value in $values {
            match value {
                Value::Text(text) => arguments.add(text.as_deref()),
                Value::Bytes(bytes) => arguments.add(bytes.as_deref()),
                Value::Integer(integer) => arguments.add(*integer),
                Value::Short(integer) => arguments.add(*integer),
                Value::Real(real) => arguments.add(*real),
                Value::Flag(flag) => arguments.add(*flag),
                Value::Time(time) => arguments.add(*time),
            }
            .map_err(sqlx::Error::Encode)?;
        }
        Ok(arguments)
    }};
}

pub(super) fn postgres(values: &[Value<'_>]) -> Result<PgArguments, sqlx::Error> {
    arguments!(PgArguments, values)
}

pub(super) fn sqlite<'v>(values: &'v [Value<'_>]) -> Result<SqliteArguments<'v>, sqlx::Error> {
    arguments!(SqliteArguments<'v>, values)
}

macro_rules! from {
    ($($kind:ident: $value:ty => $into:expr),* $(,)?) => {$(
        impl<'v> From<$value> for Value<'v> {
            fn from(value: $value) -> Self {
                let into: fn($value) -> _ = $into;
                Self::$kind(Some(into(value)))
            }
        }

        impl<'v> From<Option<$value>> for Value<'v> {
            fn from(value: Option<$value>) -> Self {
                Self::$kind(value.map($into))
            }
        }
    )*};
}

from! {
    Text: String => Cow::Owned,
    Text: &&'v str => |text| Cow::Borrowed(*text),
    Text: &'v str => Cow::Borrowed,
    Text: &'v String => |text| Cow::Borrowed(&**text),
    Text: Cow<'v, str> => |text| text,
    Bytes: Vec<u8> => Cow::Owned,
    Bytes: &'v [u8] => Cow::Borrowed,
    Bytes: &'v Vec<u8> => |bytes| Cow::Borrowed(&**bytes),
    Integer: i64 => |integer| integer,
    Integer: &i64 => |integer| *integer,
    Short: i32 => |integer| integer,
    Real: f64 => |real| real,
    Flag: bool => |flag| flag,
    Flag: &bool => |flag| *flag,
    Time: DateTime<Utc> => |time| time,
    Time: &DateTime<Utc> => |time| *time,
}

impl<'v> From<&'v Option<String>> for Value<'v> {
    fn from(text: &'v Option<String>) -> Self {
        Self::from(text.as_deref())
    }
}
