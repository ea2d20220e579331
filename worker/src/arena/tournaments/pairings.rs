//! Begins the matches of pairings whose players are ready, and scores those whose players cannot be reached.

use std::time::Instant;

use buildtrack_domain::{
    arena::{
        matches::{Channel, Mode, Seat},
        tasks::League,
        tournaments::{ABSENCE, BeginMatch, Forfeit, Tournament, TournamentCreated},
    },
    decide::Command,
    ids::{AgentId, TournamentId},
};
use buildtrack_store::{NewMatch, NewMatchError, Presence, StoreError, append_tournament};
use chrono::TimeDelta;
use futures_util::future::try_join_all;

use super::{
    Table,
    waits::{Key, Waits},
};
use crate::arena::head_to_heads::unless_another_did;

/// How many times [`ABSENCE`] a player may have as many rounds under way as its endpoint answers at once: longer than any match.
const FULL_MAX: i32 = 3;

/// A pairing that waits for its match.
struct Waiting {
    key: Key,
    /// The seats of the players that can be reached, each with what it does now.
    seats: [Option<(Seat, Load)>; 2],
    /// How long it has waited.
    waited: TimeDelta,
}

/// What a player does now.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Load {
    /// It plays no match.
    Free,
    /// It plays another match.
    Busy,
    /// Its endpoint has as many rounds under way as it says that it answers at once.
    Full,
}

impl Waiting {
    fn is_late(&self) -> bool {
        self.waited >= ABSENCE
    }

    /// The seats of a match that can begin: both players can be reached. After [`ABSENCE`] it does not matter that one of them plays
    /// another match, if its endpoint can answer two.
    fn ready(&self) -> Option<[&Seat; 2]> {
        let [Some((first, first_load)), Some((second, second_load))] = &self.seats else { return None };
        let may_play = |load: &Load| *load == Load::Free || *load == Load::Busy && self.is_late();
        (may_play(first_load) && may_play(second_load)).then_some([first, second])
    }

    /// The players that forfeit: they cannot be reached, or their endpoints have been full for very long.
    fn absent(&self) -> [bool; 2] {
        let is_over = self.waited >= ABSENCE * FULL_MAX;
        self.seats.each_ref().map(|seat| match seat {
            None => true,
            Some((_, load)) => *load == Load::Full && is_over,
        })
    }
}

impl Table {
    /// Begins the matches that can begin now. For the others, the players that cannot be reached forfeit after a while.
    pub(super) async fn begin_matches(&self, id: TournamentId, waits: &Waits) -> Result<(), StoreError> {
        let state = self.store.arena().tournament_state(id).await?;
        let Ok(created) = state.running() else { return Ok(()) };
        let mut may_begin = self.may_begin(created.owner_id, created.league).await?;
        if !may_begin {
            // What this server lacks is held against no player.
            waits.forget_tournament(id);
            return Ok(());
        }
        let mut waiting = self.waiting(&state, created, waits).await?;
        try_join_all(waiting.iter_mut().map(|waiting| self.check_endpoints(waiting))).await?;
        for pairing in waiting {
            let (key, absent) = (pairing.key, pairing.absent());
            let (_, round, board) = key;
            if let Some(seats) = pairing.ready() {
                if may_begin {
                    self.begin(created, (round, board), seats.map(Seat::clone)).await?;
                    may_begin = self.may_begin(created.owner_id, created.league).await?;
                }
                waits.forget(key);
            } else if pairing.is_late() && absent != [false; 2] {
                let forfeit = Forfeit { round, board, absent, waited: pairing.waited };
                self.decide(id, |state| forfeit.decide(state)).await?;
                waits.forget(key);
            }
        }
        Ok(())
    }

    /// The pairings of the open round that wait for their players.
    async fn waiting(
        &self,
        state: &Tournament,
        created: &TournamentCreated,
        waits: &Waits,
    ) -> Result<Vec<Waiting>, StoreError> {
        let id = created.tournament_id;
        let presence = self.store.arena().tournament_presence(id, created.league).await?;
        let seat = |agent_id: AgentId| match presence.get(&agent_id) {
            Some(Presence::Ready { seat, is_full: true, .. }) => Some((seat.clone(), Load::Full)),
            Some(Presence::Ready { seat, is_busy: true, .. }) => Some((seat.clone(), Load::Busy)),
            Some(Presence::Ready { seat, .. }) => Some((seat.clone(), Load::Free)),
            _ => None,
        };
        let (now, seen) = (self.store.log().clock().now(), Instant::now());
        let (round, open) = state.open_pairings();
        let mut waiting = Vec::new();
        for (board, pairing) in open.filter(|(_, pairing)| !pairing.is_playing) {
            let key = (id, round, board);
            if pairing.players.iter().any(|agent_id| presence.get(agent_id) == Some(&Presence::ServerLost)) {
                waits.forget(key);
                continue;
            }
            let found = Waiting { key, seats: pairing.players.map(seat), waited: waits.watch(key, now, seen) };
            if created.league == League::Debate && !self.can_be_judged(&found).await? {
                waits.forget(key);
                continue;
            }
            waiting.push(found);
        }
        Ok(waiting)
    }

