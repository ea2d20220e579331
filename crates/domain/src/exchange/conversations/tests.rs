use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use uuid::Uuid;

use super::{
    AnswerRequest, Asking, BODY_BYTES_MAX, Body, CancelExchange, CloseExchange, ContinueExchange, Exchange,
    ExchangeError, ExchangeEvent, ExchangeOpened, Named, OpenExchange, Phase, PublishExchange, ROUNDS_MAX,
    RedactExchange, SettleRequest, Settlement, Side, Timing,
};
use crate::{
    actors::ActorId,
    decide::{Command, State, testing::given},
    exchange::documents::DocumentHash,
    ids::{AgentId, ExchangeId, RequestId},
};

const AGENT: AgentId = AgentId::new(Uuid::from_u128(1));
const OTHER: AgentId = AgentId::new(Uuid::from_u128(2));
const TIMING: Timing = Timing { deadline: TimeDelta::seconds(20), lifetime: TimeDelta::seconds(300) };

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn request(number: u128) -> RequestId {
    RequestId::new(Uuid::from_u128(number))
}

fn asking(number: u128, seconds: i64) -> Asking {
    Asking { request_id: request(number), asker: None, body: "a".into(), now: at(seconds), timing: TIMING }
}

fn begun(several: bool) -> Vec<ExchangeEvent> {
    let opened = ExchangeOpened {
        exchange_id: ExchangeId::new(Uuid::from_u128(9)),
        asker: None,
        answerer: Some(AGENT),
        document: Some(DocumentHash::of("A")),
        negotiation: false,
        key_hash: several.then(|| "ab".to_owned()),
    };
    OpenExchange { opened, asking: asking(1, 0) }.decide(()).unwrap()
}

fn again(number: u128, seconds: i64) -> ContinueExchange {
    ContinueExchange { protocol: None, asking: asking(number, seconds) }
}

fn answer(number: u128, by: AgentId, seconds: i64) -> AnswerRequest {
    let (request_id, settlement) = (request(number), Settlement::Answered("b".into()));
    AnswerRequest { request_id, by, settlement, now: at(seconds) }
}

#[test]
fn a_body_above_the_size_limit_is_refused() {
    let large = Body::from(&*"x".repeat(BODY_BYTES_MAX));
    let asking = Asking { body: large.clone(), ..asking(2, 1) };
    let waiting: Exchange = given(begun(true));
    let answered = AnswerRequest { settlement: Settlement::Answered(large.clone()), ..answer(1, AGENT, 1) };
    assert_eq!(answered.decide(&waiting), Err(ExchangeError::BodyTooLarge));
    let settle = SettleRequest { request_id: request(1), settlement: Some(Settlement::Answered(large)) };
    assert!(matches!(&settle.decide(&waiting).unwrap()[..], [ExchangeEvent::Failed(_)]));
    let open = answer(1, AGENT, 1).decide(&waiting).unwrap().iter().fold(waiting, Exchange::apply);
    assert_eq!(ContinueExchange { protocol: None, asking }.decide(&open), Err(ExchangeError::BodyTooLarge));
}

type Decision<'a> = &'a dyn Fn(&Exchange) -> Result<Vec<ExchangeEvent>, ExchangeError>;

