use super::{
    super::{TimeOut, Timeouts},
    *,
};
use crate::decide::State;
use chrono::TimeDelta;
use proptest::prelude::*;

const TIMEOUTS: Timeouts = Timeouts { offer: TimeDelta::minutes(5), result: TimeDelta::hours(1) };

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_770_000_000 + seconds, 0).unwrap()
}

fn did(name: &str) -> Did {
    name.parse().unwrap()
}

fn send(kind: MessageType, sender: &str, seconds: i64) -> SendEnvelope {
    let payload = Payload {
        request_id: Some("req".into()),
        intent: (kind == MessageType::Request).then(|| "translation.en_zh".into()),
        status: (kind == MessageType::Result).then(|| "success".into()),
        ..Payload::default()
    };
    let envelope_id = format!("{kind}-{sender}-{seconds}").parse().unwrap();
    let (thread_id, sender) = ("thread".parse().unwrap(), did(sender));
    let step = Step { envelope_id, thread_id, kind, sender, recipient: None, payload, ttl: None };
    SendEnvelope { step, now: at(seconds), timeouts: TIMEOUTS }
}

fn to(recipient: &str, send: SendEnvelope) -> SendEnvelope {
    SendEnvelope { step: Step { recipient: Some(did(recipient)), ..send.step }, ..send }
}

/// A thread after these envelopes were accepted.
fn after(sent: impl IntoIterator<Item = SendEnvelope>) -> Thread {
    sent.into_iter().fold(Thread::default(), |thread, send| {
        let events = send.decide(&thread).unwrap();
        events.iter().fold(thread, Thread::apply)
    })
}

fn requested() -> Thread {
    after([send(MessageType::Request, "client", 0)])
}

fn offered() -> Thread {
    after([send(MessageType::Request, "client", 0), send(MessageType::Offer, "agent", 1)])
}

fn accepted() -> Thread {
    after([
        send(MessageType::Request, "client", 0),
        send(MessageType::Offer, "agent", 1),
        send(MessageType::Accept, "client", 2),
    ])
}

#[test]
fn a_request_is_offered_accepted_and_delivered() {
    assert_eq!(requested().phase, Phase::Pending);
    assert_eq!(offered().phase, Phase::Pending);
    assert_eq!(accepted().phase, Phase::Active);
    assert_eq!(accepted().agent, Some(did("agent")));
    let events = send(MessageType::Result, "agent", 3).decide(&accepted()).unwrap();
    assert_eq!(accepted().apply(&events[0]).phase, Phase::Completed);
}

#[test]
fn a_thread_is_begun_and_accepted_once() {
    assert_eq!(send(MessageType::Request, "client", 1).decide(&requested()), Err(RelayError::AlreadyRequested));
    let again = send(MessageType::Accept, "client", 3).decide(&accepted());
    assert_eq!(again, Err(RelayError::OutOfTurn { kind: "ACCEPT", phase: Phase::Active }));
    let late = send(MessageType::Offer, "other", 3).decide(&accepted());
    assert_eq!(late, Err(RelayError::OutOfTurn { kind: "OFFER", phase: Phase::Active }));
}

#[test]
fn only_a_request_begins_a_thread() {
    for kind in MessageType::ALL.into_iter().filter(|kind| *kind != MessageType::Request) {
        assert_eq!(send(kind, "client", 0).decide(&Thread::default()), Err(RelayError::UnknownThread), "{kind}");
    }
}

