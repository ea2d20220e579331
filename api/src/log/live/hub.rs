//! The last events of the log, put into words, and who waits for which of them.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Waker},
};

use actix_web::web::Bytes;
use buildtrack_domain::{actors::ActorId, ids::WorkspaceId, places::Place};
use buildtrack_store::{Belonging, Interest, Stay};
use tokio::sync::{Notify, watch};

use super::types::Types;

/// How many events are kept, and bytes of their frames.
const EVENTS: usize = 4096;
const BYTES: usize = 8 * 1024 * 1024;
/// How many events may wait for one stream; positions only, eight bytes each.
const WAITING: usize = 1024;

/// One event, put into words once for all who are shown it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) position: i64,
    pub(crate) stream: Box<str>,
    pub(crate) event_type: Box<str>,
    pub(crate) belonging: Belonging,
    pub(crate) frame: Bytes,
}

/// A stream that wants to be handed what comes.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) interest: Interest,
    pub(crate) types: Types,
    /// Where it is.
    pub(crate) cursor: i64,
    /// Where the agent is and was, known at the cursor or later; none for other interests.
    pub(crate) stays: Vec<Stay>,
}

/// What there is for a stream.
#[derive(Debug)]
pub(crate) enum Next {
    /// An event's position and frame.
    Frame(i64, Bytes),
    /// Nothing, up to this position; it will be woken.
    Nothing(i64),
    /// More than is kept for it, beyond this position. It has lost its place.
    Lost(i64),
    /// The server stops.
    Over,
}

/// Names a stream's place.
pub(crate) type Key = u64;

/// **Invariant:** positions of the entries are consecutive and end at `position`.
#[derive(Debug, Default)]
struct State {
    entries: VecDeque<Entry>,
    bytes: usize,
    position: i64,
    loaded: bool,
    over: bool,
    streams: usize,
    next_key: Key,
    places: HashMap<Key, Waiter>,
    everything: Vec<Key>,
    by_place: HashMap<Place, Vec<Key>>,
}

