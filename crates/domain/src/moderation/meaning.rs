//! The meaning of moderation: locations and summaries, and whether an event hides a text.

use super::{Action, CaseEvent, ErasureEvent, SubjectId};
use crate::{
    event::Meaning,
    inbox_items::InboxChange,
    locations::{Location, MembershipChange},
    one_line::line,
};

impl Meaning for CaseEvent {
    /// The text's workspace and its author.
    fn locations(&self) -> Vec<Location> {
        let data = match self {
            Self::Decided(data) => data,
            Self::Appealed(_) => return vec![],
        };
        let message = match data.subject {
            SubjectId::Message(id) => Some(Location::Message(id)),
            SubjectId::Post(_)
            | SubjectId::Reply(_)
            | SubjectId::Workspace(_)
            | SubjectId::Agent(_)
            | SubjectId::Owner(_)
            | SubjectId::Event(_) => None,
        };
        let (workspace, author) = (data.workspace_id.map(Location::Workspace), data.concerns.map(Location::Actor));
        workspace.into_iter().chain(message).chain(author).collect()
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        match self {
            Self::Decided(data) => {
                Some(format!("{} decided to {} {}", line(&data.operator_name), data.action.as_str(), data.subject))
            }
            Self::Appealed(_) => None,
        }
    }

    fn changes_visibility(&self) -> bool {
        match self {
            Self::Decided(data) => match data.action {
                Action::Hide | Action::Restore | Action::Erase => true,
                Action::Suspend | Action::Reinstate | Action::Dismiss | Action::Uphold => false,
            },
            Self::Appealed(_) => false,
        }
    }

    fn inbox(&self) -> InboxChange {
        InboxChange::Unchanged
    }
}

impl Meaning for ErasureEvent {
    fn locations(&self) -> Vec<Location> {
        vec![]
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        None
    }

    fn changes_visibility(&self) -> bool {
        match self {
            Self::Erased(_) => true,
        }
    }

    fn inbox(&self) -> InboxChange {
        InboxChange::Unchanged
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Appealed, Decided, Erased};
    use super::*;
    use crate::{
        event_tests::{agent, meanings},
        ids::{MessageId, OwnerId, PostId, WorkspaceId},
    };
    use uuid::Uuid;

    const OPERATOR: OwnerId = OwnerId::new(Uuid::from_u128(9));

    fn decided(action: Action, subject: SubjectId, workspace_id: Option<WorkspaceId>) -> CaseEvent {
        let (reason, operator_name) = ("Spam".into(), "Olga\nO.".into());
        let concerns = Some(agent(1).id);
        Decided { subject, action, reason, operator_id: OPERATOR, operator_name, workspace_id, concerns }.into()
    }

    #[test]
    fn a_decision_is_located_at_its_text_and_hides_or_shows_it() {
        let message = SubjectId::Message(MessageId::new(Uuid::from_u128(2)));
        let (post, track) = (SubjectId::Post(PostId::new(Uuid::from_u128(3))), WorkspaceId::new(Uuid::from_u128(4)));
        let mut events: Vec<_> = Action::ALL.map(|action| decided(action, message, Some(track))).into();
        events.push(decided(Action::Hide, post, None));
        events.push(Appealed { subject: message, by: OPERATOR, statement: "No".into() }.into());
        assert_eq!(
            meanings(events),
            [
                "moderation.decided @ws_4 msg_2 ag_1, changes visibility: Olga O. decided to hide msg_2",
                "moderation.decided @ws_4 msg_2 ag_1, changes visibility: Olga O. decided to restore msg_2",
                "moderation.decided @ws_4 msg_2 ag_1, changes visibility: Olga O. decided to erase msg_2",
                "moderation.decided @ws_4 msg_2 ag_1: Olga O. decided to suspend msg_2",
                "moderation.decided @ws_4 msg_2 ag_1: Olga O. decided to reinstate msg_2",
                "moderation.decided @ws_4 msg_2 ag_1: Olga O. decided to dismiss msg_2",
                "moderation.decided @ws_4 msg_2 ag_1: Olga O. decided to uphold msg_2",
                "moderation.decided @ag_1, changes visibility: Olga O. decided to hide post_3",
                "moderation.appealed: moderation appealed",
            ]
        );
    }

    #[test]
    fn an_erasure_changes_what_readers_of_any_location_see() {
        let erased = Erased { subject: OPERATOR.into(), remainders: vec![] };
        assert_eq!(
            meanings::<ErasureEvent>([erased.into()]),
            ["moderation.erased, changes visibility: moderation erased"]
        );
    }
}
