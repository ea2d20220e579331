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
