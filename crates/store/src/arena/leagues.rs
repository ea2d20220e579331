//! The leagues that are open: the referee, which may run in another process, can judge their answers.

use buildtrack_domain::arena::tasks::League;
use buildtrack_macros::boxed;
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    StoreError,
    arena::Arena,
    database::{Tx, values},
};

/// How long the referee's word counts.
const VALID: TimeDelta = TimeDelta::minutes(2);

pub(super) async fn open(tx: &mut Tx<'_>, leagues: &[League], now: DateTime<Utc>) -> Result<(), StoreError> {
    let leagues: Vec<_> = leagues.iter().map(|league| league.as_str()).collect();
    tx.execute(
        "INSERT INTO arena_leagues (id, leagues, recorded_at) VALUES (1, $1, $2) \
         ON CONFLICT (id) DO UPDATE SET leagues = excluded.leagues, recorded_at = excluded.recorded_at",
        values![leagues.join(" "), now],
    )
    .await?;
    Ok(())
}

#[boxed]
impl Arena {
    /// The leagues in which matches are made; none if no referee runs. Debates need judges too.
    pub async fn open_leagues(&self) -> Result<Vec<League>, StoreError> {
        let leagues: Option<String> = self
            .db
            .optional("SELECT leagues FROM arena_leagues WHERE recorded_at > $1", values![self.clock.now() - VALID])
            .await?;
        let mut leagues = leagues_of(&leagues.unwrap_or_default())?;
        if leagues.contains(&League::Debate) && !self.has_judges().await? {
            leagues.retain(|league| *league != League::Debate);
        }
        Ok(leagues)
    }
}

/// The leagues of a list that is stored as words.
pub(super) fn leagues_of(text: &str) -> Result<Vec<League>, StoreError> {
    let league = |word: &str| word.parse().map_err(|_| StoreError::Damaged(format!("the league {word:?}")));
    text.split(' ').filter(|word| !word.is_empty()).map(league).collect()
}
