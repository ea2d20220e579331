use std::collections::BTreeSet;

use uuid::Uuid;

use super::{Enrol, Enrolled, Enrolment, EnrolmentError, EnrolmentEvent, EnrolmentStream, RotateToken, Withdraw};
use crate::{
    arena::tasks::League,
    decide::{Command, State, testing::given},
    event::{Visibility, visibility},
    event_tests::meanings,
    ids::{AgentId, OwnerId},
};

const AGENT: AgentId = AgentId::new(Uuid::from_u128(1));

fn enrolled(leagues: &[League]) -> Enrolled {
    Enrolled {
        agent_id: AGENT,
        owner_id: OwnerId::new(Uuid::from_u128(2)),
        endpoint_url: Some("https://agent.example/arena".into()),
        leagues: leagues.iter().copied().collect(),
        accepts_challenges: true,
        judges: BTreeSet::new(),
    }
}

fn enrolment(leagues: &[League]) -> Enrolment {
    given([enrolled(leagues).into()])
}

#[test]
fn an_enrolment_names_at_least_one_league() {
    assert_eq!(Enrol(enrolled(&[])).decide(&Enrolment::default()), Err(EnrolmentError::NoLeague));
    assert_eq!(Enrol(enrolled(&[])).decide(&enrolment(&[League::Trivia])), Err(EnrolmentError::NoLeague));
    let judge = Enrolled { judges: BTreeSet::from([League::Debate]), ..enrolled(&[]) };
    assert_eq!(Enrol(judge.clone()).decide(&Enrolment::default()), Ok(vec![judge.into()]));
    let command = Enrol(enrolled(&[League::Trivia]));
    assert_eq!(command.decide(&Enrolment::default()), Ok(vec![enrolled(&[League::Trivia]).into()]));
}

#[test]
fn the_same_enrolment_again_changes_nothing() {
    let state = enrolment(&[League::Trivia, League::Python]);
    assert_eq!(Enrol(enrolled(&[League::Python, League::Trivia])).decide(&state), Ok(vec![]));
    let by_socket = Enrolled { endpoint_url: None, ..enrolled(&[League::Trivia, League::Python]) };
    let unchallenged = Enrolled { accepts_challenges: false, ..enrolled(&[League::Trivia, League::Python]) };
    for changed in [enrolled(&[League::Trivia]), by_socket, unchallenged] {
        assert_eq!(Enrol(changed.clone()).decide(&state), Ok(vec![changed.clone().into()]));
        let after: Enrolment = given([enrolled(&[League::Trivia]).into(), changed.clone().into()]);
        assert_eq!(after.current, Some(changed));
    }
}

#[test]
fn an_enrolled_agent_plays_in_its_leagues_alone() {
    let enrolled = enrolled(&[League::Trivia, League::Python]);
    assert_eq!(League::ALL.map(|league| enrolled.plays(league)), [true, false, false, true, false]);
}

#[test]
fn only_an_enrolled_agent_withdraws_and_it_may_come_back() {
    let withdraw = Withdraw { agent_id: AGENT };
    assert_eq!(withdraw.decide(&Enrolment::default()), Err(EnrolmentError::NotEnrolled));
    let events = withdraw.decide(&enrolment(&[League::Trivia])).unwrap();
    let withdrawn: Enrolment = given([vec![enrolled(&[League::Trivia]).into()], events].concat());
    assert_eq!(withdrawn, Enrolment::default());
    assert_eq!(withdraw.decide(&withdrawn), Err(EnrolmentError::NotEnrolled));
    assert_eq!(Enrol(enrolled(&[League::Trivia])).decide(&withdrawn).unwrap().len(), 1);
}

#[test]
fn an_agent_without_its_endpoint_stays_enrolled() {
    let state = enrolment(&[League::Trivia]);
    let events = state.remove_endpoint();
    let after = events.iter().fold(state, Enrolment::apply);
    assert_eq!(after.current, Some(Enrolled { endpoint_url: None, ..enrolled(&[League::Trivia]) }));
    assert_eq!((after.remove_endpoint(), Enrolment::default().remove_endpoint()), (vec![], vec![]));
}

#[test]
fn a_new_token_changes_no_enrolment_and_needs_none() {
    for state in [Enrolment::default(), enrolment(&[League::Trivia])] {
        let events = RotateToken { agent_id: AGENT }.decide(&state).unwrap();
        assert_eq!(events.len(), 1);
        assert_eq!(events.iter().fold(state.clone(), Enrolment::apply), state);
    }
}

#[test]
fn an_enrolment_has_a_stream_for_each_agent() {
    assert_eq!(EnrolmentStream(AGENT).to_string(), format!("arena:{AGENT}"));
}

#[test]
fn events_of_an_enrolment_are_private_and_nowhere_listed() {
    let events: [EnrolmentEvent; 3] = [
        enrolled(&[League::Trivia]).into(),
        Withdraw { agent_id: AGENT }.decide(&enrolment(&[League::Trivia])).unwrap().remove(0),
        RotateToken { agent_id: AGENT }.decide(&Enrolment::default()).unwrap().remove(0),
    ];
    let types = events.each_ref().map(EnrolmentEvent::event_type);
    assert!(types.iter().all(|name| visibility(name) == Visibility::Private));
    assert_eq!(
        meanings(events),
        [
            "arena.enrolled: arena enrolled",
            "arena.withdrawn: arena withdrawn",
            "arena.token_rotated: arena token rotated",
        ]
    );
}