#[test]
fn each_party_sends_only_its_own_types() {
    assert_eq!(send(MessageType::Offer, "client", 1).decide(&requested()), Err(RelayError::OwnRequest));
    assert_eq!(send(MessageType::Accept, "agent", 2).decide(&offered()), Err(RelayError::NotRequester("ACCEPT")));
    assert_eq!(send(MessageType::Cancel, "agent", 3).decide(&accepted()), Err(RelayError::NotRequester("CANCEL")));
    assert_eq!(send(MessageType::Result, "client", 3).decide(&accepted()), Err(RelayError::NotChosen));
    assert_eq!(send(MessageType::Error, "stranger", 3).decide(&accepted()), Err(RelayError::NotParticipant));
    let addressed = after([to("agent", send(MessageType::Request, "client", 0))]);
    assert_eq!(send(MessageType::Offer, "other", 1).decide(&addressed), Err(RelayError::NotAddressed));
    assert!(send(MessageType::Error, "agent", 1).decide(&addressed).is_ok());
}

#[test]
fn an_accept_names_one_of_several_offers() {
    let two = offered();
    let two = send(MessageType::Offer, "other", 2).decide(&two).unwrap().iter().fold(two, Thread::apply);
    assert_eq!(send(MessageType::Accept, "client", 3).decide(&two), Err(RelayError::WhichOffer));
    assert_eq!(to("stranger", send(MessageType::Accept, "client", 3)).decide(&two), Err(RelayError::NoOffer));
    let chosen = to("other", send(MessageType::Accept, "client", 3)).decide(&two).unwrap();
    let chosen = chosen.iter().fold(two, Thread::apply);
    assert_eq!(chosen.agent, Some(did("other")));
    // An agent that was not chosen is no longer a participant.
    assert_eq!(send(MessageType::Error, "agent", 4).decide(&chosen), Err(RelayError::NotParticipant));
}

#[test]
fn an_offer_is_valid_until_its_expiry_and_the_last_one_counts() {
    let valid = |until, seconds| {
        let mut offer = send(MessageType::Offer, "agent", seconds);
        offer.step.payload.valid_until = Some(at(until));
        offer
    };
    let expired = after([send(MessageType::Request, "client", 0), valid(10, 1)]);
    assert!(send(MessageType::Accept, "client", 9).decide(&expired).is_ok());
    assert_eq!(send(MessageType::Accept, "client", 10).decide(&expired), Err(RelayError::OfferExpired));
    let renewed = after([send(MessageType::Request, "client", 0), valid(10, 1), valid(20, 2)]);
    assert!(send(MessageType::Accept, "client", 10).decide(&renewed).is_ok());
}

#[test]
fn an_envelope_is_addressed_to_a_participant() {
    let sent = [
        (MessageType::Offer, "agent", requested()),
        (MessageType::Result, "agent", accepted()),
        (MessageType::Error, "agent", accepted()),
    ];
    for (kind, sender, thread) in sent {
        let strange = to("stranger", send(kind, sender, 4)).decide(&thread);
        assert_eq!(strange, Err(RelayError::WrongRecipient(kind.as_str())));
        assert!(to("client", send(kind, sender, 4)).decide(&thread).is_ok(), "{kind}");
    }
}

#[test]
fn the_request_id_must_match_the_thread() {
    let mut offer = send(MessageType::Offer, "agent", 1);
    offer.step.payload.request_id = Some("another".into());
    assert_eq!(offer.decide(&requested()), Err(RelayError::OtherRequest));
    offer.step.payload.request_id = None;
    assert!(offer.decide(&requested()).is_ok());
}

#[test]
fn a_late_envelope_is_refused_even_before_the_recorded_timeout() {
    assert!(send(MessageType::Offer, "agent", 299).decide(&requested()).is_ok());
    assert_eq!(send(MessageType::Offer, "agent", 300).decide(&requested()), Err(RelayError::TimedOut));
    assert!(send(MessageType::Result, "agent", 3601).decide(&accepted()).is_ok());
    assert_eq!(send(MessageType::Result, "agent", 3602).decide(&accepted()), Err(RelayError::TimedOut));
    // After an offer, the requester may accept at any time.
    assert!(send(MessageType::Accept, "client", 10_000).decide(&offered()).is_ok());
}