/// A stream in its place.
#[derive(Debug)]
struct Waiter {
    types: Types,
    /// Handed out, or not wanted, up to here.
    after: i64,
    waiting: VecDeque<i64>,
    lost: bool,
    waker: Option<Waker>,
    /// Where it is found in `by_place`; nowhere where it follows everything.
    places: Vec<Place>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Hub {
    state: Mutex<State>,
    pub(super) wanted: Notify,
    loaded: watch::Sender<bool>,
}

impl Hub {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::default(), wanted: Notify::new(), loaded: watch::Sender::new(false) }
    }

    /// One stream more: from now on the log is read.
    pub(crate) fn enter(&self) -> Key {
        let mut state = self.state();
        state.streams += 1;
        state.next_key += 1;
        self.wanted.notify_one();
        metrics::gauge!("buildtrack_live_streams").increment(1.0);
        state.next_key
    }

    /// One stream less.
    pub(crate) fn exit(&self, key: Key) {
        let mut state = self.state();
        state.streams -= 1;
        state.remove(key);
        metrics::gauge!("buildtrack_live_streams").decrement(1.0);
    }

    /// Waits until the last events are there, or the server stops.
    pub(crate) async fn ready(&self) {
        // The sender lives as long as `self`.
        drop(self.loaded.subscribe().wait_for(|loaded| *loaded).await);
    }

    /// Gives a stream its place, with what is beyond its cursor waiting for it. Where the last events do not reach back
    /// to the cursor, it has to read the log up to the position given, and come again.
    pub(crate) fn arrive(&self, key: Key, arrival: Arrival) -> Result<(), i64> {
        self.state().arrive(key, arrival)
    }

    /// What there is for a stream; where there is nothing, it is woken when there is.
    pub(crate) fn next(&self, key: Key, context: &mut Context<'_>) -> Next {
        self.state().next(key, context)
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.state().streams > 0
    }

    pub(super) fn position(&self) -> Option<i64> {
        let state = self.state();
        state.loaded.then_some(state.position)
    }

    /// Begins with these entries, which end at `position`.
    pub(super) fn load(&self, entries: Vec<Entry>, position: i64) {
        let mut state = self.state();
        for entry in entries {
            state.keep(entry);
        }
        (state.position, state.loaded) = (position, true);
        drop(state);
        self.loaded.send_replace(true);
    }

    /// Forgets the entries: nobody is there.
    pub(super) fn unload(&self) {
        let mut state = self.state();
        if state.streams == 0 {
            state.entries = VecDeque::new();
            (state.bytes, state.loaded) = (0, false);
            self.loaded.send_replace(false);
        }
    }

    /// Hands on what comes next, in order.
    pub(super) fn hand_on(&self, entries: Vec<Entry>) {
        let mut woken = Vec::new();
        let mut state = self.state();
        for entry in entries {
            state.hand_on(&entry, &mut woken);
            state.keep(entry);
        }
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }

    /// The positions of a stream of the log that are kept.
    pub(super) fn positions_of(&self, stream: &str) -> Vec<i64> {
        let state = self.state();
        state.entries.iter().filter(|entry| &*entry.stream == stream).map(|entry| entry.position).collect()
    }

    /// Shows an event from now on as it is shown on the log: it has been redacted.
    pub(super) fn replace(&self, position: i64, frame: Bytes) {
        let mut state = self.state();
        let Some(entry) = state.entry_mut(position) else { return };
        let old = std::mem::replace(&mut entry.frame, frame);
        let new = entry.frame.len();
        state.bytes = state.bytes + new - old.len();
    }

    /// The server stops: every stream ends.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.over = true;
        let woken: Vec<_> = state.places.values_mut().filter_map(|waiter| waiter.waker.take()).collect();
        drop(state);
        self.loaded.send_replace(true);
        woken.into_iter().for_each(Waker::wake);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn keep(&mut self, entry: Entry) {
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

    fn entry_mut(&mut self, position: i64) -> Option<&mut Entry> {
        let index = self.index(position)?;
        self.entries.get_mut(index)
    }

    /// The entries beyond a position; none where they do not reach back to it.
    fn beyond(&self, position: i64) -> Option<impl Iterator<Item = &Entry>> {
        let skipped = match self.entries.front() {
            _ if position >= self.position => self.entries.len(),
            Some(first) => usize::try_from(position + 1 - first.position).ok()?,
            None => return None,
        };
        Some(self.entries.range(skipped..))
    }

    fn arrive(&mut self, key: Key, arrival: Arrival) -> Result<(), i64> {
        let Arrival { interest, types, cursor, stays } = arrival;
        let mut view = View::new(interest, cursor, &stays);
        let mut waiting = VecDeque::new();
        for entry in self.beyond(cursor).filter(|_| self.loaded).ok_or(self.position)? {
            if view.shows(&entry.belonging) && types.include(&entry.event_type) {
                waiting.push_back(entry.position);
            }
        }
        if waiting.len() > WAITING {
            return Err(self.position);
        }
        let places = view.places();
        if interest == Interest::Everything {
            self.everything.push(key);
        }
        for place in &places {
            self.by_place.entry(*place).or_default().push(key);
        }
        self.places.insert(key, Waiter { types, after: cursor, waiting, lost: false, waker: None, places });
        Ok(())
    }

    fn next(&mut self, key: Key, context: &mut Context<'_>) -> Next {
        let (over, position) = (self.over, self.position);
        let Some(waiter) = self.places.get_mut(&key).filter(|_| !over) else { return Next::Over };
        let Some(found) = waiter.waiting.pop_front().filter(|_| !waiter.lost) else {
            if waiter.lost {
                return Next::Lost(waiter.after);
            }
            // What a burst has taken is given back.
            waiter.waiting = VecDeque::new();
            waiter.after = waiter.after.max(position);
            waiter.waker = Some(context.waker().clone());
            return Next::Nothing(waiter.after);
        };
        let after = std::mem::replace(&mut waiter.after, found);
        match self.entry_mut(found) {
            Some(entry) => Next::Frame(found, entry.frame.clone()),
            None => Next::Lost(after),
        }
    }

    fn hand_on(&mut self, entry: &Entry, woken: &mut Vec<Waker>) {
        let Entry { position, event_type, belonging: Belonging { places, moved }, .. } = entry;
        let moving = moved.as_ref().map(|moved| (Place::Actor(moved.member), Place::Workspace(moved.workspace_id)));
        if let (Some((member, workspace)), Some(true)) = (moving, moved.map(|moved| moved.joins)) {
            self.follow(member, workspace);
        }
        let concerned = places.iter().filter_map(|place| self.by_place.get(place)).flatten();
        for key in concerned.chain(&self.everything) {
            if let Some(waiter) = self.places.get_mut(key) {
                woken.extend(waiter.offer(*position, event_type));
            }
        }
        if let (Some((member, workspace)), Some(false)) = (moving, moved.map(|moved| moved.joins)) {
            self.leave(member, workspace);
        }
    }

    /// Streams of this member follow the workspace too.
    fn follow(&mut self, member: Place, workspace: Place) {
        for key in self.by_place.get(&member).cloned().unwrap_or_default() {
            if let Some(waiter) = self.places.get_mut(&key).filter(|waiter| !waiter.places.contains(&workspace)) {
                waiter.places.push(workspace);
                self.by_place.entry(workspace).or_default().push(key);
            }
        }
    }

    fn leave(&mut self, member: Place, workspace: Place) {
        for key in self.by_place.get(&member).cloned().unwrap_or_default() {
            if let Some(waiter) = self.places.get_mut(&key) {
                waiter.places.retain(|place| *place != workspace);
                self.forget(workspace, key);
            }
        }
    }

    fn remove(&mut self, key: Key) {
        let Some(waiter) = self.places.remove(&key) else { return };
        if waiter.places.is_empty() {
            self.everything.retain(|other| *other != key);
        }
        for place in waiter.places {
            self.forget(place, key);
        }
    }

    fn forget(&mut self, place: Place, key: Key) {
        if let Some(keys) = self.by_place.get_mut(&place) {
            keys.retain(|other| *other != key);
            if keys.is_empty() {
                self.by_place.remove(&place);
            }
        }
    }
}