/// The state after these decisions.
fn after(decisions: &[Decision<'_>]) -> Exchange {
    decisions
        .iter()
        .fold(given(begun(true)), |state: Exchange, decide| decide(&state).unwrap().iter().fold(state, Exchange::apply))
}

#[test]
fn a_requester_cancels_an_exchange_until_it_has_ended() {
    let cancel = |seconds| CancelExchange { now: at(seconds) };
    assert_eq!(cancel(1).decide(&Exchange::default()), Err(ExchangeError::NotFound));
    let waiting: Exchange = given(begun(false));
    let canceled = cancel(1).decide(&waiting).unwrap().iter().fold(waiting.clone(), Exchange::apply);
    assert_eq!((canceled.phase, cancel(2).decide(&canceled)), (Phase::Closed, Ok(vec![])));
    assert_eq!(answer(1, AGENT, 2).decide(&canceled), Err(ExchangeError::RequestOver));
    let done = answer(1, AGENT, 1).decide(&waiting).unwrap().iter().fold(waiting, Exchange::apply);
    assert_eq!(cancel(2).decide(&done), Ok(vec![]));
    let open = after(&[&|state| answer(1, AGENT, 1).decide(state)]);
    assert_eq!((cancel(299).decide(&open).unwrap().len(), cancel(300).decide(&open)), (1, Ok(vec![])));
}

#[test]
fn an_exchange_of_one_round_is_done_after_its_answer() {
    let waiting: Exchange = given(begun(false));
    assert_eq!((waiting.phase, waiting.expires_at), (Phase::Waiting, None));
    let answered = answer(1, AGENT, 19).decide(&waiting).unwrap();
    let done = answered.iter().fold(waiting, Exchange::apply);
    assert_eq!((done.phase, done.is_over(at(19))), (Phase::Done, true));
    assert_eq!(again(2, 20).decide(&done), Err(ExchangeError::NotFound));
    assert_eq!(CloseExchange { now: at(20) }.decide(&done), Err(ExchangeError::NotFound));
}

#[test]
fn the_agent_that_is_asked_answers_once_and_in_time() {
    let waiting: Exchange = given(begun(true));
    assert_eq!(answer(1, OTHER, 1).decide(&waiting), Err(ExchangeError::RequestNotFound));
    assert_eq!(answer(2, AGENT, 1).decide(&waiting), Err(ExchangeError::RequestNotFound));
    assert_eq!(answer(1, AGENT, 20).decide(&waiting), Err(ExchangeError::RequestOver));
    let answered = after(&[&|state| answer(1, AGENT, 1).decide(state)]);
    assert_eq!(answer(1, AGENT, 2).decide(&answered), Err(ExchangeError::AlreadyAnswered));
    let settle = SettleRequest { request_id: request(1), settlement: None };
    assert_eq!(settle.decide(&answered), Ok(vec![]));
    let given_up = after(&[&|state| settle.decide(state)]);
    assert_eq!(
        (given_up.phase, answer(1, AGENT, 2).decide(&given_up)),
        (Phase::Failed, Err(ExchangeError::RequestOver))
    );
}

#[test]
fn a_conversation_alternates_requests_and_answers_until_it_expires() {
    let waiting: Exchange = given(begun(true));
    assert_eq!(again(2, 1).decide(&waiting), Err(ExchangeError::Busy { request_id: request(1), due_at: at(20) }));
    let answered = after(&[&|state| answer(1, AGENT, 1).decide(state)]);
    assert_eq!(again(2, 300).decide(&answered), Err(ExchangeError::Expired));
    assert_eq!(CloseExchange { now: at(300) }.decide(&answered), Err(ExchangeError::Expired));
    let second = after(&[&|state| answer(1, AGENT, 1).decide(state), &|state| again(2, 299).decide(state)]);
    assert_eq!((second.rounds, second.expires_at), (2, Some(at(599))));
}

#[test]
fn a_later_round_that_fails_leaves_the_conversation_open() {
    let failed = after(&[&|state| answer(1, AGENT, 1).decide(state), &|state| again(2, 2).decide(state), &|state| {
        SettleRequest { request_id: request(2), settlement: None }.decide(state)
    }]);
    assert_eq!(failed.phase, Phase::Open);
}

#[test]
fn a_conversation_keeps_its_protocol() {
    let answered = after(&[&|state| answer(1, AGENT, 1).decide(state)]);
    for (named, stays) in [
        (Named::Document(DocumentHash::of("A")), true),
        (Named::Document(DocumentHash::of("B")), false),
        (Named::Negotiation, false),
        (Named::read("nonsense"), false),
    ] {
        let decided = ContinueExchange { protocol: Some(named), ..again(2, 2) }.decide(&answered);
        assert_eq!(decided == Err(ExchangeError::ProtocolChanged), !stays, "{named:?}");
        // The protocol is checked before anything else.
        let decided = ContinueExchange { protocol: Some(named), ..again(2, 400) }.decide(&answered);
        assert_eq!(decided, Err(if stays { ExchangeError::Expired } else { ExchangeError::ProtocolChanged }));
    }
}

#[test]
fn requests_and_answers_that_hold_a_secret_are_refused() {
    let key = format!("araf_{}", "0".repeat(40));
    let answered = after(&[&|state| answer(1, AGENT, 1).decide(state)]);
    let asking = Asking { body: Body::from(&*key), ..asking(2, 2) };
    assert_eq!(ContinueExchange { protocol: None, asking }.decide(&answered), Err(ExchangeError::SecretInBody));
    let waiting: Exchange = given(begun(true));
    let settlement = Settlement::Answered(Body::from(&*key));
    let tells = AnswerRequest { settlement: settlement.clone(), ..answer(1, AGENT, 1) };
    assert_eq!(tells.decide(&waiting), Err(ExchangeError::SecretInBody));
    let settled = SettleRequest { request_id: request(1), settlement: Some(settlement) }.decide(&waiting).unwrap();
    assert!(matches!(&settled[..], [ExchangeEvent::Failed(_)]), "{settled:?}");
}

#[test]
fn an_open_exchange_cannot_be_published() {
    let publish = |seconds| PublishExchange { side: Side::Asker, by: AGENT.into(), now: at(seconds) };
    let answered = after(&[&|state| answer(1, AGENT, 1).decide(state)]);
    assert_eq!(publish(2).decide(&answered), Err(ExchangeError::StillOpen));
    let published = publish(300).decide(&answered).unwrap();
    let state = published.iter().fold(answered, Exchange::apply);
    assert_eq!(publish(301).decide(&state), Ok(vec![]));
}

/// A command, and the number of seconds after which it runs.
#[derive(Debug, Clone, Copy)]
enum Step {
    Ask,
    Answer { by: AgentId, back: u128 },
    GiveUp,
    Close,
    Publish(Side),
    Redact,
}

fn steps() -> impl Strategy<Value = Vec<(i64, Step)>> {
    let step = prop_oneof![
        6 => Just(Step::Ask),
        6 => (prop_oneof![4 => Just(AGENT), 1 => Just(OTHER)], 0_u128..3).prop_map(|(by, back)| Step::Answer { by, back }),
        2 => Just(Step::GiveUp),
        1 => Just(Step::Close),
        1 => prop_oneof![Just(Side::Asker), Just(Side::Answerer)].prop_map(Step::Publish),
        1 => Just(Step::Redact),
    ];
    let wait = prop_oneof![8 => 0_i64..5, 2 => 15_i64..25, 1 => 280_i64..310];
    prop::collection::vec((wait, step), 0..120)
}

fn decide(step: Step, number: u128, now: i64, state: &Exchange) -> Result<Vec<ExchangeEvent>, ExchangeError> {
    let by = ActorId::from(AGENT);
    match step {
        Step::Ask => again(number + 1, now).decide(state),
        Step::Answer { by, back } => answer(number.saturating_sub(back), by, now).decide(state),
        Step::GiveUp => SettleRequest { request_id: request(number), settlement: None }.decide(state),
        Step::Close => CloseExchange { now: at(now) }.decide(state),
        Step::Publish(side) => PublishExchange { side, by, now: at(now) }.decide(state),
        Step::Redact => RedactExchange { by, now: at(now) }.decide(state),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn each_request_is_settled_once_and_a_finished_exchange_stays_finished(several: bool, steps in steps()) {
        let mut history = begun(several);
        let (mut state, mut now, mut asked) = (given::<Exchange>(history.clone()), 0, 1);
        for (wait, step) in steps {
            now += wait;
            let over = state.is_over(at(now));
            let before = state.clone();
            let Ok(events) = decide(step, asked, now, &state) else { continue };
            for event in &events {
                state = state.apply(event);
                match event {
                    ExchangeEvent::Asked(data) => {
                        asked += 1;
                        prop_assert!(several && !over && before.waiting.is_none());
                        prop_assert_eq!(data.round, before.rounds + 1);
                        prop_assert!(before.expires_at.is_some_and(|expires_at| at(now) < expires_at));
                    }
                    ExchangeEvent::Answered(data) => {
                        prop_assert_eq!(before.waiting.map(|waiting| waiting.request_id), Some(data.request_id));
                        prop_assert!(before.waiting.is_some_and(|waiting| at(now) < waiting.due_at));
                    }
                    ExchangeEvent::Failed(data) => {
                        prop_assert_eq!(before.waiting.map(|waiting| waiting.request_id), Some(data.request_id));
                    }
                    ExchangeEvent::Opened(_) => prop_assert!(false, "it is begun once"),
                    ExchangeEvent::Closed(_) => prop_assert!(!over),
                    ExchangeEvent::Published(_) => prop_assert!(over && !before.redacted),
                    ExchangeEvent::Redacted(_) => {
                        prop_assert!(!before.redacted);
                        // A redaction removes the data of all other events from the log, so that only the last one is
                        // read.
                        prop_assert_eq!(given::<Exchange>([event.clone()]), state.clone());
                    }
                }
            }
            history.extend(events);
            prop_assert!(!over || state.is_over(at(now)));
            prop_assert!(state.rounds <= ROUNDS_MAX);
            prop_assert_eq!(state.waiting.is_some(), state.phase == Phase::Waiting);
        }
        let settled = |request_id: RequestId| history.iter().filter(|event| match event {
            ExchangeEvent::Answered(data) => data.request_id == request_id,
            ExchangeEvent::Failed(data) => data.request_id == request_id,
            _ => false,
        }).count();
        for number in 1..=asked {
            prop_assert!(settled(request(number)) <= 1);
        }
        prop_assert_eq!(given::<Exchange>(history), state);
    }
}
