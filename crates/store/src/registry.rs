//! The contexts of the store, each with one line. Everything that the write path, rebuilds and housekeeping have to do for all
//! contexts is generated from this list; a context that lacks a declaration does not compile.
//!
//! **Invariant:** a read table is a function of the log. Live and rebuilt tables are equal, row by row, for batches of any
//! size.

use std::{mem::discriminant, time::Duration};

use buildtrack_domain::event::Event;
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    Store, StoreError,
    database::{Db, Tx},
    exchange, forum,
    identity::{self, departures},
    inbox, locations, log,
    log::{Recorded, TextRemoval, batch::Commit},
    moderation, points, relay, reputation, search,
    side_tables::{Enqueued, Expiry, Phase, ReadTables, Rule, SideTable},
    votes, webhooks, workspaces,
};

/// `Name(module)`: the module declares `Change`, `READ_TABLES`, `project`, `prune` and `has_expired`.
macro_rules! contexts {
    ($($name:ident($module:ident)),+ $(,)?) => {
        /// One change to a side table.
        #[derive(Debug, Clone)]
        pub enum SideChange {
            $(
                #[doc = concat!("A change that `", stringify!($module), "` declares.")]
                $name($module::Change),
            )+
            /// Delete expired rows, a limited number at a time.
            Expired(Expiry),
        }

        $(
            impl From<$module::Change> for SideChange {
                fn from(change: $module::Change) -> Self {
                    Self::$name(change)
                }
            }
        )+

        impl SideChange {
            /// What the write path has to know of the change.
            pub(crate) fn rule(&self) -> Rule {
                match self {
                    $(Self::$name(change) => change.rule(),)+
                    Self::Expired(_) => Rule::ROW.essential(),
                }
            }

            /// Writes changes of one phase and one context, in order.
            async fn write(
                tx: &mut Tx<'_>,
                changes: &[&Self],
                now: DateTime<Utc>,
                enqueued: &mut Enqueued,
            ) -> Result<(), StoreError> {
                match changes.first() {
                    $(Some(Self::$name(_)) => {
                        let mut own = Vec::with_capacity(changes.len());
                        for change in changes {
                            if let Self::$name(change) = change {
                                own.push(change);
                            }
                        }
                        SideTable::write(tx, &own, now, enqueued).await
                    })+
                    Some(Self::Expired(expiry)) => prune(tx, *expiry, now).await,
                    None => Ok(()),
                }
            }
        }

        /// The read tables of all contexts.
        const READ_TABLES: &[ReadTables] = &[$($module::READ_TABLES),+];

        async fn project_part(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
            $($module::project(tx, events).await?;)+
            Ok(())
        }

        /// Deletes expired rows.
        async fn prune(tx: &mut Tx<'_>, expiry: Expiry, now: DateTime<Utc>) -> Result<(), StoreError> {
            $($module::prune(tx, expiry, now).await?;)+
            Ok(())
        }

        /// Whether a context has rows to prune.
        async fn has_expired(db: &Db, expiry: Expiry, now: DateTime<Utc>) -> Result<bool, StoreError> {
            $(if $module::has_expired(db, expiry, now).await? {
                return Ok(true);
            })+
            Ok(false)
        }
    };
}

// The order is that of the projections. Moderation comes after the contexts whose texts it hides in the same batch, and departures
// last, so that the rows that the batch wrote for an account exist already.
contexts! {
    Identity(identity),
    Workspaces(workspaces),
    Forum(forum),
    Votes(votes),
    Moderation(moderation),
    Locations(locations),
    Inbox(inbox),
    Reputation(reputation),
    Points(points),
    Relay(relay),
    Exchange(exchange),
    Webhooks(webhooks),
    Search(search),
    Log(log),
    Departures(departures),
}

/// The read tables, each with the columns that order its rows.
pub(crate) fn read_tables() -> impl Iterator<Item = (&'static str, &'static str)> {
    READ_TABLES.iter().flat_map(|tables| tables.iter().copied())
}

/// Updates the read tables with these events, in the transaction that appends them. Events that hide or erase texts change rows
/// of many contexts, so the batch is split after each of them: they find all rows as of their own position.
pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    let changes_visibility = |recorded: &&Recorded| recorded.event.as_ref().is_some_and(Event::changes_visibility);
    for part in events.split_inclusive(changes_visibility) {
        project_part(tx, part).await?;
    }
    Ok(())
}

/// Writes all changes, phase by phase. Returns the new deliveries.
pub(crate) async fn write(
    tx: &mut Tx<'_>,
    changes: &[&SideChange],
    now: DateTime<Utc>,
) -> Result<Enqueued, StoreError> {
    let mut enqueued = Enqueued::new();
    for phase in Phase::ALL {
        let of_phase: Vec<_> = changes.iter().copied().filter(|change| change.rule().phase == phase).collect();
        for removal in removals(&of_phase) {
            webhooks::remove_text(tx, removal, now).await?;
        }
        for run in of_phase.chunk_by(|one, next| discriminant(*one) == discriminant(*next)) {
            SideChange::write(tx, run, now, &mut enqueued).await?;
        }
        if phase == Phase::Documents {
            let streams = removals(changes).filter_map(|removal| match removal {
                TextRemoval::Stream(stream) => Some(stream.to_owned()),
                TextRemoval::Event(_) => None,
            });
            search::remove(tx, &streams.collect::<Vec<_>>()).await?;
        }
    }
    Ok(enqueued)
}

