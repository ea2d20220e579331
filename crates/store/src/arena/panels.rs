//! The judges of debates: who can be drawn, who was, and the ballots that wait for a vote.
//!
//! **Invariant:** a panel has at most one judge of an owner, and none of an owner that plays. Owners are drawn at random, and each
//! with the same chance, however many judges it has.

use buildtrack_domain::{
    arena::matches::{Channel, DEBATE_TURNS, PANEL_JUDGES, PanelDrawn, PanelJudge},
    ids::{AgentId, MatchId, OwnerId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, TimeDelta, Utc};

use super::{OpenRound, endpoints::has_room, rounds::Asked};
use crate::{
    StoreError,
    arena::Arena,
    clock::random,
    database::{Tx, columns::parse, values},
    log::Recorded,
};

/// How often judges of one owner are drawn in 24 hours.
pub const JUDGE_DRAWS: i64 = 400;
/// How often judges of one owner are drawn in 24 hours for matches in which agents of another owner play.
pub const JUDGE_MEETINGS: i64 = 40;
/// The period of both limits.
const DAY: TimeDelta = TimeDelta::hours(24);
/// Owners and judges of one owner that are considered for a panel.
const OWNERS: i64 = 1000;
const JUDGES_OF_OWNER: i64 = 100;
/// Owners whose limits are looked up for one panel.
const OWNERS_TRIED: usize = 60;

/// The judges that can be reached, and whose endpoints can take another ballot. Parameter: the time.
fn available() -> String {
    let has_room = has_room("arena_endpoints");
    format!(
        "FROM arena_enrolments JOIN agents ON agents.id = arena_enrolments.agent_id \
         JOIN owners ON owners.id = agents.owner_id \
         WHERE arena_enrolments.judges <> '' AND agents.active AND NOT agents.suspended AND NOT owners.suspended \
         AND (EXISTS (SELECT 1 FROM arena_connections JOIN arena_servers ON arena_servers.id = server_id \
         WHERE arena_connections.agent_id = agents.id AND expires_at > $1) \
         OR endpoint_url IS NOT NULL AND EXISTS (SELECT 1 FROM arena_endpoints WHERE arena_endpoints.agent_id = agents.id \
         AND is_healthy AND (paused_until IS NULL OR paused_until <= $1) AND {has_room}))"
    )
}

pub(super) async fn draw(tx: &mut Tx<'_>, recorded: &Recorded, data: &PanelDrawn) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    close(tx, id).await?;
    for (number, judge) in (0_i64..).zip(&data.judges) {
        tx.execute(
            "INSERT INTO arena_judges (match_id, turn, panel, judge, position, agent_id, owner_id, channel, voting, drawn_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            values![
                id,
                i64::from(data.turn),
                i64::from(data.panel),
                number,
                recorded.position,
                judge.agent_id.to_string(),
                judge.owner_id.to_string(),
                judge.channel.as_str(),
                true,
                data.drawn_at,
            ],
        )
        .await?;
    }
    tx.execute(
        "UPDATE arena_matches SET waiting = $2, deadline = $3, due_at = $3 WHERE id = $1",
        values![id, i64::try_from(data.judges.len()).unwrap_or(i64::MAX), data.due_at],
    )
    .await?;
    Ok(())
}

/// A judge voted, or will not vote. The last one makes the match due.
pub(super) async fn settle(
    tx: &mut Tx<'_>,
    recorded: &Recorded,
    (turn, panel, judge): (u16, u16, u16),
) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    tx.execute(
        "UPDATE arena_judges SET voting = $5 WHERE match_id = $1 AND turn = $2 AND panel = $3 AND judge = $4",
        values![id, i64::from(turn), i64::from(panel), i64::from(judge), false],
    )
    .await?;
    tx.execute(
        "UPDATE arena_matches SET waiting = waiting - 1, due_at = CASE WHEN waiting = 1 THEN $2 ELSE due_at END \
         WHERE id = $1",
        values![id, recorded.recorded_at],
    )
    .await?;
    Ok(())
}

/// No judge of the match may vote any more.
pub(super) async fn close(tx: &mut Tx<'_>, match_id: &str) -> Result<(), StoreError> {
    tx.execute("UPDATE arena_judges SET voting = $2 WHERE match_id = $1 AND voting", values![match_id, false]).await?;
    Ok(())
}

#[boxed]
impl Arena {
    /// Whether judges of three different owners can be reached.
    pub async fn has_judges(&self) -> Result<bool, StoreError> {
        let owners = self.judging_owners(i64::try_from(PANEL_JUDGES).unwrap_or(i64::MAX)).await?;
        Ok(owners.len() >= PANEL_JUDGES)
    }

    /// Whether a whole debate between agents of these owners can be judged now, as far as the limits of 24 hours count.
    pub async fn can_judge(&self, players: &[OwnerId]) -> Result<bool, StoreError> {
        Ok(self.panel_within(players, &[], i64::from(DEBATE_TURNS)).await?.is_some())
    }

    /// Draws the judges of a panel at random: none of the owners that play, and none of those in `used`. `None` if there are not
    /// enough.
    pub async fn draw_panel(
        &self,
        players: &[OwnerId],
        used: &[OwnerId],
    ) -> Result<Option<Vec<PanelJudge>>, StoreError> {
        self.panel_within(players, used, 1).await
    }

