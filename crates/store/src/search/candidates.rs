//! Finds the texts that have all words of a query, without reading them.
//!
//! The index divides the log into blocks of positions, and its tokens name their block (`17:push`). A search walks the blocks in its
//! order and stops once it has enough, so that its cost does not grow with the number of texts that have a word.
//!
//! A word that matches as a prefix costs the index as much as all words that it begins. If few texts of a block have the other
//! tokens, the search looks for it in those texts instead.

use buildtrack_domain::search::Term;
use serde_json::json;

use super::{SearchFilter, SearchSort, postgres, sqlite};
use crate::{
    StoreError,
    database::{Db, values},
    search::Search,
};

/// The most texts that a search examines. Their words match; whether they stand in a row, for example, is still to be checked.
pub const EXAMINED: i64 = 2500;
/// The most texts of a block that are read to look for prefixes.
pub(super) const FEW: i64 = 256;
/// The most bytes of these texts.
pub(super) const FEW_BYTES: i64 = 256 * 1024;
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

impl Search {
    /// The texts to examine.
    pub(super) async fn search_candidates(&self, filter: &SearchFilter) -> Result<Candidates, StoreError> {
        let wanted = if filter.is_exact() { filter.looked_at() } else { EXAMINED };
        // A cursor may hold any number.
        let (after, before) = (filter.after.unwrap_or(0).max(0), filter.before.unwrap_or(i64::MAX));
        let last: Option<i64> = self.db.one("SELECT max(position) FROM search_documents", &[]).await?;
        let Some(last) = last else { return Ok(Candidates { positions: vec![], scanned_to: None }) };
        let (lowest, highest) = (after >> BLOCK_BITS, last.min(before) >> BLOCK_BITS);
        let (first, step) = if filter.sort == SearchSort::Oldest { (lowest, 1) } else { (highest, -1) };
        let statement = statement(&self.db);
        let (words, prefixes): (Vec<_>, Vec<_>) = filter.tokens().into_iter().partition(|(_, open)| !open);
        let narrowing = if prefixes.is_empty() { String::new() } else { index_query(&self.db, &words) };
        // The index looks for the other terms.
        let needles: Vec<_> = filter.query.wanted().iter().filter(|term| term.is_open()).map(Term::needle).collect();
        let blocks: Vec<String> = self
            .db
            .all(
                &statement,
                values![
                    index_query(&self.db, &[words, prefixes].concat()),
                    first,
                    step,
                    after,
                    before,
                    wanted,
                    lowest,
                    highest,
                    narrowing,
                    json!(needles).to_string()
                ],
            )
            .await?;
        let mut positions: Vec<i64> = Vec::new();
        for block in &blocks {
            let of_block: Vec<i64> =
                serde_json::from_str(block).map_err(|error| StoreError::Damaged(error.to_string()))?;
            positions.extend(of_block);
        }
        positions.sort_unstable();
        if filter.sort != SearchSort::Oldest {
            positions.reverse();
        }
        Ok(Candidates::first(positions, wanted))
    }
}

/// Walks from the block `$2` in steps of `$3`, within the blocks `$7` to `$8`, until `$6` texts are found. Each step finds those with
/// the tokens `$1` between the positions `$4` and `$5`. `$9` are the tokens without prefixes, empty unless there are prefixes as well,
/// and `$10` the needles of the terms with prefixes.
fn statement(db: &Db) -> String {
    let (few, found, none): (fn(&str) -> String, _, _) = match db {
        Db::Postgres { .. } => (postgres::few, postgres::found(), postgres::NO_POSITIONS),
        Db::Sqlite { .. } => (sqlite::few, sqlite::found(), sqlite::NO_POSITIONS),
    };
    let [first, next] = ["CAST($2 AS BIGINT)", "walk.block + $3"];
    let [few_first, few_next] = [first, next].map(few);
    format!(
        "WITH RECURSIVE walk (block, few, positions, total) AS (SELECT {first}, {few_first}, {none}, 0 \
         UNION ALL SELECT {next}, {few_next}, {found}, walk.total + json_array_length(walk.positions) FROM walk \
         WHERE walk.total + json_array_length(walk.positions) < $6 AND walk.block BETWEEN $7 AND $8) \
         SELECT CAST(positions AS TEXT) FROM walk WHERE json_array_length(positions) > 0"
    )
}

/// The tokens in the syntax of the database's index.
fn index_query(db: &Db, tokens: &[(String, bool)]) -> String {
    let (token, and): (fn(&str, bool) -> String, _) = match db {
        Db::Postgres { .. } => (postgres::token, postgres::AND),
        Db::Sqlite { .. } => (sqlite::token, sqlite::AND),
    };
    tokens.iter().map(|(text, is_prefix)| token(text, *is_prefix)).collect::<Vec<_>>().join(and)
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
