//! One registration of an owner at a time: agents are counted and written without another between.

use std::hash::{BuildHasher, RandomState};

use buildtrack_domain::ids::OwnerId;
use tokio::sync::{Mutex, MutexGuard};

/// Owners share so many turns.
const TURNS: usize = 64;

/// Who registers an agent in this process at the moment.
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
    /// Waits until no other registration of the owner is being written.
    pub(crate) async fn turn(&self, owner_id: OwnerId) -> MutexGuard<'_, ()> {
        let hash = self.hasher.hash_one(owner_id.to_string());
        let turn = usize::try_from(hash % TURNS as u64).unwrap_or_default();
        self.turns[turn].lock().await
    }
}
