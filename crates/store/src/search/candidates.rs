//! Finds the texts that have all words of a query, without reading them.
//!
//! The index divides the log into blocks of positions, and its tokens name their block (`17:push`). A search walks the blocks in its
//! order and stops once it has enough, so that its cost grows neither with the log nor with the number of texts that have a word.

use super::{SearchFilter, SearchSort, postgres, sqlite};
use crate::{
    Store, StoreError,
    database::{Db, read},
};

/// The most texts that a search examines. Their words match; whether they stand in a row, for example, is still to be checked.
pub const EXAMINED: i64 = 5000;
/// A block's number is a position without these bits. The migrations compute it, too.
const BLOCK_BITS: u32 = 14;

/// Texts that may match.
pub(super) struct Candidates {
    /// Their positions, in the order of the search.
    pub(super) positions: Vec<i64>,
    /// The last of them, if there are more.
    pub(super) scanned_to: Option<i64>,
}

impl SearchFilter {
    /// Whether every text that the index finds matches.
    fn is_exact(&self) -> bool {
        let Self { query, tag, since, .. } = self;
        query.has_only_words() && tag.is_none() && since.is_none()
    }

    /// The tokens of the texts that may match, each with whether it is a prefix.
    fn tokens(&self) -> Vec<(String, bool)> {
        let facets = [
            self.document_type.map(str::to_owned),
            self.workspace.map(|id| id.to_string()),
            self.author.map(|id| id.to_string()),
            self.kind.map(|kind| kind.as_str().to_owned()),
        ];
        let words = self.query.words().into_iter().map(|(word, open)| (word.to_owned(), open));
        words.chain(facets.into_iter().flatten().map(|facet| (format!("={facet}"), false))).collect()
    }
}

impl Store {
    /// The texts to examine for this many hits.
    pub(super) async fn search_candidates(&self, filter: &SearchFilter, hits: i64) -> Result<Candidates, StoreError> {
        let wanted = if filter.is_exact() { hits } else { EXAMINED };
        let (after, before) = (filter.after.unwrap_or(0), filter.before.unwrap_or(i64::MAX));
        let last: Option<i64> = read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT max(position) FROM search_documents").fetch_one(pool).await?
        });
        let Some(last) = last else { return Ok(Candidates { positions: vec![], scanned_to: None }) };
        let (lowest, highest) = (after >> BLOCK_BITS, last.min(before) >> BLOCK_BITS);
        let (first, step) = if filter.sort == SearchSort::Oldest { (lowest, 1) } else { (highest, -1) };
        let (statement, token, and): (_, fn(&str, bool) -> String, _) = match &self.db {
            Db::Postgres { .. } => (postgres::CANDIDATES, postgres::token, postgres::AND),
            Db::Sqlite { .. } => (sqlite::CANDIDATES, sqlite::token, sqlite::AND),
        };
        let tokens: Vec<_> = filter.tokens().iter().map(|(word, open)| token(word, *open)).collect();
        let blocks: Vec<String> = read!(&self.db, |pool| {
            sqlx::query_scalar(statement)
                .bind(tokens.join(and))
                .bind(first)
                .bind(step)
                .bind(after)
                .bind(before)
                .bind(wanted)
                .bind(lowest)
                .bind(highest)
                .fetch_all(pool)
                .await?
        });
        let mut positions: Vec<i64> = Vec::new();
        for block in &blocks {
            let of_block: Vec<i64> =
                serde_json::from_str(block).map_err(|error| StoreError::Damaged(error.to_string()))?;
            positions.extend(of_block);
        }
        positions.sort_unstable_by_key(|position| position * step);
        Ok(Candidates::first(positions, wanted))
    }
}

impl Candidates {
    /// The first ones.
    fn first(mut positions: Vec<i64>, wanted: i64) -> Self {
        let wanted = usize::try_from(wanted).unwrap_or(0);
        // The walk ends before the last block only if it has found as many.
        let scanned_to = wanted.checked_sub(1).and_then(|last| positions.get(last).copied());
        positions.truncate(wanted);
        Self { positions, scanned_to }
    }
}
