//! Slots of rounds: how many rounds are under way at once, and which owner may have another one.
//!
//! **Invariant:** the last slots are for owners that have none, so that their first round waits for no endpoint of another owner. **Invariant:**
//! the slots that owners have beyond their own share are bounded together: endpoints that do not answer take those, and no more.

use std::collections::HashMap;

use buildtrack_domain::ids::OwnerId;

/// Rounds that are under way at once.
pub(super) const ROUNDS: usize = 2000;
/// The slots of an owner that count as its own share.
const OWN: usize = 50;

/// A slot that an owner has. It is given back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    owner_id: OwnerId,
    is_beyond: bool,
}

/// The slots.
#[derive(Debug)]
pub(super) struct Shares {
    free: usize,
    /// Slots that only an owner without one may get.
    spare: usize,
    /// Slots that owners beyond their own share may still get.
    free_beyond: usize,
    taken: HashMap<OwnerId, usize>,
}

impl Shares {
    /// A quarter of the slots is for owners that have none; half of the others for owners beyond their own share.
    pub(super) fn new(slots: usize) -> Self {
        let spare = slots / 4;
        Self { free: slots, spare, free_beyond: (slots - spare).div_ceil(2), taken: HashMap::new() }
    }

    /// A slot for a round of this owner, if it may have another one.
    pub(super) fn take(&mut self, owner_id: OwnerId) -> Option<Share> {
        let taken = self.taken.get(&owner_id).copied().unwrap_or(0);
        let is_beyond = taken >= OWN;
        let reserved = if taken == 0 { 0 } else { self.spare };
        if self.free <= reserved || is_beyond && self.free_beyond == 0 {
            return None;
        }
        self.free -= 1;
        self.free_beyond -= usize::from(is_beyond);
        self.taken.insert(owner_id, taken + 1);
        Some(Share { owner_id, is_beyond })
    }

    /// Takes a slot back.
    pub(super) fn give_back(&mut self, share: Share) {
        let Share { owner_id, is_beyond } = share;
        self.free += 1;
        self.free_beyond += usize::from(is_beyond);
        if let Some(taken) = self.taken.get_mut(&owner_id) {
            *taken -= 1;
            if *taken == 0 {
                self.taken.remove(&owner_id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn owner(number: u128) -> OwnerId {
        OwnerId::new(Uuid::from_u128(number))
    }

    /// Takes up to `count` slots for an owner.
    fn take(shares: &mut Shares, number: u128, count: usize) -> Vec<Share> {
        (0..count).map_while(|_| shares.take(owner(number))).collect()
    }

    #[test]
    fn one_owner_leaves_slots_to_others_however_many_of_its_endpoints_hang() {
        let mut shares = Shares::new(ROUNDS);
        let hanging = take(&mut shares, 1, ROUNDS);
        assert_eq!(hanging.len(), OWN + ROUNDS * 3 / 8);
        assert_eq!(take(&mut shares, 2, ROUNDS).len(), OWN, "a second one has its own share");
    }

    #[test]
    fn an_owner_without_a_slot_gets_one_while_many_owners_have_their_shares() {
        let mut shares = Shares::new(ROUNDS);
        let held: Vec<_> = (1..=100).map(|number| take(&mut shares, number, ROUNDS).len()).collect();
        assert_eq!(held.iter().sum::<usize>(), ROUNDS - ROUNDS / 4 + held.iter().filter(|held| **held == 1).count());
        assert_eq!(take(&mut shares, 1000, 2).len(), 1);
    }

    #[test]
    fn slots_that_are_given_back_are_free_again() {
        let mut shares = Shares::new(200);
        for _ in 0..3 {
            let taken = take(&mut shares, 1, 200);
            assert_eq!(taken.len(), 125);
            for share in taken {
                shares.give_back(share);
            }
            assert!(shares.taken.is_empty() && shares.free == 200 && shares.free_beyond == 75);
        }
    }
}