#[test]
fn a_thread_times_out_once() {
    let time_out = |seconds| TimeOut { envelope_id: "late".parse().unwrap(), relay: did("relay"), now: at(seconds) };
    assert_eq!(time_out(299).decide(&requested()), Ok(vec![]));
    let events = time_out(300).decide(&requested()).unwrap();
    let ThreadEvent::Failed(failed) = &events[0] else { panic!("{events:?}") };
    assert_eq!((failed.reason, &failed.by), (Failure::NoOffer, &did("relay")));
    let over = requested().apply(&events[0]);
    assert_eq!(over.phase, Phase::Error);
    assert_eq!(time_out(301).decide(&over), Ok(vec![]));
    let events = time_out(4000).decide(&accepted()).unwrap();
    assert!(matches!(&events[0], ThreadEvent::Failed(failed) if failed.reason == Failure::NoResult));
}

#[test]
fn an_excessive_time_to_live_is_clamped_to_the_maximum() {
    let mut request = send(MessageType::Request, "client", 0);
    request.step.ttl = Some(u64::MAX);
    assert_eq!(after([request]).due_at, Some(at(i64::try_from(super::super::TTL_MAX).unwrap())));
}

#[test]
fn the_earlier_of_deadline_and_time_to_live_applies() {
    let mut request = send(MessageType::Request, "client", 0);
    request.step.ttl = Some(60);
    assert_eq!(after([request.clone()]).due_at, Some(at(60)));
    request.step.payload.deadline = Some(at(30));
    assert_eq!(after([request.clone()]).due_at, Some(at(30)));
    let offered = after([request, send(MessageType::Offer, "agent", 1)]);
    assert_eq!(offered.due_at, Some(at(30)));
    let mut accept = send(MessageType::Accept, "client", 2);
    accept.step.payload.deadline = Some(at(20));
    let events = accept.decide(&offered).unwrap();
    assert_eq!(offered.apply(&events[0]).due_at, Some(at(20)));
}

/// A thread with offers from two agents.
fn offered_twice() -> Thread {
    after([
        send(MessageType::Request, "client", 0),
        send(MessageType::Offer, "agent", 1),
        send(MessageType::Offer, "other", 2),
    ])
}

fn error(sender: &str, thread: &Thread) -> Result<Vec<ThreadEvent>, RelayError> {
    send(MessageType::Error, sender, 3).decide(thread)
}

#[test]
fn an_error_of_an_agent_with_an_offer_withdraws_only_that_offer() {
    let events = error("other", &offered_twice()).unwrap();
    let ThreadEvent::OfferWithdrawn(withdrawn) = &events[0] else { panic!("{events:?}") };
    assert_eq!((&withdrawn.agent, withdrawn.due_at), (&did("other"), None));
    let thread = offered_twice().apply(&events[0]);
    assert_eq!((thread.phase, thread.offers.len()), (Phase::Pending, 1));
    assert_eq!(to("other", send(MessageType::Accept, "client", 4)).decide(&thread), Err(RelayError::NoOffer));
    assert!(send(MessageType::Accept, "client", 4).decide(&thread).is_ok());
    // The agent is no longer a participant, but may make a new offer.
    assert_eq!(error("other", &thread), Err(RelayError::NotParticipant));
    assert!(send(MessageType::Offer, "other", 4).decide(&thread).is_ok());
}

#[test]
fn without_its_last_offer_a_thread_times_out_as_if_none_had_been_made() {
    let events = error("agent", &offered()).unwrap();
    let thread = offered().apply(&events[0]);
    assert_eq!((thread.phase, thread.due_at), (Phase::Pending, requested().due_at));
    let late = TimeOut { envelope_id: "late".parse().unwrap(), relay: did("relay"), now: at(300) };
    let events = late.decide(&thread).unwrap();
    assert!(matches!(&events[0], ThreadEvent::Failed(failed) if failed.reason == Failure::NoOffer));
}

#[test]
fn a_withdrawal_goes_to_the_requester() {
    let withdraw = |recipient| to(recipient, send(MessageType::Error, "other", 3)).decide(&offered_twice());
    assert_eq!(withdraw("agent"), Err(RelayError::WrongRecipient("ERROR")));
    assert!(withdraw("client").is_ok());
}

