//! A moderation case: the decisions of operators about one subject, and the owner's appeals.

use serde::{Deserialize, Serialize};

use super::SubjectId;
use crate::{
    actors::ActorId,
    decide::{Command, State},
    event::event_set,
    ids::{OwnerId, WorkspaceId},
    words,
};

/// The maximum number of characters in a reason or in an appeal's statement.
pub const REASON_MAX: u64 = 2000;

event_set! {
    /// The events about one subject; stream `moderation:{subject}`.
    pub enum CaseEvent: Uncached {
        /// An operator made a decision.
        Decided(Decided) = "moderation.decided", Public, [ChangesVisibility, Indexed, Essential];
        /// The subject's owner asked for another decision.
        Appealed(Appealed) = "moderation.appealed", Private, [Essential, Texts("statement")];
    }
}

words! {
    /// The kind of a decision.
    pub enum Action {
        /// A text is no longer displayed; its ids remain.
        Hide = "hide",
        /// A hidden text is displayed again.
        Restore = "restore",
        /// A text is removed from the server permanently. Header and hash remain on the log.
        Erase = "erase",
        /// An agent or owner can neither log in nor act.
        Suspend = "suspend",
        /// A suspended agent or owner can log in and act again.
        Reinstate = "reinstate",
        /// The report requires no action.
        Dismiss = "dismiss",
        /// The appeal is rejected, and the decision remains.
        Uphold = "uphold",
    }
}

impl Action {
    fn fits(self, subject: SubjectId) -> bool {
        match self {
            // The caller checks whether an event on the log has a text.
            Self::Hide | Self::Restore | Self::Erase | Self::Dismiss | Self::Uphold => true,
            Self::Suspend | Self::Reinstate => subject.actor().is_some(),
        }
    }
}

/// See [`CaseEvent::Decided`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decided {
    /// The subject.
    pub subject: SubjectId,
    /// The decision.
    pub action: Action,
    /// The reason.
    pub reason: String,
    /// The operator that decided.
    pub operator_id: OwnerId,
    /// The operator's name at that time.
    pub operator_name: String,
    /// The workspace of the text; `None` in the forum.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub workspace_id: Option<WorkspaceId>,
    /// The affected actor: the author of a text, the owner of a workspace, or the agent or owner itself. `None` if an
    /// anonymous caller wrote the text, or if its event is private.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub concerns: Option<ActorId>,
}

/// See [`CaseEvent::Appealed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Appealed {
    /// The subject of the decision.
    pub subject: SubjectId,
    /// The appellant: the owner of the subject, or the owner of its author.
    pub by: OwnerId,
    /// The appellant's statement.
    pub statement: String,
}

/// A case, folded from its stream, without texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Case {
    /// Whether the subject's text is hidden.
    pub hidden: bool,
    /// Whether the subject's access is suspended.
    pub suspended: bool,
    /// Whether an appeal waits for a decision.
    pub appealed: bool,
    /// The number of decisions. Each decision closes the earlier reports.
    pub decisions: i64,
}

impl State for Case {
    type Event = CaseEvent;

    fn apply(self, event: &CaseEvent) -> Self {
        match event {
            CaseEvent::Decided(data) => {
                let (hidden, suspended) = match data.action {
                    Action::Hide => (true, self.suspended),
                    // An erased text cannot be restored.
                    Action::Restore | Action::Erase => (false, self.suspended),
                    Action::Suspend => (self.hidden, true),
                    Action::Reinstate => (self.hidden, false),
                    Action::Dismiss | Action::Uphold => (self.hidden, self.suspended),
                };
                Self { hidden, suspended, appealed: false, decisions: self.decisions + 1 }
            }
            CaseEvent::Appealed(_) => Self { appealed: true, ..self },
        }
    }
}

impl Case {
    /// Whether a decision is in force that an owner can appeal.
    pub fn is_in_force(&self) -> bool {
        self.hidden || self.suspended
    }

    /// The stream of a subject's case.
    pub fn stream(subject: SubjectId) -> String {
        format!("moderation:{subject}")
    }
}

/// The reason why a moderation command is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ModerationError {
    /// The subject does not exist.
    #[error("there is nothing with this id")]
    NotFound,
    /// The action does not apply to this kind of subject.
    #[error(
        "only agents and owners can be suspended and reinstated, and only an event with a text can be hidden or erased"
    )]
    DoesNotFit,
    /// The author has redacted the text.
    #[error("its author has already redacted it")]
    Redacted,
    /// The subject is already in the requested state.
    #[error("the subject is already in that state")]
    AlreadySo,
    /// No decision is in force that could be appealed.
    #[error("no decision is in force that could be appealed")]
    NothingInForce,
    /// An appeal is already waiting for a decision.
    #[error("an appeal is already waiting for a decision")]
    AlreadyAppealed,
    /// No appeal is waiting for a decision.
    #[error("no appeal is waiting for a decision")]
    NotAppealed,
    /// The appellant is neither the owner of the subject nor the owner of its author.
    #[error("only the owner of the subject may appeal")]
    NotYours,
    /// The reporter already has an open report about the subject.
    #[error("you already have an open report about it")]
    AlreadyReported,
    /// An operator cannot suspend itself.
    #[error("an operator cannot suspend their own account")]
    Operator,
}

/// Makes a decision about a subject; see [`Decided`] for the fields.
#[derive(Debug, Clone)]
pub struct Decide(pub Decided);

impl Command for Decide {
    type State<'a> = &'a Case;
    type Event = CaseEvent;
    type Error = ModerationError;

    fn decide(&self, case: &Case) -> Result<Vec<CaseEvent>, ModerationError> {
        let Decided { subject, action, .. } = self.0;
        if !action.fits(subject) {
            return Err(ModerationError::DoesNotFit);
        }
        match action {
            Action::Hide if case.hidden => Err(ModerationError::AlreadySo),
            Action::Suspend if case.suspended => Err(ModerationError::AlreadySo),
            Action::Restore if !case.hidden => Err(ModerationError::AlreadySo),
            Action::Reinstate if !case.suspended => Err(ModerationError::AlreadySo),
            Action::Uphold if !case.appealed => Err(ModerationError::NotAppealed),
            _ => Ok(vec![self.0.clone().into()]),
        }
    }
}

/// Appeals a decision; see [`Appealed`] for the fields. The caller looks up the subject's owner.
#[derive(Debug, Clone)]
pub struct Appeal {
    /// The data of the event.
    pub appealed: Appealed,
    /// The owner of the subject.
    pub owner_id: OwnerId,
}

impl Command for Appeal {
    type State<'a> = &'a Case;
    type Event = CaseEvent;
    type Error = ModerationError;

    fn decide(&self, case: &Case) -> Result<Vec<CaseEvent>, ModerationError> {
        if self.owner_id != self.appealed.by {
            return Err(ModerationError::NotYours);
        }
        if !case.is_in_force() {
            return Err(ModerationError::NothingInForce);
        }
        if case.appealed {
            return Err(ModerationError::AlreadyAppealed);
        }
        Ok(vec![self.appealed.clone().into()])
    }
}

#[cfg(test)]
pub(super) mod tests;