/// The removals of texts among these changes.
fn removals<'c>(changes: &[&'c SideChange]) -> impl Iterator<Item = TextRemoval<'c>> {
    let removals = |change: &&'c SideChange| match change {
        SideChange::Log(change) => change.removals(),
        _ => vec![],
    };
    changes.iter().flat_map(removals)
}

impl Store {
    /// Changes side tables without an event.
    pub async fn write_side(&self, changes: impl IntoIterator<Item = impl Into<SideChange>>) -> Result<(), StoreError> {
        let side_changes = changes.into_iter().map(Into::into).collect();
        self.commit(Commit { side_changes, ..Commit::default() }).await.map(drop)
    }

    /// Deletes expired rows, up to `limit` in each table: sessions, stored answers, and deliveries that reached a final status
    /// `retention` ago. Returns whether it found any.
    pub async fn prune(&self, limit: i64, retention: Duration) -> Result<bool, StoreError> {
        let retention = TimeDelta::from_std(retention).unwrap_or(TimeDelta::MAX);
        let now = self.clock.now();
        let settled_until = now.checked_sub_signed(retention).unwrap_or(DateTime::UNIX_EPOCH);
        let expiry = Expiry { limit, settled_until };
        let over = has_expired(&self.db, expiry, now).await?;
        if over {
            self.write_side([SideChange::Expired(expiry)]).await?;
        }
        let more_limits = self.prune_limits(limit).await?;
        Ok(over || more_limits)
    }
}

#[cfg(test)]
mod tests {
    use buildtrack_domain::ids::{DeliveryId, WebhookId};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn changes_that_a_caller_or_receiver_knows_of_are_not_repeated() {
        let (id, webhook_id) = (DeliveryId::new(Uuid::from_u128(1)), WebhookId::new(Uuid::from_u128(2)));
        let repeated = [
            SideChange::from(webhooks::Change::Outcomes(vec![])),
            SideChange::from(webhooks::Change::Postponed { webhook_id, until: DateTime::UNIX_EPOCH, resets: None }),
            SideChange::from(webhooks::Change::Released {
                deliveries: vec![id],
                at: DateTime::UNIX_EPOCH,
                waits_for: None,
            }),
            SideChange::from(log::Change::Consumed { consumer: "search", from: 0, to: 1 }),
        ];
        assert!(repeated.iter().all(|change| change.rule().is_repeatable));
        let known = [
            SideChange::from(webhooks::Change::Deliveries(vec![])),
            SideChange::from(log::Change::Handled { consumer: "webhooks", positions: vec![1] }),
            SideChange::from(webhooks::Change::Resent { id }),
            SideChange::from(webhooks::Change::DeliveryCancelled { id }),
            SideChange::from(webhooks::Change::DeliveriesCancelled { webhook_id }),
            SideChange::from(webhooks::Change::FailuresForgiven { webhook_id }),
            SideChange::from(log::Change::Redaction { stream: "message:1".into() }),
        ];
        assert!(!known.iter().any(|change| change.rule().is_repeatable));
    }

    #[test]
    fn the_phases_are_listed_in_their_order() {
        let numbers: Vec<_> = Phase::ALL.iter().map(|phase| *phase as u8).collect();
        assert_eq!(numbers, (0..10).collect::<Vec<u8>>());
    }

    #[test]
    fn each_change_is_written_in_the_phase_that_its_effects_require() {
        let webhook_id = WebhookId::new(Uuid::from_u128(2));
        let text = || "message:1".to_owned();
        let in_order = [
            SideChange::from(log::Change::SigningKey { id: text(), public: text(), secret_sealed: text() }),
            SideChange::from(webhooks::Change::Outcomes(vec![])),
            SideChange::from(webhooks::Change::Postponed { webhook_id, until: DateTime::UNIX_EPOCH, resets: None }),
            SideChange::from(webhooks::Change::DeliveriesCancelled { webhook_id }),
            SideChange::from(webhooks::Change::WebhookDeleted { id: webhook_id }),
            SideChange::from(log::Change::Redaction { stream: text() }),
            SideChange::from(log::Change::Hiding { stream: text() }),
            SideChange::from(log::Change::Erasure { remainders: vec![] }),
        ];
        let phases: Vec<_> = in_order.iter().map(|change| change.rule().phase).collect();
        assert_eq!(phases, Phase::ALL[..8]);
        assert_eq!(SideChange::from(webhooks::Change::Deliveries(vec![])).rule().phase, Phase::Deliveries);
    }

    #[test]
    fn only_removals_of_texts_clear_the_files_below_the_database() {
        let text = || "message:1".to_owned();
        let removes = |change: SideChange| change.rule().removes_texts;
        assert!(removes(log::Change::Redaction { stream: text() }.into()));
        assert!(removes(log::Change::Erasure { remainders: vec![] }.into()));
        assert!(removes(relay::Change::EnvelopesExpired { positions: vec![] }.into()));
        // The text of a hidden stream stays on the log, so that it can be restored.
        assert!(!removes(log::Change::Hiding { stream: text() }.into()));
    }

    #[test]
    fn changes_that_free_storage_or_protect_people_are_written_while_storage_is_low() {
        let is_essential = |change: SideChange| change.rule().is_essential;
        let holder = || "ow_1".to_owned();
        assert!(is_essential(identity::Change::SessionsEnded { holder: holder() }.into()));
        assert!(is_essential(webhooks::Change::Outcomes(vec![]).into()));
        assert!(is_essential(SideChange::Expired(Expiry { limit: 1, settled_until: DateTime::UNIX_EPOCH })));
        assert!(!is_essential(webhooks::Change::Deliveries(vec![]).into()));
        assert!(!is_essential(log::Change::Handled { consumer: "webhooks", positions: vec![] }.into()));
    }
}
