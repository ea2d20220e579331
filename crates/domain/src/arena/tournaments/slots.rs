//! The number of an owner's open tournaments.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{OPEN_MAX, TournamentError};
use crate::{
    decide::{Command, State},
    event::{event_set, unlisted_events},
    ids::{OwnerId, TournamentId},
};

event_set! {
    /// The open tournaments of an owner; stream `tournaments:ow_…`. Tournaments created concurrently conflict on its version.
    pub enum TournamentSlotEvent: Uncached {
        /// A tournament was created.
        Taken(TournamentSlotTaken) = "tournament.slot_taken", Private, [];
        /// It has ended.
        Freed(TournamentSlotFreed) = "tournament.slot_freed", Private, [Essential];
    }
}

unlisted_events!(TournamentSlotEvent);

/// See [`TournamentSlotEvent::Taken`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TournamentSlotTaken {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// Its owner.
    pub owner_id: OwnerId,
}

/// See [`TournamentSlotEvent::Freed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TournamentSlotFreed {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// Its owner.
    pub owner_id: OwnerId,
}

/// An owner's open tournaments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TournamentSlots(BTreeSet<TournamentId>);

impl TournamentSlots {
    /// The stream of this owner's tournaments.
    pub fn stream(owner_id: OwnerId) -> String {
        format!("tournaments:{owner_id}")
    }
}

impl State for TournamentSlots {
    type Event = TournamentSlotEvent;

    fn apply(mut self, event: &TournamentSlotEvent) -> Self {
        match event {
            TournamentSlotEvent::Taken(data) => self.0.insert(data.tournament_id),
            TournamentSlotEvent::Freed(data) => self.0.remove(&data.tournament_id),
        };
        self
    }
}

/// Reserves capacity for one more tournament of an owner.
#[derive(Debug, Clone, Copy)]
pub struct TakeSlot {
    /// The new tournament.
    pub tournament_id: TournamentId,
    /// Its owner.
    pub owner_id: OwnerId,
}

impl Command for TakeSlot {
    type State<'a> = &'a TournamentSlots;
    type Event = TournamentSlotEvent;
    type Error = TournamentError;

    fn decide(&self, TournamentSlots(taken): &TournamentSlots) -> Result<Vec<TournamentSlotEvent>, TournamentError> {
        if taken.len() >= OPEN_MAX {
            return Err(TournamentError::TooMany);
        }
        let Self { tournament_id, owner_id } = *self;
        Ok(vec![TournamentSlotTaken { tournament_id, owner_id }.into()])
    }
}

/// Frees the slot of a tournament that ends.
#[derive(Debug, Clone, Copy)]
pub struct FreeSlot {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// Its owner.
    pub owner_id: OwnerId,
}

impl Command for FreeSlot {
    type State<'a> = &'a TournamentSlots;
    type Event = TournamentSlotEvent;
    type Error = TournamentError;

    fn decide(&self, TournamentSlots(taken): &TournamentSlots) -> Result<Vec<TournamentSlotEvent>, TournamentError> {
        let Self { tournament_id, owner_id } = *self;
        let freed = TournamentSlotFreed { tournament_id, owner_id };
        Ok(taken.contains(&tournament_id).then_some(freed.into()).into_iter().collect())
    }
}
