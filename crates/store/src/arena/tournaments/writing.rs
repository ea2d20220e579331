//! Events of a tournament, with the slot of its owner.

use buildtrack_domain::{
    arena::tournaments::{FreeSlot, Tournament, TournamentEvent, TournamentSlots},
    decide::Command,
};
use buildtrack_macros::boxed;

use crate::{
    StoreError,
    log::{Loaded, Unit},
};

/// Appends events of a tournament. If it ends with them, the slot of its owner is freed in the same commit.
#[boxed]
pub async fn append_tournament(
    unit: &mut Unit<'_>,
    tournament: &Loaded<Tournament>,
    events: Vec<TournamentEvent>,
) -> Result<(), StoreError> {
    let Some(created) = &tournament.state.created else { return Ok(()) };
    let (tournament_id, owner_id) = (created.tournament_id, created.owner_id);
    let is_end = events.iter().any(TournamentEvent::is_end);
    unit.append(tournament_id, tournament, events);
    if is_end {
        let stream = TournamentSlots::stream(owner_id);
        let slots = unit.load::<TournamentSlots>(&stream).await?;
        let freed = FreeSlot { tournament_id, owner_id }.decide(&slots.state).unwrap_or_default();
        unit.append(&stream, &slots, freed);
    }
    Ok(())
}
