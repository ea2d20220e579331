//! State of the hub: cached events, subscriptions and their index by location.

use std::{
    collections::{HashMap, VecDeque},
    task::{Context, Waker},
    time::Duration,
};

use buildtrack_domain::locations::Location;
use buildtrack_store::{Belonging, Interest};
use tokio::time::Instant;

use super::{
    Entry, Key, Next, Now, Subscription,
    waiters::{View, WAITING, Waiter},
};

/// Cache limits: number of events, and bytes of their frames.
const EVENTS: usize = 4096;
const BYTES: usize = 8 * 1024 * 1024;
/// How long the reader may lag before cached events count as outdated. It is shorter than the time for which the store
/// remembers redactions.
const BLIND: Duration = Duration::from_secs(30);

/// **Invariant:** positions of the entries are consecutive and end at `position`.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) entries: VecDeque<Entry>,
    pub(super) bytes: usize,
    pub(super) position: i64,
    /// When the reader last reached the tail.
    pub(super) caught_up: Option<Instant>,
    pub(super) loaded: bool,
    pub(super) ended: bool,
    pub(super) streams: usize,
    pub(super) next_key: Key,
    pub(super) waiters: HashMap<Key, Waiter>,
    everything: Vec<Key>,
    by_location: HashMap<Location, Vec<Key>>,
}

impl State {
    /// Whether there are no subscriptions.
    #[cfg(test)]
    pub(super) fn is_deserted(&self) -> bool {
        self.waiters.is_empty() && self.everything.is_empty() && self.by_location.is_empty()
    }

    pub(super) fn cache(&mut self, entry: Entry) {
        self.bytes += entry.frame.len();
        self.position = entry.position;
        self.entries.push_back(entry);
        while self.entries.len() > EVENTS || (self.bytes > BYTES && self.entries.len() > 1) {
            let oldest = self.entries.pop_front();
            self.bytes -= oldest.map_or(0, |oldest| oldest.frame.len());
        }
    }

    fn index(&self, position: i64) -> Option<usize> {
        usize::try_from(position - self.entries.front()?.position).ok()
    }

    pub(super) fn entry_mut(&mut self, position: i64) -> Option<&mut Entry> {
        let index = self.index(position)?;
        self.entries.get_mut(index)
    }

    /// The cached entries after a position; none if the cache does not reach back to it.
    fn beyond(&self, position: i64) -> Option<impl Iterator<Item = &Entry>> {
        let skipped = match self.entries.front() {
            _ if position >= self.position => self.entries.len(),
            Some(first) => usize::try_from(position + 1 - first.position).ok()?,
            None => return None,
        };
        Some(self.entries.range(skipped..))
    }

    /// Whether the cached frame is current. Older redactions have [replaced](super::Hub::replace) it, unless the reader
    /// has lagged since.
    fn is_current(&self, entry: &Entry, now: &impl Now) -> bool {
        let has_read = self.position >= now.head() || self.caught_up.is_some_and(|at| at.elapsed() < BLIND);
        has_read && now.is_current_text(&entry.stream, entry.read_at)
    }

    pub(super) fn subscribe(&mut self, key: Key, subscription: Subscription, now: &impl Now) -> Result<(), i64> {
        let Subscription { interest, types, cursor, stays } = subscription;
        let mut view = View::new(interest, cursor, &stays);
        let mut waiting = VecDeque::new();
        for entry in self.beyond(cursor).filter(|_| self.loaded).ok_or(self.position)? {
            if view.shows(&entry.belonging) && types.include(&entry.event_type) {
                if !self.is_current(entry, now) {
                    return Err(self.position);
                }
                waiting.push_back(entry.position);
            }
        }
        if waiting.len() > WAITING {
            return Err(self.position);
        }
        let locations = view.locations();
        if interest == Interest::Everything {
            self.everything.push(key);
        }
        for location in &locations {
            self.by_location.entry(*location).or_default().push(key);
        }
        self.waiters.insert(key, Waiter { types, after: cursor, waiting, lost: false, waker: None, locations });
        Ok(())
    }

    pub(super) fn next(&mut self, key: Key, context: &mut Context<'_>, now: &impl Now) -> Next {
        let (ended, position) = (self.ended, self.position);
        let Some(waiter) = self.waiters.get_mut(&key).filter(|_| !ended) else { return Next::Ended };
        let Some(found) = waiter.waiting.pop_front().filter(|_| !waiter.lost) else {
            if waiter.lost {
                return Next::Lost(waiter.after);
            }
            // Free the memory that a burst has allocated.
            waiter.waiting = VecDeque::new();
            waiter.after = waiter.after.max(position);
            waiter.waker = Some(context.waker().clone());
            return Next::Nothing(waiter.after);
        };
        let after = std::mem::replace(&mut waiter.after, found);
        match self.index(found).and_then(|index| self.entries.get(index)) {
            Some(entry) if self.is_current(entry, now) => Next::Frame(found, entry.frame.clone()),
            Some(_) => {
                self.remove(key);
                Next::Stale(after)
            }
            None => Next::Lost(after),
        }
    }

    pub(super) fn deliver(&mut self, entry: &Entry, woken: &mut Vec<Waker>) {
        let Entry { position, event_type, belonging: Belonging { locations, membership }, .. } = entry;
        let moving =
            membership.map(|change| (Location::Actor(change.member), Location::Workspace(change.workspace_id)));
        let joins = membership.map(|change| change.joins);
        if let (Some((member, workspace)), Some(true)) = (moving, joins) {
            self.follow(member, workspace);
        }
        let concerned = locations.iter().filter_map(|location| self.by_location.get(location)).flatten();
        for key in concerned.chain(&self.everything) {
            if let Some(waiter) = self.waiters.get_mut(key) {
                woken.extend(waiter.offer(*position, event_type));
            }
        }
        if let (Some((member, workspace)), Some(false)) = (moving, joins) {
            self.leave(member, workspace);
        }
    }

    /// Adds the workspace to the streams that follow this member.
    fn follow(&mut self, member: Location, workspace: Location) {
        for key in self.by_location.get(&member).cloned().unwrap_or_default() {
            if let Some(waiter) = self.waiters.get_mut(&key).filter(|waiter| !waiter.locations.contains(&workspace)) {
                waiter.locations.push(workspace);
                self.by_location.entry(workspace).or_default().push(key);
            }
        }
    }

    fn leave(&mut self, member: Location, workspace: Location) {
        for key in self.by_location.get(&member).cloned().unwrap_or_default() {
            if let Some(waiter) = self.waiters.get_mut(&key) {
                waiter.locations.retain(|location| *location != workspace);
                self.unindex(workspace, key);
            }
        }
    }

    pub(super) fn remove(&mut self, key: Key) {
        let Some(waiter) = self.waiters.remove(&key) else { return };
        if waiter.locations.is_empty() {
            self.everything.retain(|other| *other != key);
        }
        for location in waiter.locations {
            self.unindex(location, key);
        }
    }

    fn unindex(&mut self, location: Location, key: Key) {
        if let Some(keys) = self.by_location.get_mut(&location) {
            keys.retain(|other| *other != key);
            if keys.is_empty() {
                self.by_location.remove(&location);
            }
        }
    }
}
