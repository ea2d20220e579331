//! Types of the search's parameters.

use std::{borrow::Cow, str::FromStr};

use buildtrack_domain::words;
use buildtrack_http::{
    described::{exactly, text},
    page::{Cursor, InvalidCursor, RankCursor},
    query::{Parameters, TEXT_MAX, Value},
    query_values, query_words,
};
use buildtrack_store::search::SearchSort;
use utoipa::openapi::Schema;

use super::schemas::DocumentType;

/// A search query as it was sent. The parser of queries accepts any characters.
#[derive(Debug, Default)]
pub(crate) struct SearchText(pub(crate) String);

impl Value for SearchText {
    fn expected() -> Cow<'static, str> {
        "words to search for".into()
    }

    fn parse(text: &str) -> Option<Self> {
        Some(Self(text.to_owned()))
    }

    fn schema() -> Schema {
        text().max_length(Some(TEXT_MAX)).pattern(Some(r"\S")).into()
    }

    fn read(parameters: &mut Parameters, name: &str) -> Option<Self> {
        parameters.raw(name).map(Self)
    }
}

words! {
    /// The order of results.
    #[derive(Default)]
    pub(crate) enum HitOrder {
        #[default]
        Relevance = "relevance",
        Newest = "newest",
        Oldest = "oldest",
    }
}

impl From<HitOrder> for SearchSort {
    fn from(order: HitOrder) -> Self {
        match order {
            HitOrder::Relevance => Self::Relevance,
            HitOrder::Newest => Self::Newest,
            HitOrder::Oldest => Self::Oldest,
        }
    }
}

/// Where a page of results begins: its form depends on their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HitCursor {
    /// By position.
    Position(Cursor),
    /// By relevance.
    Rank(RankCursor),
}

impl FromStr for HitCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        text.parse().map(Self::Position).or_else(|_| text.parse().map(Self::Rank))
    }
}

query_words!(DocumentType, HitOrder);
query_values! {
    HitCursor = "a nextCursor of an earlier page in the same order", exactly(&[Cursor::FORM, RankCursor::FORM]);
}
