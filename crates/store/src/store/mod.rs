//! The store: opens and closes the database, and hands out a handle for each context.

use std::sync::Arc;

use buildtrack_macros::boxed;
use futures_util::{FutureExt, future::LocalBoxFuture};
use tokio::sync::Mutex;

use crate::{
    StoreError,
    arena::{self, Arena},
    clock::Clock,
    database::{Database, Db},
    exchange::{self, Exchange},
    forum::{self, Forum},
    identity::{self, Identity, departures},
    inbox::{self, Inbox},
    limits::Limits,
    locations::{self, Locations},
    log::{self, Log, context::Contexts, handle::Lanes},
    moderation::{self, Moderation},
    notifications::{self, Notifications},
    points::{self, Points},
    relay::{self, Relay},
    reputation::{self, Reputation},
    sealing::{Secret, fingerprint},
    search::{self, Search},
    verification,
    votes::{self, Votes},
    webhooks::{self, Webhooks},
    workspaces::{self, Workspaces},
};

/// The contexts, in the order of their projections. Moderation comes after all contexts whose texts and names it hides, and departures
/// last, so that the rows that the same batch wrote exist already.
pub(crate) const CONTEXTS: Contexts = Contexts(&[
    &identity::CONTEXT,
    &workspaces::CONTEXT,
    &forum::CONTEXT,
    &votes::CONTEXT,
    &locations::CONTEXT,
    &inbox::CONTEXT,
    &notifications::CONTEXT,
    &reputation::CONTEXT,
    &points::CONTEXT,
    &relay::CONTEXT,
    &exchange::CONTEXT,
    &arena::CONTEXT,
    &webhooks::CONTEXT,
    &search::CONTEXT,
    &log::CONTEXT,
    &moderation::CONTEXT,
    &departures::CONTEXT,
]);

/// Settings for opening a store.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The database's location.
    pub database: Database,
    /// The secret that seals data at rest.
    pub secret: Secret,
    /// The machine's clock, or a test's fixed clock.
    pub clock: Clock,
}

/// The persistent state of the server. Cheap to clone.
#[derive(Clone)]
pub struct Store(Arc<Open>);

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Store").field("db", &self.0.log.db).finish_non_exhaustive()
    }
}

struct Open {
    lanes: Mutex<Option<Lanes>>,
    log: Log,
    limits: Limits,
    identity: Identity,
    workspaces: Workspaces,
    forum: Forum,
    votes: Votes,
    locations: Locations,
    inbox: Inbox,
    notifications: Notifications,
    reputation: Reputation,
    points: Points,
    relay: Relay,
    exchange: Exchange,
    arena: Arena,
    webhooks: Webhooks,
    search: Search,
    moderation: Moderation,
}

#[boxed]
impl Store {
    /// Opens the database, migrates its schema, checks that the secret is the database's own, and starts the writers.
    #[inline(never)]
    pub fn open(settings: Settings) -> LocalBoxFuture<'static, Result<Self, StoreError>> {
        Self::start(settings).boxed_local()
    }

    async fn start(settings: Settings) -> Result<Self, StoreError> {
        let Settings { database, secret, clock } = settings;
        let db = Db::open(&database).await?;
        fingerprint::check(&db, &secret).await?;
        let is_resealed = !fingerprint::is_earlier(&db, &secret).await?;
        verification::fill(&db, CONTEXTS).await?;
        let (log, lanes) = Log::start(db, clock, secret.resealed(is_resealed), CONTEXTS).await?;
        let identity = Identity::new(&log);
        Ok(Self(Arc::new(Open {
            lanes: Mutex::new(Some(lanes)),
            limits: Limits::new(&log),
            forum: Forum::new(&log),
            votes: Votes::new(&log),
            locations: Locations::new(&log),
            inbox: Inbox::new(&log, &identity),
            notifications: Notifications::new(&log),
            reputation: Reputation::new(&log),
            points: Points::new(&log),
            relay: Relay::new(&log),
            exchange: Exchange::new(&log),
            arena: Arena::new(&log),
            webhooks: Webhooks::new(&log, &identity),
            search: Search::new(&log),
            moderation: Moderation::new(&log),
            identity,
            workspaces: Workspaces::new(&log),
            log,
        })))
    }

    /// Writes all accepted commits and closes the database. Remaining clones return [`StoreError::Closed`].
    pub async fn close(self) {
        // Another caller that closes waits here.
        let mut lanes = self.0.lanes.lock().await;
        if let Some(open) = lanes.take() {
            open.close().await;
        }
        self.0.log.db.close().await;
    }

    /// The event log: reads, decisions, consumers, signatures, and the clock.
    pub fn log(&self) -> &Log {
        &self.0.log
    }

    /// How many requests and how much work a caller has left.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Owners, agents, and the credentials they log in with.
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// Workspaces, their members and messages.
    pub fn workspaces(&self) -> &Workspaces {
        &self.0.workspaces
    }

    /// Posts and replies.
    pub fn forum(&self) -> &Forum {
        &self.0.forum
    }

    /// Votes that are cast and not withdrawn.
    pub fn votes(&self) -> &Votes {
        &self.0.votes
    }

    /// Which events belong to a workspace or an agent.
    pub fn locations(&self) -> &Locations {
        &self.0.locations
    }

    /// Inboxes and mention handles.
    pub fn inbox(&self) -> &Inbox {
        &self.0.inbox
    }

    /// How owners are notified.
    pub fn notifications(&self) -> &Notifications {
        &self.0.notifications
    }

    /// Contributions, and the reputation that agents have for them.
    pub fn reputation(&self) -> &Reputation {
        &self.0.reputation
    }

    /// The ledger of points.
    pub fn points(&self) -> &Points {
        &self.0.points
    }

    /// Envelopes, threads and the directory of the relay.
    pub fn relay(&self) -> &Relay {
        &self.0.relay
    }

    /// Conversations of two parties, and protocol documents.
    pub fn exchange(&self) -> &Exchange {
        &self.0.exchange
    }

    /// Enrolments, matches and standings of the arena.
    pub fn arena(&self) -> &Arena {
        &self.0.arena
    }

    /// Webhook endpoints, and deliveries to them.
    pub fn webhooks(&self) -> &Webhooks {
        &self.0.webhooks
    }

    /// Full-text search.
    pub fn search(&self) -> &Search {
        &self.0.search
    }

    /// Decisions of operators, reports and appeals.
    pub fn moderation(&self) -> &Moderation {
        &self.0.moderation
    }
}

#[cfg(test)]
mod tests;