impl Waiter {
    fn offer(&mut self, position: i64, event_type: &str) -> Option<Waker> {
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

/// What an interest shows, event by event: where an agent is changes on the way.
struct View {
    interest: Interest,
    rooms: HashSet<WorkspaceId>,
}

impl View {
    fn new(interest: Interest, cursor: i64, stays: &[Stay]) -> Self {
        let stays = stays.iter().filter(|stay| stay.from <= cursor && stay.to.is_none_or(|to| to > cursor));
        Self { interest, rooms: stays.map(|stay| stay.workspace_id).collect() }
    }

    fn shows(&mut self, Belonging { places, moved }: &Belonging) -> bool {
        let Interest::Agent(agent) = self.interest else {
            return match self.interest {
                Interest::Workspace(id) => places.contains(&Place::Workspace(id)),
                _ => true,
            };
        };
        let own = moved.filter(|moved| moved.member == ActorId::Agent(agent));
        if let Some(moved) = own.filter(|moved| moved.joins) {
            self.rooms.insert(moved.workspace_id);
        }
        let shown = places.iter().any(|place| match place {
            Place::Workspace(id) => self.rooms.contains(id),
            Place::Actor(id) => *id == ActorId::Agent(agent),
        });
        if let Some(moved) = own.filter(|moved| !moved.joins) {
            self.rooms.remove(&moved.workspace_id);
        }
        shown
    }

    fn places(self) -> Vec<Place> {
        match self.interest {
            Interest::Everything => vec![],
            Interest::Workspace(id) => vec![Place::Workspace(id)],
            Interest::Agent(id) => {
                let rooms = self.rooms.into_iter().map(Place::Workspace);
                std::iter::once(Place::Actor(id.into())).chain(rooms).collect()
            }
        }
    }
}
