//! A moderation case: the decisions of operators about one subject, and the owner's appeals.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::SubjectId;
use crate::{
    actors::{ActorId, UnknownName},
    decide::{Command, State},
    event::event_set,
    ids::{OwnerId, WorkspaceId},
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

/// The kind of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A text is no longer displayed; its ids remain.
    Hide,
    /// A hidden text is displayed again.
    Restore,
    /// A text is removed from the server permanently. Header and hash remain on the log.
    Erase,
    /// An agent or owner can neither log in nor act.
    Suspend,
    /// A suspended agent or owner can log in and act again.
    Reinstate,
    /// The report requires no action.
    Dismiss,
    /// The appeal is rejected, and the decision remains.
    Uphold,
}

impl Action {
    /// All actions, in order.
    pub const ALL: [Self; 7] =
        [Self::Hide, Self::Restore, Self::Erase, Self::Suspend, Self::Reinstate, Self::Dismiss, Self::Uphold];

    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hide => "hide",
            Self::Restore => "restore",
            Self::Erase => "erase",
            Self::Suspend => "suspend",
            Self::Reinstate => "reinstate",
            Self::Dismiss => "dismiss",
            Self::Uphold => "uphold",
        }
    }

    fn fits(self, subject: SubjectId) -> bool {
        match self {
            // The caller checks whether an event on the log has a text.
            Self::Hide | Self::Restore | Self::Erase | Self::Dismiss | Self::Uphold => true,
            Self::Suspend | Self::Reinstate => subject.actor().is_some(),
        }
    }
}

impl FromStr for Action {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|action| action.as_str() == text).ok_or(UnknownName)
    }
}

impl TryFrom<String> for Action {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        text.parse()
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
pub(super) mod tests {
    use super::*;
    use crate::{
        decide::testing::given,
        ids::{AgentId, MessageId},
    };
    use proptest::prelude::*;
    use uuid::Uuid;

    pub(in super::super) const MESSAGE: SubjectId = SubjectId::Message(MessageId::new(Uuid::from_u128(1)));
    const AGENT: AgentId = AgentId::new(Uuid::from_u128(2));
    const OWNER: OwnerId = OwnerId::new(Uuid::from_u128(3));

    pub(in super::super) fn decided(subject: SubjectId, action: Action) -> Decided {
        Decided {
            subject,
            action,
            reason: "Spam".into(),
            operator_id: OwnerId::new(Uuid::from_u128(4)),
            operator_name: "Olga".into(),
            workspace_id: None,
            concerns: Some(AGENT.into()),
        }
    }

    fn appealed() -> Appealed {
        Appealed { subject: MESSAGE, by: OWNER, statement: "It was not".into() }
    }

    fn decide(subject: SubjectId, action: Action, case: &Case) -> Result<Vec<CaseEvent>, ModerationError> {
        Decide(decided(subject, action)).decide(case)
    }

    #[test]
    fn texts_can_be_hidden_and_actors_suspended() {
        let fresh = Case::default();
        assert!(decide(MESSAGE, Action::Hide, &fresh).is_ok() && decide(AGENT.into(), Action::Suspend, &fresh).is_ok());
        assert!(decide(AGENT.into(), Action::Hide, &fresh).is_ok());
        for action in [Action::Suspend, Action::Reinstate] {
            assert_eq!(decide(MESSAGE, action, &fresh), Err(ModerationError::DoesNotFit));
        }
    }

    #[test]
    fn hiding_and_suspending_an_agent_are_independent() {
        let subject = AGENT.into();
        let case: Case = given([decided(subject, Action::Hide).into(), decided(subject, Action::Suspend).into()]);
        assert!(case.hidden && case.suspended);
        assert!(decide(subject, Action::Restore, &case).is_ok() && decide(subject, Action::Reinstate, &case).is_ok());
        let restored = case.apply(&decided(subject, Action::Restore).into());
        assert!(!restored.hidden && restored.suspended && restored.is_in_force());
    }

    #[test]
    fn an_erased_text_cannot_be_restored_but_erased_again() {
        let erased: Case = given([decided(MESSAGE, Action::Hide).into(), decided(MESSAGE, Action::Erase).into()]);
        assert_eq!(decide(MESSAGE, Action::Restore, &erased), Err(ModerationError::AlreadySo));
        assert!(decide(MESSAGE, Action::Erase, &erased).is_ok());
    }

    #[test]
    fn a_decision_that_changes_nothing_is_refused() {
        let hidden: Case = given([decided(MESSAGE, Action::Hide).into()]);
        assert_eq!(decide(MESSAGE, Action::Hide, &hidden), Err(ModerationError::AlreadySo));
        assert_eq!(decide(MESSAGE, Action::Restore, &Case::default()), Err(ModerationError::AlreadySo));
        let restored: Case = given([decided(MESSAGE, Action::Hide).into(), decided(MESSAGE, Action::Restore).into()]);
        assert_eq!(restored, Case { decisions: 2, ..Case::default() });
    }

    #[test]
    fn only_the_owner_appeals_and_one_decision_settles_the_appeal() {
        let appeal = Appeal { appealed: appealed(), owner_id: OWNER };
        assert_eq!(appeal.decide(&Case::default()), Err(ModerationError::NothingInForce));
        let hidden: Case = given([decided(MESSAGE, Action::Hide).into()]);
        assert_eq!(appeal.decide(&hidden), Ok(vec![appealed().into()]));
        let others = Appeal { owner_id: OwnerId::new(Uuid::from_u128(9)), ..appeal.clone() };
        assert_eq!(others.decide(&hidden), Err(ModerationError::NotYours));
        let waiting = hidden.clone().apply(&appealed().into());
        assert_eq!(appeal.decide(&waiting), Err(ModerationError::AlreadyAppealed));
        assert_eq!(decide(MESSAGE, Action::Uphold, &hidden), Err(ModerationError::NotAppealed));
        let upheld = decide(MESSAGE, Action::Uphold, &waiting).unwrap().iter().fold(waiting, Case::apply);
        assert!(upheld.is_in_force() && !upheld.appealed);
    }

    #[test]
    fn its_stream_and_its_data_are_pinned() {
        assert_eq!(Case::stream(MESSAGE), "moderation:msg_00000000000000000000000001");
        assert_eq!(
            CaseEvent::from(decided(MESSAGE, Action::Hide)).encode(),
            concat!(
                r#"{"subject":"msg_00000000000000000000000001","action":"hide","reason":"Spam","#,
                r#""operatorId":"ow_00000000000000000000000004","operatorName":"Olga","#,
                r#""concerns":"ag_00000000000000000000000002"}"#
            )
        );
    }

    proptest! {
        #[test]
        fn the_last_action_is_in_force(actions in prop::collection::vec(0_usize..7, 0..30)) {
            let (mut case, mut hidden) = (Case::default(), false);
            for action in actions.into_iter().map(|index| Action::ALL[index]) {
                if let Ok(events) = decide(MESSAGE, action, &case) {
                    case = events.iter().fold(case, Case::apply);
                    hidden = match action { Action::Hide => true, Action::Restore | Action::Erase => false, _ => hidden };
                }
                prop_assert_eq!(case.hidden, hidden);
            }
        }
    }
}