    /// A panel of judges that may be drawn at least `times` more.
    async fn panel_within(
        &self,
        players: &[OwnerId],
        used: &[OwnerId],
        times: i64,
    ) -> Result<Option<Vec<PanelJudge>>, StoreError> {
        let mut owners = self.judging_owners(OWNERS).await?;
        owners.retain(|owner| !players.contains(owner) && !used.contains(owner));
        let mut judges = Vec::with_capacity(PANEL_JUDGES);
        for _ in 0..OWNERS_TRIED {
            let Some(owner_id) = take_any(&mut owners) else { break };
            if self.may_be_drawn(owner_id, players, times).await? {
                judges.extend(take_any(&mut self.judges_of(owner_id).await?));
            }
            if judges.len() == PANEL_JUDGES {
                return Ok(Some(judges));
            }
        }
        Ok(None)
    }

    async fn judging_owners(&self, limit: i64) -> Result<Vec<OwnerId>, StoreError> {
        let statement = format!("SELECT DISTINCT agents.owner_id {} LIMIT $2", available());
        let owners: Vec<String> = self.db.all(&statement, values![self.clock.now(), limit]).await?;
        owners.iter().map(|owner| parse(owner)).collect()
    }

    async fn judges_of(&self, owner_id: OwnerId) -> Result<Vec<PanelJudge>, StoreError> {
        let available = available();
        let statement = format!(
            "SELECT agents.id, EXISTS (SELECT 1 FROM arena_connections JOIN arena_servers ON arena_servers.id = server_id \
             WHERE arena_connections.agent_id = agents.id AND expires_at > $1) {available} AND agents.owner_id = $2 LIMIT $3"
        );
        let judges: Vec<(String, bool)> =
            self.db.all(&statement, values![self.clock.now(), owner_id.to_string(), JUDGES_OF_OWNER]).await?;
        let judge = |(agent_id, is_connected): (String, bool)| {
            let channel = if is_connected { Channel::Socket } else { Channel::Push };
            Ok(PanelJudge { agent_id: parse(&agent_id)?, owner_id, channel })
        };
        judges.into_iter().map(judge).collect()
    }

    /// Whether both limits of 24 hours leave an owner's judges this many draws.
    async fn may_be_drawn(&self, owner_id: OwnerId, players: &[OwnerId], times: i64) -> Result<bool, StoreError> {
        let since = self.clock.now() - DAY;
        let drawn: i64 = self
            .db
            .one(
                "SELECT count(*) FROM (SELECT drawn_at FROM arena_judges WHERE owner_id = $1 \
                 ORDER BY position DESC LIMIT $3) AS latest WHERE drawn_at >= $2",
                values![owner_id.to_string(), since, JUDGE_DRAWS],
            )
            .await?;
        if drawn + times > JUDGE_DRAWS {
            return Ok(false);
        }
        for player in players {
            if self.meetings(owner_id, *player, since).await? + times > JUDGE_MEETINGS {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How often judges of an owner were drawn for matches of another owner's agents, among its latest draws.
    async fn meetings(&self, owner_id: OwnerId, player: OwnerId, since: DateTime<Utc>) -> Result<i64, StoreError> {
        self.db
            .one(
                "SELECT count(*) FROM (SELECT match_id, drawn_at FROM arena_judges WHERE owner_id = $1 \
                 ORDER BY position DESC LIMIT $3) AS latest WHERE drawn_at >= $2 AND EXISTS (SELECT 1 FROM arena_seats \
                 WHERE arena_seats.match_id = latest.match_id AND arena_seats.owner_id = $4)",
                values![owner_id.to_string(), since, JUDGE_DRAWS, player.to_string()],
            )
            .await
    }

    /// The matches in which an agent may vote now.
    pub async fn ballots_of(&self, agent_id: AgentId) -> Result<Vec<MatchId>, StoreError> {
        let ids: Vec<String> = self
            .db
            .all(
                "SELECT match_id FROM arena_judges WHERE agent_id = $1 AND voting ORDER BY position LIMIT 100",
                values![agent_id.to_string()],
            )
            .await?;
        ids.iter().map(|id| parse(id)).collect()
    }

    /// Up to `limit` ballots that wait for the vote of a judge's endpoint, and whose deadline has not passed. Owners take turns, as in
    /// [`Self::open_rounds`].
    pub async fn open_ballots(&self, limit: i64) -> Result<Vec<OpenRound>, StoreError> {
        let is_open =
            "voting AND EXISTS (SELECT 1 FROM arena_matches WHERE arena_matches.id = match_id AND due_at > $1)";
        self.rounds_of(Asked { from: "arena_judges AS asked", is_open, number: "judge" }, limit).await
    }
}

/// Takes a random item out of a list.
fn take_any<T>(items: &mut Vec<T>) -> Option<T> {
    let number = usize::try_from(u64::from_le_bytes(random::<8>()) % 1_000_003).unwrap_or(0);
    let number = number.checked_rem(items.len())?;
    Some(items.swap_remove(number))
}
