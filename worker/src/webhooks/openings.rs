//! What the sender has room for, as the dispatcher sees it: what would find none is left to the database at once, and
//! goes there only once.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use buildtrack_domain::ids::WebhookId;

/// Shared by both. What it says may be a moment old: what finds no room after all is given back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Openings(Arc<Mutex<Room>>);

/// Room for so many deliveries, none of them to endpoints whose lanes are full.
#[derive(Debug, Clone, Default)]
pub(crate) struct Room {
    pub(crate) places: usize,
    pub(crate) full: HashSet<WebhookId>,
}

impl Openings {
    /// As it is now.
    pub(crate) fn now(&self) -> Room {
        self.room(|room| room.clone())
    }

    /// There is room for so many.
    pub(crate) fn places(&self, places: usize) {
        self.room(|room| room.places = places);
    }

    /// These endpoints have no room, and all others do.
    pub(crate) fn full(&self, full: impl IntoIterator<Item = WebhookId>) {
        self.room(|room| room.full = full.into_iter().collect());
    }

    /// Neither has this one.
    pub(crate) fn close(&self, webhook_id: WebhookId) {
        self.room(|room| _ = room.full.insert(webhook_id));
    }

    fn room<T>(&self, with: impl FnOnce(&mut Room) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Room {
    /// As much as wanted.
    pub(crate) fn unlimited() -> Self {
        Self { places: usize::MAX, full: HashSet::new() }
    }
}
