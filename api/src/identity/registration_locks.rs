//! Locks that serialize registrations of the same owner, so that counting and writing are atomic within this process.

use std::hash::{BuildHasher, RandomState};

use buildtrack_domain::ids::OwnerId;
use tokio::sync::{Mutex, MutexGuard};

/// The number of locks, which all owners share.
const TURNS: usize = 64;

/// The locks of agent registrations in this process.
#[derive(Debug)]
pub(crate) struct Registering {
    turns: [Mutex<()>; TURNS],
    hasher: RandomState,
}

impl Default for Registering {
    fn default() -> Self {
        Self { turns: std::array::from_fn(|_| Mutex::new(())), hasher: RandomState::new() }
    }
}

impl Registering {
    /// Waits until no other registration of the owner is in progress.
    pub(crate) async fn turn(&self, owner_id: OwnerId) -> MutexGuard<'_, ()> {
        let hash = self.hasher.hash_one(owner_id.to_string());
        let turn = usize::try_from(hash % TURNS as u64).unwrap_or_default();
        self.turns[turn].lock().await
    }
}
