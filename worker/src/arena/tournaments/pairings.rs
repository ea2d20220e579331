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
use crate::arena::{head_to_heads::unless_another_did, health};

/// A pairing that waits for its match.
struct Waiting {
    key: Key,
    /// The seats of the players that can be reached, each with whether it plays another match.
    seats: [Option<(Seat, bool)>; 2],
    /// How long it has waited.
    waited: TimeDelta,
}

impl Waiting {
    fn is_late(&self) -> bool {
        self.waited >= ABSENCE
    }

    /// The seats of a match that can begin: both players can be reached. After [`ABSENCE`] it does not matter that one of them plays
    /// another match.
    fn ready(&self) -> Option<[&Seat; 2]> {
        let [Some((first, first_busy)), Some((second, second_busy))] = &self.seats else { return None };
        (self.is_late() || !(*first_busy || *second_busy)).then_some([first, second])
    }
}

impl Table {
    /// Begins the matches that can begin now. For the others, the players that cannot be reached forfeit after a while.
    pub(super) async fn begin_matches(&self, id: TournamentId, waits: &mut Waits) -> Result<(), StoreError> {
        let state = self.store.tournament_state(id).await?;
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
            let (key, absent) = (pairing.key, pairing.seats.each_ref().map(Option::is_none));
            let (_, round, board) = key;
            if let Some(seats) = pairing.ready() {
                if may_begin {
                    self.begin(created, (round, board), seats.map(Seat::clone)).await?;
                    may_begin = self.may_begin(created.owner_id, created.league).await?;
                }
                waits.forget(key);
            } else if pairing.is_late() {
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
        waits: &mut Waits,
    ) -> Result<Vec<Waiting>, StoreError> {
        let id = created.tournament_id;
        let presence = self.store.tournament_presence(id, created.league).await?;
        let seat = |agent_id: AgentId| match presence.get(&agent_id) {
            Some(Presence::Ready { seat, is_busy }) => Some((seat.clone(), *is_busy)),
            _ => None,
        };
        let (now, seen) = (self.store.clock().now(), Instant::now());
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
            Some(seats) => self.store.can_judge(&seats.map(|seat| seat.owner_id)).await,
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
                && !health::check_now(&self.store, &self.client, *agent_id).await?
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
        let planned = match new.plan(&self.store) {
            Ok(planned) => planned,
            Err(NewMatchError::Store(error)) => return Err(error),
            Err(error) => return Err(StoreError::Damaged(format!("a match of a tournament: {error}"))),
        };
        let begin = BeginMatch { round, board, match_id: planned.created.match_id };
        let begun = self
            .store
            .transact::<(), StoreError>(None, async |unit| {
                let state = unit.load::<Tournament>(id).await?;
                // Another process may have begun it, or the tournament has ended.
                if let Ok(events) = begin.decide(&state.state) {
                    planned.write(unit);
                    append_tournament(unit, &state, events).await?;
                }
                Ok(())
            })
            .await;
        unless_another_did(begun.map(drop))
    }
}
