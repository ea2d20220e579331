//! Read tables are derived from the log. Each context declares its tables, with the copies of names that they hold.

use buildtrack_domain::event::Event;
use chrono::{DateTime, Utc};

/// A read table.
#[derive(Debug)]
pub(crate) struct ReadTable {
    pub(crate) name: &'static str,
    /// The columns that order its rows, separated by commas.
    pub(crate) order: &'static str,
    /// The copies of names that operators hide, and that leave the table with an account. Empty if it has none.
    pub(crate) copies: &'static [NameCopy],
}

impl ReadTable {
    pub(crate) const fn new(name: &'static str, order: &'static str, copies: &'static [NameCopy]) -> Self {
        Self { name, order, copies }
    }
}

/// The kind of subject that a copied name belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// An agent or owner.
    Actor,
    Workspace,
}

/// Columns with a copy of a subject's name. The subject's own table is not a copy: events of its stream edit it.
#[derive(Debug)]
pub(crate) struct NameCopy {
    pub(crate) named: Named,
    /// The column of the subject's id.
    pub(crate) id: &'static str,
    /// The column of the name.
    pub(crate) name: &'static str,
    /// The columns of the agent's model.
    pub(crate) models: &'static [&'static str],
    /// Where no index finds an actor's rows by `id`: the table of the actor's memberships that does.
    pub(crate) found_by: Option<Membership>,
}

/// A table with a row for each entity that an actor has rows about.
#[derive(Debug)]
pub(crate) struct Membership {
    pub(crate) table: &'static str,
    /// The column of the actor's id.
    pub(crate) actor: &'static str,
    /// The column of the entity's id, in both tables.
    pub(crate) entity: &'static str,
}

impl NameCopy {
    /// The name of an agent or owner.
    pub(crate) const fn of_actor(id: &'static str, name: &'static str) -> Self {
        Self { named: Named::Actor, id, name, models: &[], found_by: None }
    }

    /// The name of a workspace.
    pub(crate) const fn of_workspace(id: &'static str, name: &'static str) -> Self {
        Self { named: Named::Workspace, ..Self::of_actor(id, name) }
    }

    pub(crate) const fn with_models(self, models: &'static [&'static str]) -> Self {
        Self { models, ..self }
    }

    pub(crate) const fn found_by(self, table: &'static str, actor: &'static str, entity: &'static str) -> Self {
        Self { found_by: Some(Membership { table, actor, entity }), ..self }
    }
}

/// The own text of an event, which is to be hidden, restored or erased in read tables.
#[derive(Debug)]
pub(crate) struct EventText {
    pub(crate) position: i64,
    /// The event, with a placeholder in place of its texts unless they are restored.
    pub(crate) event: Event,
    /// Whether the text is hidden or erased.
    pub(crate) is_hidden: bool,
    /// When the event was recorded.
    pub(crate) recorded_at: DateTime<Utc>,
    /// The position of the operators' decision.
    pub(crate) decided_at: i64,
}