#[test]
fn a_pending_thread_is_ended_by_the_requester_or_the_addressed_agent() {
    let ends = |events: &[ThreadEvent]| matches!(events, [ThreadEvent::Failed(_)]);
    assert!(ends(&error("client", &offered_twice()).unwrap()));
    let addressed = [to("agent", send(MessageType::Request, "client", 0)), send(MessageType::Offer, "agent", 1)];
    assert!(ends(&error("agent", &after(addressed.clone())).unwrap()));
    assert_eq!(error("stranger", &after(addressed)), Err(RelayError::NotParticipant));
}

/// The parts of a thread that do not depend on one agent.
fn beside(thread: &Thread, agent: &str) -> (Phase, Vec<Did>, Option<Did>) {
    let offers = thread.offers.keys().filter(|offering| **offering != did(agent)).cloned().collect();
    (thread.phase, offers, thread.agent.clone())
}

proptest! {
    /// Envelopes of an agent that is neither requester nor addressed nor chosen change nothing but its own offer.
    #[test]
    fn a_non_party_changes_nothing_but_its_own_offer(
        addressed in any::<bool>(), sent in prop::collection::vec((0..6_usize, 0..4_usize), 1..40)
    ) {
        let request = send(MessageType::Request, "client", 0);
        let mut thread = after([if addressed { to("agent", request) } else { request }]);
        for (index, (kind, sender)) in sent.into_iter().enumerate() {
            let sender = ["client", "agent", "other", "stranger"][sender];
            let send = send(MessageType::ALL[kind], sender, i64::try_from(index).unwrap());
            let Ok(events) = send.decide(&thread) else { continue };
            let next = events.iter().fold(thread.clone(), Thread::apply);
            let request = thread.request.as_ref().unwrap();
            let is_party = [Some(&request.requester), request.recipient.as_ref(), thread.agent.as_ref()]
                .contains(&Some(&did(sender)));
            if !is_party {
                prop_assert_eq!(beside(&next, sender), beside(&thread, sender));
            }
            thread = next;
        }
    }

    /// A pending thread always has a deadline, unless an offer waits for its requester.
    #[test]
    fn a_pending_thread_without_offers_is_due(sent in prop::collection::vec((0..2_usize, 0..2_usize), 1..40)) {
        let mut thread = requested();
        for (index, (kind, sender)) in sent.into_iter().enumerate() {
            let kind = [MessageType::Offer, MessageType::Error][kind];
            let send = send(kind, ["agent", "other"][sender], i64::try_from(index).unwrap());
            let Ok(events) = send.decide(&thread) else { continue };
            thread = events.iter().fold(thread, Thread::apply);
            prop_assert_eq!(thread.due_at, requested().due_at.filter(|_| thread.offers.is_empty()));
        }
    }

    /// For any sequence of envelopes from any agents: a finished thread stays finished, and at most one agent is
    /// chosen.
    #[test]
    fn a_finished_thread_stays_finished(sent in prop::collection::vec((0..6_usize, 0..3_usize), 1..30)) {
        let mut thread = Thread::default();
        let (mut over, mut agent) = (None, None);
        for (index, (kind, sender)) in sent.into_iter().enumerate() {
            let send = send(MessageType::ALL[kind], ["client", "agent", "other"][sender], i64::try_from(index).unwrap());
            let possible = following(thread.phase).contains(&send.step.kind);
            if let Ok(events) = send.decide(&thread) {
                prop_assert!(possible);
                prop_assert_eq!(over, None::<Phase>);
                thread = events.iter().fold(thread, Thread::apply);
            }
            agent = agent.or_else(|| thread.agent.clone());
            prop_assert_eq!(&agent, &thread.agent);
            over = over.or(Some(thread.phase).filter(|phase| phase.is_final()));
        }
    }
}