    /// Whether judges can be drawn for a debate that can begin.
    async fn can_be_judged(&self, waiting: &Waiting) -> Result<bool, StoreError> {
        match waiting.ready() {
            Some(seats) => self.store.arena().can_judge(&seats.map(|seat| seat.owner_id)).await,
            None => Ok(true),
        }
    }

    /// Before a match begins, the endpoints of its players must answer a health check.
    async fn check_endpoints(&self, waiting: &mut Waiting) -> Result<(), StoreError> {
        if waiting.ready().is_none() {
            return Ok(());
        }
        for seat in &mut waiting.seats {
            if let Some((Seat { channel: Channel::Push, agent_id, .. }, _)) = seat
                && !self.checker.check_now(*agent_id).await?
            {
                *seat = None;
            }
        }
        Ok(())
    }

    async fn begin(
        &self,
        created: &TournamentCreated,
        (round, board): (u16, u16),
        seats: [Seat; 2],
    ) -> Result<(), StoreError> {
        let (id, league) = (created.tournament_id, created.league);
        let challenger_id = Some(created.owner_id);
        let new = NewMatch { league, mode: Mode::Tournament, challenger_id, seats: seats.into() };
        let planned = match new.plan(self.store.arena()) {
            Ok(planned) => planned,
            Err(NewMatchError::Store(error)) => return Err(error),
            Err(error) => return Err(StoreError::Damaged(format!("a match of a tournament: {error}"))),
        };
        let begin = BeginMatch { round, board, match_id: planned.created.match_id };
        let begun = self
            .store
            .log()
            .transact::<(), StoreError>(None, async |unit| {
                let state = unit.load::<Tournament>(id).await?;
                // Another process may have begun it, the tournament has ended, or a budget is used up since.
                if let Ok(events) = begin.decide(&state.state)
                    && planned.check(unit, self.budget, self.store.log().clock().now()).await?.is_ok()
                {
                    planned.write(unit);
                    append_tournament(unit, &state, events).await?;
                }
                Ok(())
            })
            .await;
        unless_another_did(begun.map(drop))
    }
}

#[cfg(test)]
mod tests {
    use buildtrack_domain::{
        actors::{Actor, ActorKind},
        ids::OwnerId,
    };
    use uuid::Uuid;

    use super::*;

    fn waiting(loads: [Option<Load>; 2], waited: TimeDelta) -> Waiting {
        let agent_id = AgentId::new(Uuid::from_u128(1));
        let agent = Actor { id: agent_id.into(), name: "Wren".into(), kind: ActorKind::AiAgent, model: None };
        let seat = Seat { agent, agent_id, owner_id: OwnerId::new(Uuid::from_u128(2)), channel: Channel::Push };
        let key = (TournamentId::new(Uuid::from_u128(3)), 1, 1);
        Waiting { key, seats: loads.map(|load| load.map(|load| (seat.clone(), load))), waited }
    }

    #[test]
    fn a_match_begins_when_both_players_can_play() {
        let (free, busy, full) = (Some(Load::Free), Some(Load::Busy), Some(Load::Full));
        let (soon, late) = (ABSENCE - TimeDelta::seconds(1), ABSENCE);
        for (loads, waited, is_ready) in [
            ([free, free], TimeDelta::zero(), true),
            ([free, None], late, false),
            ([free, busy], soon, false),
            ([busy, free], late, true),
            ([free, full], late, false),
        ] {
            assert_eq!(waiting(loads, waited).ready().is_some(), is_ready, "{waited}");
        }
    }

    #[test]
    fn a_player_that_cannot_be_reached_is_absent_and_a_full_one_after_very_long() {
        let (free, full) = (Some(Load::Free), Some(Load::Full));
        let very_long = ABSENCE * FULL_MAX;
        for (loads, waited, absent) in [
            ([free, None], TimeDelta::zero(), [false, true]),
            ([full, free], very_long - TimeDelta::seconds(1), [false, false]),
            ([full, free], very_long, [true, false]),
            ([Some(Load::Busy), free], very_long, [false, false]),
        ] {
            assert_eq!(waiting(loads, waited).absent(), absent, "{waited}");
        }
    }
}
