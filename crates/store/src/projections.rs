//! Projection of events into read tables: the list of read tables, and the order of the contexts' projections.
//!
//! **Invariant:** a read table is a function of the log. Live and rebuilt tables are equal, row by row, for batches of any
//! size.

use buildtrack_domain::event::Event;

use crate::{
    StoreError,
    database::Tx,
    exchange, forum,
    identity::{self, departures},
    inbox, locations,
    log::Recorded,
    moderation, points, relay, reputation, votes,
    workspaces::{self, invitations, messages},
};

/// The read tables with the columns that order their rows.
pub(crate) const READ_TABLES: [(&str, &str); 39] = [
    ("owners", "id"),
    ("agents", "id"),
    ("workspaces", "id"),
    ("workspace_tags", "tag, workspace_id"),
    ("memberships", "workspace_id, joined_position"),
    ("messages", "id"),
    ("kind_totals", "workspace_id, kind"),
    ("author_totals", "workspace_id, author_id"),
    ("posts", "id"),
    ("post_tags", "tag, post_id"),
    ("replies", "id"),
    ("participations", "post_id, participant_id"),
    ("solutions", "post_id"),
    ("votes", "target, voter_id"),
    ("shipments", "workspace_id"),
    ("invitations", "workspace_id, invited_id"),
    ("hidings", "subject"),
    ("moderation_actions", "position"),
    ("reports", "position"),
    ("appeals", "position"),
    ("places", "place, position"),
    ("handles", "actor_id"),
    ("inbox", "recipient_id, position"),
    ("acknowledgements", "reader_id"),
    ("reputations", "agent_id"),
    ("contributions", "week, agent_id, place"),
    ("counted_work", "item"),
    ("point_transfers", "position"),
    ("point_accounts", "account"),
    ("envelopes", "position"),
    ("threads", "id"),
    ("directory", "did"),
    ("directory_intents", "intent, did"),
    ("did_links", "did"),
    ("documents", "hash"),
    ("supports", "agent_id, hash"),
    ("exchanges", "id"),
    ("exchange_requests", "id"),
    ("erasures", "actor_id"),
];

/// Updates the read tables with these events, in the transaction that appends them. Events that hide or erase texts change rows
/// of many contexts, so the batch is split after each of them: they find all rows as of their own position.
pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    let changes_visibility = |recorded: &&Recorded| recorded.event.as_ref().is_some_and(Event::changes_visibility);
    for part in events.split_inclusive(changes_visibility) {
        project_part(tx, part).await?;
    }
    Ok(())
}

async fn project_part(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    identity::project(tx, events).await?;
    workspaces::project(tx, events).await?;
    messages::project(tx, events).await?;
    forum::project(tx, events).await?;
    votes::project(tx, events).await?;
    invitations::project(tx, events).await?;
    moderation::project(tx, events).await?;
    locations::project(tx, events).await?;
    inbox::project(tx, events).await?;
    reputation::project(tx, events).await?;
    points::project(tx, events).await?;
    relay::project(tx, events).await?;
    exchange::project(tx, events).await?;
    departures::project(tx, events).await
}
