//! Query parameters whose types other crates declare.

use std::str::FromStr;

/// A value of another crate's type as a query parameter. Its own crate does not know of requests, so that the operation says what the
/// text must be.
#[derive(Debug, Clone)]
pub(crate) struct Given<T>(pub(crate) T);

impl<T: FromStr> FromStr for Given<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        text.parse().map(Self)
    }
}
