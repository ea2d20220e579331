//! A subscribed stream's queue, and the filter of events that it shows.

use std::{
    collections::{HashSet, VecDeque},
    task::Waker,
};

use buildtrack_domain::{actors::ActorId, ids::WorkspaceId, locations::Location};
use buildtrack_store::{Belonging, Interest, Stay};

use crate::log::live::types::Types;

/// Maximum number of events that wait for one stream. Only positions are stored, eight bytes each.
pub(super) const WAITING: usize = 1024;

/// A subscribed stream.
#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) types: Types,
    /// The position up to which events were returned or filtered out.
    pub(super) after: i64,
    pub(super) waiting: VecDeque<i64>,
    pub(super) lost: bool,
    pub(super) waker: Option<Waker>,
    /// The stream's keys in `by_location`; empty if it follows everything.
    pub(super) locations: Vec<Location>,
}

impl Waiter {
    pub(super) fn offer(&mut self, position: i64, event_type: &str) -> Option<Waker> {
        let known = position <= self.after || self.waiting.back().is_some_and(|last| *last >= position);
        if known || self.lost || !self.types.include(event_type) {
            return None;
        }
        if self.waiting.len() < WAITING {
            self.waiting.push_back(position);
        } else {
            (self.waiting, self.lost) = (VecDeque::new(), true);
        }
        self.waker.take()
    }
}

/// Decides event by event what an interest shows. An agent's workspaces change along the log.
pub(super) struct View {
    interest: Interest,
    rooms: HashSet<WorkspaceId>,
}

impl View {
    pub(super) fn new(interest: Interest, cursor: i64, stays: &[Stay]) -> Self {
        let stays = stays.iter().filter(|stay| stay.from <= cursor && stay.to.is_none_or(|to| to > cursor));
        Self { interest, rooms: stays.map(|stay| stay.workspace_id).collect() }
    }

    pub(super) fn shows(&mut self, Belonging { locations, membership }: &Belonging) -> bool {
        let Interest::Agent(agent) = self.interest else {
            return match self.interest {
                Interest::Workspace(id) => locations.contains(&Location::Workspace(id)),
                _ => true,
            };
        };
        let own = membership.filter(|change| change.member == ActorId::Agent(agent));
        if let Some(change) = own.filter(|change| change.joins) {
            self.rooms.insert(change.workspace_id);
        }
        let shown = locations.iter().any(|location| match location {
            Location::Workspace(id) => self.rooms.contains(id),
            Location::Actor(id) => *id == ActorId::Agent(agent),
            Location::Message(_) => false,
        });
        if let Some(change) = own.filter(|change| !change.joins) {
            self.rooms.remove(&change.workspace_id);
        }
        shown
    }

    pub(super) fn locations(self) -> Vec<Location> {
        match self.interest {
            Interest::Everything => vec![],
            Interest::Workspace(id) => vec![Location::Workspace(id)],
            Interest::Agent(id) => {
                let rooms = self.rooms.into_iter().map(Location::Workspace);
                std::iter::once(Location::Actor(id.into())).chain(rooms).collect()
            }
        }
    }
}
