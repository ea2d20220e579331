//! The arena: matches, the ladder, sockets and the queue, endpoints, tokens, and equality of live and rebuilt tables.

use std::{collections::BTreeSet, time::Duration};

use buildtrack_domain::{
    actors::Actor,
    arena::{
        enrolment::{Enrol, Enrolled, Enrolment, EnrolmentStream, RotateToken, Withdraw},
        ladder::{Rating, Standing, StandingStream, results},
        matches::{
            AnswerTurn, Channel, CloseTurn, CreateMatch, Match, MatchCreated, MatchError, MatchEvent, MissReason,
            MissTurn, Mode, Phase, Revealed, SealedAnswer, Seat, SeatScore, SettleTurn, SkipMatch, TURNS, TurnOpened,
            VoidMatch, VoidReason,
        },
        tasks::{Bank, League, Reason, Score},
    },
    decide::Command,
    ids::{AgentId, MatchId, OwnerId},
    moderation::Action,
};
use buildtrack_store::{
    ArenaAgent, ArenaChange, ArenaNews, EndpointReadiness, EndpointState, Judging, MatchFilter, MatchView,
    NewConnection, NewMatch, NewMatchError, OpenRound, PauseReason, SocketState, Store, StoreError, clock::random,
    draw_task, open_turn,
};
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::{join, join_all};
use proptest::{
    collection::vec,
    prelude::{Strategy, any},
    test_runner::{Config, TestRunner},
};
use rstest_reuse::apply;
use tokio::runtime::Handle;

use crate::{
    both,
    cast::{agent, agent_id, deactivate, depart, moderate, new_actor, owner, owner_id, rename, set_suspended},
    database::{Kind, TestDatabase, noon},
};

const NEEDLE: &str = "what only one of them knows";

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Match(#[from] MatchError),
}

fn seat_of(agent: &Actor, owner_id: OwnerId, channel: Channel) -> Seat {
    Seat { agent: agent.clone(), agent_id: agent_id(agent), owner_id, channel }
}

/// An agent with an owner of its own.
pub(crate) async fn player(store: &Store) -> Actor {
    agent(store, &owner(store).await).await
}

async fn players<const N: usize>(store: &Store) -> [Actor; N] {
    let players = join_all((0..N).map(|_| player(store))).await;
    players.try_into().unwrap()
}

/// The seats of registered agents.
async fn seats(store: &Store, agents: &[&Actor], channel: Channel) -> Vec<Seat> {
    let seats = agents.iter().map(async |agent| {
        let contestant = store.contestant(agent_id(agent)).await.unwrap();
        contestant.expect("the agent is active").seat(channel)
    });
    join_all(seats).await
}

/// A match of ten turns.
async fn begin(store: &Store, agents: &[&Actor], channel: Channel) -> MatchId {
    let seats = seats(store, agents, channel).await;
    store
        .create_match(NewMatch { league: League::Trivia, mode: Mode::Ranked, challenger_id: None, seats })
        .await
        .unwrap()
}

/// A debate between agents that are reached by their endpoints.
pub(crate) async fn begin_debate(store: &Store, agents: [&Actor; 2]) -> MatchId {
    let seats = seats(store, &agents, Channel::Push).await;
    let new = NewMatch { league: League::Debate, mode: Mode::Ranked, challenger_id: None, seats };
    store.create_match(new).await.unwrap()
}

/// A match of one turn, which is due in 30 s.
async fn begin_short(store: &Store, league: League, mode: Mode, seats: Vec<Seat>) -> MatchId {
    let match_id = MatchId::new(store.clock().uuid());
    let challenger_id = (mode == Mode::Challenge).then(|| seats[0].owner_id);
    begin_timed(store, MatchCreated { match_id, league, mode, turn_count: 1, challenger_id, seats }, 30).await
}

/// A match whose first turn is due in so many seconds.
async fn begin_timed(store: &Store, created: MatchCreated, seconds: u64) -> MatchId {
    let (match_id, task) = (created.match_id, draw_task(Bank::bundled(), created.league, &[]).unwrap());
    let due_at = store.clock().after(Duration::from_secs(seconds));
    let first = TurnOpened { due_at, ..open_turn(match_id, 1, task, store.clock().now()) };
    let begun = store.transact::<(), Failure>(None, async |unit| {
        unit.begin(match_id, CreateMatch { created: created.clone(), first: first.clone() }.decide(())?);
        Ok(())
    });
    begun.await.unwrap();
    match_id
}

/// A match of one turn between push agents, which agents earlier in the list win.
async fn play_short(store: &Store, league: League, mode: Mode, agents: &[&Actor]) -> MatchId {
    let match_id = begin_short(store, league, mode, seats(store, agents, Channel::Push).await).await;
    for agent in agents {
        answer(store, match_id, agent).await.unwrap();
    }
    assert!(close(store, match_id, |seat| 900 - 100 * usize::from(seat)).await.unwrap());
    match_id
}

/// Answers the open turn, as the API and the worker do.
pub(crate) async fn answer(store: &Store, match_id: MatchId, agent: &Actor) -> Result<(), Failure> {
    let (agent_id, confidence) = (agent_id(agent), Some(700));
    let output = format!("{NEEDLE}: {agent_id}");
    let answer = SealedAnswer { output, salt: random(), rationale: Some("because".into()), confidence };
    let answered = store.transact::<_, Failure>(Some(agent.id), async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        let turn = state.state.open.as_ref().map_or(1, |open| open.number);
        let (commitment, now) = (answer.commitment(), store.clock().now());
        unit.append(match_id, &state, AnswerTurn { agent_id, turn, commitment, now }.decide(&state.state)?);
        unit.write_side(ArenaChange::Sealed { match_id, turn, agent_id, answer: answer.clone() });
        Ok(())
    });
    answered.await.map(drop)
}

/// Records that an agent will not answer the open turn.
async fn miss(store: &Store, match_id: MatchId, agent: &Actor) -> Result<(), Failure> {
    let missed = store.transact::<_, Failure>(None, async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        let turn = state.state.open.as_ref().map_or(1, |open| open.number);
        let miss = MissTurn { agent_id: agent_id(agent), turn, reason: MissReason::ServerError, status: Some(500) };
        unit.append(match_id, &state, miss.decide(&state.state)?);
        Ok(())
    });
    missed.await.map(drop)
}

/// Closes the open turn as the referee does, with these scores in thousandths. False if it is not ready, or over.
async fn close(store: &Store, match_id: MatchId, score: impl Fn(u16) -> usize) -> Result<bool, Failure> {
    let closed = store.transact::<_, Failure>(None, async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        let Ok((created, open)) = state.state.playing() else { return Ok(()) };
        let now = store.clock().now();
        if !open.is_ready(now) {
            return Ok(());
        }
        let turn = open.number;
        let mut answers = vec![];
        for (agent_id, answer) in store.sealed_answers(match_id, turn).await? {
            let seat = created.seat_of(agent_id)?;
            let score = SeatScore { seat, score: Score::of_share(score(seat), 1000), reason: Reason::Partial };
            answers.push((Revealed { seat, answer }, score));
        }
        answers.sort_by_key(|(revealed, _)| revealed.seat);
        let next = (turn < created.turn_count)
            .then(|| draw_task(Bank::bundled(), created.league, &state.state.tasks))
            .flatten()
            .map(|task| open_turn(match_id, turn + 1, task, now));
        let command = CloseTurn { turn, answers, absent: vec![], judge: "test".into(), next, now };
        let events = match command.decide(&state.state) {
            // Another process has closed the turn since the state was loaded, and its sealed answers are gone.
            Err(MatchError::Over | MatchError::WrongTurn { .. } | MatchError::NotDue | MatchError::Scores) => {
                return Ok(());
            }
            decided => decided?,
        };
        for event in &events {
            let MatchEvent::Finished(finished) = event else { continue };
            let mut standings = vec![];
            for seat in &created.seats {
                standings.push(unit.load::<Standing>(StandingStream(created.league, seat.agent_id)).await?);
            }
            let ratings: Vec<Rating> = standings.iter().map(|standing| standing.state.rating).collect();
            for (recorded, standing) in results(created, finished, &ratings).into_iter().zip(&standings) {
                unit.append(StandingStream(created.league, recorded.agent_id), standing, vec![recorded.into()]);
            }
        }
        unit.append(match_id, &state, events);
        unit.write_side(ArenaChange::Unsealed { match_id });
        Ok(())
    });
    closed.await.map(|done| !done.recorded.is_empty())
}

pub(crate) async fn void(store: &Store, match_id: MatchId) -> Result<(), Failure> {
    let voided = store.transact::<_, Failure>(None, async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        let command = VoidMatch { reason: VoidReason::Operator, evidence: "an operator ended it".into() };
        unit.append(match_id, &state, command.decide(&state.state)?);
        unit.write_side(ArenaChange::Unsealed { match_id });
        Ok(())
    });
    voided.await.map(drop)
}

pub(crate) fn enrolled(agent: &Actor, owner_id: OwnerId, endpoint_url: Option<&str>) -> Enrolled {
    Enrolled {
        agent_id: agent_id(agent),
        owner_id,
        endpoint_url: endpoint_url.map(str::to_owned),
        leagues: BTreeSet::from([League::Trivia, League::Structured]),
        accepts_challenges: true,
        judges: BTreeSet::new(),
    }
}

pub(crate) async fn enrol(store: &Store, enrolled: Enrolled) {
    let stream = EnrolmentStream(enrolled.agent_id);
    let done = store.transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<Enrolment>(stream).await?;
        unit.append(stream, &state, Enrol(enrolled.clone()).decide(&state.state).unwrap());
        Ok(())
    });
    done.await.unwrap();
}

async fn withdraw(store: &Store, agent_id: AgentId) {
    let stream = EnrolmentStream(agent_id);
    let done = store.transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<Enrolment>(stream).await?;
        unit.append(stream, &state, Withdraw { agent_id }.decide(&state.state).unwrap_or_default());
        Ok(())
    });
    done.await.unwrap();
}

async fn rotate_token(store: &Store, agent_id: AgentId, hash: &str) {
    let stream = EnrolmentStream(agent_id);
    let done = store.transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<Enrolment>(stream).await?;
        unit.append(stream, &state, RotateToken { agent_id }.decide(&state.state).unwrap());
        unit.write_side(ArenaChange::Token { agent_id, hash: hash.to_owned() });
        Ok(())
    });
    done.await.unwrap();
}

pub(crate) async fn view(store: &Store, match_id: MatchId) -> MatchView {
    store.arena_match(match_id).await.unwrap().expect("the match exists")
}

async fn due(store: &Store) -> Vec<MatchId> {
    store.matches_due(Judging::Texts, None, 10).await.unwrap().into_iter().map(|due| due.item.unwrap()).collect()
}

pub(crate) async fn write(store: &Store, changes: impl IntoIterator<Item = ArenaChange>) {
    store.write_side(changes.into_iter().collect::<Vec<_>>()).await.unwrap();
}

/// An agent that is enrolled, a match that is finished, and one that is void.
pub(crate) async fn story(store: &Store) {
    let [ada, ben] = [new_actor(store), new_actor(store)];
    let pair = || -> Vec<_> {
        [&ada, &ben].map(|agent| seat_of(agent, OwnerId::new(store.clock().uuid()), Channel::Push)).into()
    };
    enrol(store, enrolled(&ada, OwnerId::new(store.clock().uuid()), Some("https://ada.example"))).await;
    let finished = begin_short(store, League::Trivia, Mode::Ranked, pair()).await;
    answer(store, finished, &ada).await.unwrap();
    miss(store, finished, &ben).await.unwrap();
    assert!(close(store, finished, |_| 1000).await.unwrap());
    let voided = begin_short(store, League::Reasoning, Mode::Challenge, pair()).await;
    void(store, voided).await.unwrap();
}

/// One command of a random history; numbers select the agents. Refused and conflicting commands are expected.
pub(crate) async fn try_one(store: &Store, agents: &[Actor], (step, which): (u8, u8)) {
    let agent = &agents[usize::from(which) % agents.len()];
    let other = &agents[(usize::from(which) + 1 + usize::from(which / 16)) % agents.len()];
    let playing = store.matches_of(agent_id(agent)).await.unwrap();
    let match_id = playing.get(usize::from(which) % playing.len().max(1)).copied();
    let done = match (step % 12, match_id) {
        (0..5, Some(match_id)) => answer(store, match_id, agent).await,
        (5, Some(match_id)) => miss(store, match_id, agent).await,
        (6..8, Some(match_id)) => {
            close(store, match_id, |seat| usize::from(which) * (1 + usize::from(seat))).await.map(drop)
        }
        (8, Some(match_id)) if which.is_multiple_of(3) => void(store, match_id).await,
        (9, _) => {
            enrol_or_withdraw(store, agent, which).await;
            Ok(())
        }
        _ => begin_one(store, [agent, other], which).await,
    };
    assert!(matches!(done, Ok(()) | Err(Failure::Match(_) | Failure::Store(StoreError::Conflict { .. }))), "{done:?}");
}

async fn enrol_or_withdraw(store: &Store, agent: &Actor, which: u8) {
    let Some(contestant) = store.contestant(agent_id(agent)).await.unwrap() else { return };
    let url = format!("https://agent{which}.example");
    let enrolled = enrolled(agent, contestant.owner_id, which.is_multiple_of(2).then_some(&*url));
    let stream = EnrolmentStream(enrolled.agent_id);
    let changed = store.transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<Enrolment>(stream).await?;
        let withdraw = Withdraw { agent_id: enrolled.agent_id };
        let events = if which.is_multiple_of(5) {
            withdraw.decide(&state.state)
        } else {
            Enrol(enrolled.clone()).decide(&state.state)
        };
        unit.append(stream, &state, events.unwrap_or_default());
        Ok(())
    });
    assert!(matches!(changed.await, Ok(_) | Err(StoreError::Conflict { .. })));
}

async fn begin_one(store: &Store, agents: [&Actor; 2], which: u8) -> Result<(), Failure> {
    let mut seats = vec![];
    for (agent, channel) in agents.into_iter().zip([Channel::Push, Channel::Socket]) {
        seats.extend(store.contestant(agent_id(agent)).await?.map(|contestant| contestant.seat(channel)));
    }
    let mode = if which.is_multiple_of(2) { Mode::Ranked } else { Mode::Challenge };
    if which.is_multiple_of(4) && seats.len() == 2 && seats[0].agent_id != seats[1].agent_id {
        begin_short(store, League::Structured, Mode::Challenge, seats).await;
        return Ok(());
    }
    let challenger_id = (mode == Mode::Challenge).then(|| OwnerId::new(store.clock().uuid()));
    match store.create_match(NewMatch { league: League::ALL[usize::from(which) % 3], mode, challenger_id, seats }).await
    {
        Ok(_) | Err(NewMatchError::Match(_)) => Ok(()),
        Err(NewMatchError::Store(error)) => Err(error.into()),
        Err(NewMatchError::NoTask) => panic!("every league has tasks"),
    }
}

#[apply(both)]
async fn a_match_is_played_from_its_first_turn_to_its_result(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let id = begin(&store, &[&ada, &ben], Channel::Socket).await;
    let first = view(&store, id).await;
    assert_eq!((&*first.phase, first.turn, first.turn_count, first.waiting), ("playing", 1, TURNS.into(), 2));
    assert_eq!((first.league, first.mode, first.created_at), (League::Trivia, Mode::Ranked, noon()));
    assert_eq!((first.winner_id, first.ending, first.ended_at, first.ended_position), (None, None, None, None));
    let seen: Vec<_> = first.seats.iter().map(|seat| (seat.seat, seat.agent_id, seat.settled, seat.total)).collect();
    assert_eq!(seen, [(0, agent_id(&ada), false, 0), (1, agent_id(&ben), false, 0)]);
    assert!(first.deadline.unwrap() > noon() && first.task_id.is_some());
    assert_eq!(store.matches_of(agent_id(&ben)).await.unwrap(), [id]);

    answer(&store, id, &ben).await.unwrap();
    let one = view(&store, id).await;
    assert_eq!((one.waiting, one.seats[0].settled, one.seats[1].settled), (1, false, true));
    assert_eq!((due(&store).await, close(&store, id, |_| 1).await.unwrap()), (vec![], false));
    assert_eq!(database.tables_with(NEEDLE).await, ["arena_sealed_answers"]);
    let sealed = store.sealed_answers(id, 1).await.unwrap();
    assert_eq!((sealed.len(), sealed[0].0), (1, agent_id(&ben)));
    assert_eq!((sealed[0].1.rationale.as_deref(), sealed[0].1.confidence), (Some("because"), Some(700)));
    assert_eq!(store.sealed_answers(id, 2).await.unwrap(), []);

    answer(&store, id, &ada).await.unwrap();
    assert_eq!((view(&store, id).await.waiting, due(&store).await), (0, vec![id]));
    assert!(close(&store, id, |seat| if seat == 1 { 1000 } else { 250 }).await.unwrap());
    let second = view(&store, id).await;
    assert_eq!((&*second.phase, second.turn, second.waiting), ("playing", 2, 2));
    assert_ne!(second.task_id, first.task_id);
    let totals =
        |view: &MatchView| view.seats.iter().map(|seat| (seat.total, seat.settled, seat.place)).collect::<Vec<_>>();
    assert_eq!(totals(&second), [(250, false, None), (1000, false, None)]);
    assert_eq!((due(&store).await, store.sealed_answers(id, 1).await.unwrap()), (vec![], vec![]));
    assert_eq!(database.tables_with(NEEDLE).await, ["events"]);

    for _ in 1..TURNS {
        database.clock.advance(Duration::from_secs(1));
        answer(&store, id, &ada).await.unwrap();
        answer(&store, id, &ben).await.unwrap();
        assert!(close(&store, id, |seat| if seat == 1 { 1000 } else { 250 }).await.unwrap());
    }
    let last = view(&store, id).await;
    assert_eq!((&*last.phase, last.ending.as_deref(), last.turn), ("finished", Some("completed"), TURNS.into()));
    assert_eq!((last.winner_id, last.ended_at), (Some(agent_id(&ben)), Some(store.clock().now())));
    assert_eq!(
        totals(&last).iter().map(|(total, _, place)| (*total, *place)).collect::<Vec<_>>(),
        [(2500, Some(2)), (10_000, Some(1))]
    );
    assert_eq!((last.position, last.evidence), (first.position, None));
    database.clock.advance(Duration::from_hours(1));
    assert_eq!((due(&store).await, store.matches_of(agent_id(&ben)).await.unwrap()), (vec![], vec![]));
    assert!(!close(&store, id, |_| 1).await.unwrap());
    assert!(matches!(answer(&store, id, &ada).await, Err(Failure::Match(MatchError::Over))));

    let log = store.match_log(id).await.unwrap();
    assert_eq!(log.len(), 2 + usize::from(TURNS) * 6);
    assert_eq!(Some(log.last().unwrap().position), last.ended_position);
    let state = store.arena_state(id).await.unwrap();
    assert_eq!((state.phase, &state.totals[..], state.judged), (Phase::Finished, &[2500, 10_000][..], TURNS));
    assert_eq!(state.tasks.iter().collect::<BTreeSet<_>>().len(), usize::from(TURNS), "a task came twice");
    let results = store.arena_results(agent_id(&ada), None, None, 10).await.unwrap();
    let [result] = &results[..] else { panic!("{results:?}") };
    assert_eq!((&*result.outcome, result.place, result.score, result.match_id), ("lost", 2, 250, id));
    assert_eq!((result.opponents, result.opponent_id.clone()), (1, Some(agent_id(&ben).to_string())));
    assert!(result.rating_milli < result.rating_before_milli);
    let ladder = store.ladder(League::Trivia, None, 10).await.unwrap();
    let ranked: Vec<_> = ladder.iter().map(|row| (row.agent_id, row.won, row.lost)).collect();
    assert_eq!(ranked, [(agent_id(&ben), 1, 0), (agent_id(&ada), 0, 1)]);
    assert_eq!((ladder[1].rating.rating_milli, ladder[1].updated_at), (result.rating_milli, last.ended_at.unwrap()));
    assert_eq!(store.verify(|_| ()).await.unwrap().differing(), <[&str; 0]>::default());
}

#[apply(both)]
async fn a_round_waits_for_its_endpoint_until_the_deadline(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = players(&store).await;
    let of = |agent: &Actor| store.contestant(agent_id(agent));
    enrol(&store, enrolled(&ben, of(&ben).await.unwrap().unwrap().owner_id, Some("https://ben.example"))).await;
    let timed = async |agents: &[&Actor], channel, seconds| {
        let match_id = MatchId::new(store.clock().uuid());
        let (league, mode, seats) = (League::Trivia, Mode::Ranked, seats(&store, agents, channel).await);
        begin_timed(&store, MatchCreated { match_id, league, mode, turn_count: 2, challenger_id: None, seats }, seconds)
            .await
    };
    let first = timed(&[&ada, &ben], Channel::Push, 10).await;
    let second = timed(&[&cleo, &ben], Channel::Push, 20).await;
    timed(&[&ada, &cleo], Channel::Socket, 3600).await;
    write(&store, [ArenaChange::EndpointAdded { agent_id: agent_id(&ben) }]).await;
    let (until, reason) = (store.clock().after(Duration::from_secs(1)), PauseReason::RateLimited);
    paused(&store, agent_id(&ben), until, reason).await;
    let round = |match_id, agent: &Actor, turn, is_paused: bool| {
        let endpoint_url = (agent.id == ben.id).then(|| "https://ben.example".to_owned());
        let paused = is_paused.then_some(PauseReason::RateLimited);
        OpenRound { match_id, turn, agent_id: agent_id(agent), endpoint_url, paused }
    };
    assert_eq!(
        store.open_rounds(10).await.unwrap(),
        [
            round(first, &ada, 1, false),
            round(first, &ben, 1, true),
            round(second, &cleo, 1, false),
            round(second, &ben, 1, true),
        ]
    );
    assert_eq!(store.open_rounds(1).await.unwrap(), [round(first, &ada, 1, false)]);
    database.clock.advance(Duration::from_secs(1));
    let (until, reason) = (store.clock().after(Duration::from_micros(1)), PauseReason::Unavailable);
    paused(&store, agent_id(&ben), until, reason).await;
    let reasons: Vec<_> = store.open_rounds(10).await.unwrap().into_iter().map(|round| round.paused).collect();
    assert_eq!(reasons, [None, Some(PauseReason::Unavailable), None, Some(PauseReason::Unavailable)]);
    database.clock.advance(Duration::from_micros(1));
    answer(&store, first, &ada).await.unwrap();
    miss(&store, second, &ben).await.unwrap();
    assert_eq!(store.open_rounds(10).await.unwrap(), [round(first, &ben, 1, false), round(second, &cleo, 1, false)]);

    database.clock.advance(Duration::from_secs(9) - Duration::from_micros(2));
    assert_eq!(due(&store).await, []);
    assert!(!close(&store, first, |_| 400).await.unwrap());
    database.clock.advance(Duration::from_micros(1));
    assert_eq!(due(&store).await, [first]);
    let events = store.match_log(first).await.unwrap().len();
    assert!(close(&store, first, |_| 400).await.unwrap());
    let after = view(&store, first).await;
    assert_eq!((&*after.phase, after.turn), ("playing", 2));
    assert_eq!(after.seats.iter().map(|seat| seat.total).collect::<Vec<_>>(), [400, 0]);
    // One answer, the scores and the next turn.
    assert_eq!(store.match_log(first).await.unwrap().len(), events + 3);
    assert_eq!(
        store.open_rounds(10).await.unwrap(),
        [round(first, &ada, 2, false), round(first, &ben, 2, false), round(second, &cleo, 1, false),]
    );

    answer(&store, first, &ada).await.unwrap();
    answer(&store, first, &ben).await.unwrap();
    database.clock.advance(Duration::from_secs(10));
    let all = store.matches_due(Judging::Texts, None, 10).await.unwrap();
    assert_eq!(due(&store).await, [first, second]);
    assert_eq!(
        store.open_rounds(10).await.unwrap(),
        [],
        "the deadline of the second match has passed, and it is not closed yet"
    );
    let beyond = store.matches_due(Judging::Texts, Some(all[0].cursor()), 10).await.unwrap();
    assert_eq!(beyond.iter().map(|due| &due.key).collect::<Vec<_>>(), [&all[1].key]);
    assert!(close(&store, second, |_| 400).await.unwrap());
    assert_eq!(due(&store).await, [first]);
    let log = store.match_log(second).await.unwrap();
    let judged = log.iter().find_map(|logged| match &logged.event {
        MatchEvent::Judged(data) => Some(data.results.iter().map(|result| &*result.reason).collect::<Vec<_>>()),
        _ => None,
    });
    assert_eq!(judged.unwrap(), ["timeout", "server_error"]);
}

#[apply(both)]
async fn an_unwatched_deadline_and_an_operator_void_a_match(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let unwatched = begin(&store, &[&ada, &ben], Channel::Socket).await;
    answer(&store, unwatched, &ada).await.unwrap();
    database.clock.advance(Duration::from_hours(1));
    assert_eq!(due(&store).await, [unwatched]);
    assert!(close(&store, unwatched, |_| 1000).await.unwrap());
    let ended = begin(&store, &[&ada, &ben], Channel::Socket).await;
    answer(&store, ended, &ada).await.unwrap();
    void(&store, ended).await.unwrap();
    for (id, ending, evidence) in [(unwatched, "unwatched", "no server watched"), (ended, "operator", "an operator")] {
        let view = view(&store, id).await;
        assert_eq!((&*view.phase, view.ending.as_deref(), view.winner_id), ("void", Some(ending), None));
        assert!(view.evidence.as_ref().unwrap().starts_with(evidence), "{:?}", view.evidence);
        assert_eq!((view.ended_at, view.waiting), (Some(store.clock().now()), 0));
        assert!(view.seats.iter().all(|seat| seat.total == 0 && seat.place.is_none()));
        assert_eq!(store.sealed_answers(id, 1).await.unwrap(), []);
    }
    // What was sealed never became public.
    assert_eq!(database.tables_with(NEEDLE).await, <[&str; 0]>::default());
    assert_eq!(store.arena_results(agent_id(&ada), None, None, 10).await.unwrap(), []);
    assert_eq!(store.ladder(League::Trivia, None, 10).await.unwrap(), []);
    assert_eq!((due(&store).await, store.matches_of(agent_id(&ada)).await.unwrap()), (vec![], vec![]));
}

#[apply(both)]
async fn matches_are_listed_by_phase_league_and_agent(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = players(&store).await;
    let first = play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    let second = play_short(&store, League::Reasoning, Mode::Challenge, &[&cleo, &ben]).await;
    let third = begin(&store, &[&ada, &cleo], Channel::Socket).await;
    let all = MatchFilter { limit: 10, ..MatchFilter::default() };
    let ids = async |filter: MatchFilter| {
        let found = store.arena_matches(&filter).await.unwrap();
        assert!(found.iter().all(|found| found.seats.len() == 2 && found.seats[0].match_id == found.id));
        found.iter().map(|found| found.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(all.clone()).await, [third, second, first]);
    assert_eq!(ids(MatchFilter { limit: 2, ..all.clone() }).await, [third, second]);
    let before = Some(view(&store, second).await.position);
    assert_eq!(ids(MatchFilter { before, ..all.clone() }).await, [first]);
    assert_eq!(ids(MatchFilter { phase: Some("finished"), ..all.clone() }).await, [second, first]);
    assert_eq!(ids(MatchFilter { phase: Some("void"), ..all.clone() }).await, []);
    assert_eq!(ids(MatchFilter { league: Some(League::Trivia), ..all.clone() }).await, [third, first]);
    let of_ada = MatchFilter { agent_id: Some(agent_id(&ada)), ..all.clone() };
    assert_eq!(ids(of_ada.clone()).await, [third, first]);
    assert_eq!(ids(MatchFilter { limit: 1, ..of_ada.clone() }).await, [third]);
    let before = Some(view(&store, third).await.position);
    assert_eq!(ids(MatchFilter { before, ..of_ada.clone() }).await, [first]);
    let (phase, league) = (Some("playing"), Some(League::Trivia));
    assert_eq!(ids(MatchFilter { phase, league, ..of_ada.clone() }).await, [third]);
    assert_eq!(ids(MatchFilter { league: Some(League::Reasoning), ..of_ada }).await, []);
    assert!(store.arena_match(MatchId::new(store.clock().uuid())).await.unwrap().is_none());
}

#[apply(both)]
async fn the_ladder_ranks_active_agents_by_rating_and_certainty(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada_owner = owner(&store).await;
    let ada = agent(&store, &ada_owner).await;
    let [ben, cleo, dan] = players(&store).await;
    for _ in 0..3 {
        play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
        play_short(&store, League::Trivia, Mode::Challenge, &[&ben, &ada]).await;
    }
    play_short(&store, League::Trivia, Mode::Ranked, &[&cleo, &dan]).await;
    play_short(&store, League::Reasoning, Mode::Ranked, &[&dan, &cleo]).await;
    let ladder = store.ladder(League::Trivia, None, 10).await.unwrap();
    let shown: Vec<_> = ladder.iter().map(|row| (row.agent_id, row.won, row.drew, row.lost)).collect();
    let ranks: Vec<_> = ladder.iter().map(|row| row.rating.rank_milli()).collect();
    assert!(ranks.is_sorted_by(|first, second| first > second), "{ranks:?}");
    assert_eq!((shown[0], shown[1]), ((agent_id(&ada), 3, 0, 0), (agent_id(&cleo), 1, 0, 0)));
    assert_eq!(shown.len(), 4);
    // The same rows, one a page.
    let mut after = None;
    for row in &ladder {
        let page = store.ladder(League::Trivia, after, 1).await.unwrap();
        assert_eq!(page, std::slice::from_ref(row));
        after = Some((row.rating.rank_milli(), row.agent_id));
    }
    assert_eq!(store.ladder(League::Trivia, after, 1).await.unwrap(), []);
    let leagues = store.arena_standings(agent_id(&dan)).await.unwrap();
    assert_eq!(
        leagues.iter().map(|row| (row.league, row.won, row.lost)).collect::<Vec<_>>(),
        [(League::Reasoning, 1, 0), (League::Trivia, 0, 1)]
    );
    assert_eq!(store.ladder(League::Python, None, 10).await.unwrap(), []);
    rename(&store, &cleo, "Cleopatra").await.unwrap();
    deactivate(&store, &ada, &ada_owner).await.unwrap();
    let left = store.ladder(League::Trivia, None, 10).await.unwrap();
    assert_eq!((left.len(), &*left[0].name), (3, "Cleopatra"));
    assert_eq!(store.arena_standings(agent_id(&ada)).await.unwrap().len(), 1);
}

#[apply(both)]
async fn agents_with_equal_ranks_follow_each_other_on_the_ladder(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let agents: [Actor; 4] = players(&store).await;
    // The winners have one rank, and so have the losers.
    for pair in agents.chunks(2) {
        play_short(&store, League::Trivia, Mode::Ranked, &[&pair[0], &pair[1]]).await;
    }
    let (mut found, mut after) = (vec![], None);
    while let Some(row) = store.ladder(League::Trivia, after, 1).await.unwrap().pop() {
        after = Some((row.rating.rank_milli(), row.agent_id));
        found.push(row.agent_id);
    }
    let sorted = |first: usize, second: usize| {
        let mut pair = [agent_id(&agents[first]), agent_id(&agents[second])];
        pair.sort_by_key(ToString::to_string);
        pair
    };
    assert_eq!(found, [sorted(0, 2), sorted(1, 3)].concat());
}

#[apply(both)]
async fn the_results_of_an_agent_are_listed_newest_first(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let first = play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    let second = play_short(&store, League::Reasoning, Mode::Challenge, &[&ben, &ada]).await;
    let third = play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    let list = async |league, before, limit| {
        let found = store.arena_results(agent_id(&ada), league, before, limit).await.unwrap();
        found.iter().map(|result| result.match_id).collect::<Vec<_>>()
    };
    assert_eq!(list(None, None, 10).await, [third, second, first]);
    assert_eq!(list(None, None, 2).await, [third, second]);
    assert_eq!(list(Some(League::Trivia), None, 10).await, [third, first]);
    let results = store.arena_results(agent_id(&ada), None, None, 10).await.unwrap();
    assert_eq!(list(None, Some(results[1].position), 10).await, [first]);
    assert_eq!(list(Some(League::Trivia), Some(results[0].position), 10).await, [first]);
    let shown: Vec<_> = results.iter().map(|result| (&*result.outcome, &*result.mode, result.score)).collect();
    assert_eq!(shown, [("won", "ranked", 900), ("lost", "challenge", 800), ("won", "ranked", 900)]);
    // Each ranked result begins where the one before it ended; a challenge changes nothing.
    assert_eq!(results[0].rating_before_milli, results[2].rating_milli);
    assert_eq!((results[1].rating_before_milli, results[1].rating_milli), (1_500_000, 1_500_000));
}

#[apply(both)]
async fn matches_are_counted_by_day_by_agent_and_by_pair(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = players(&store).await;
    assert_eq!(store.matches_today().await.unwrap(), 0);
    play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    play_short(&store, League::Trivia, Mode::Challenge, &[&ada, &ben]).await;
    play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben, &cleo]).await;
    assert_eq!(store.matches_today().await.unwrap(), 3);
    database.clock.advance(Duration::from_hours(12) - Duration::from_micros(2));
    assert_eq!(store.matches_today().await.unwrap(), 3);
    database.clock.advance(Duration::from_micros(2));
    assert_eq!(store.matches_today().await.unwrap(), 0);
    play_short(&store, League::Reasoning, Mode::Ranked, &[&ben, &ada]).await;
    assert_eq!(store.matches_today().await.unwrap(), 1);

    let since = noon() + TimeDelta::hours(1);
    let count = async |of: &Actor, since, limit| store.matches_since(agent_id(of), since, limit).await.unwrap();
    // A challenge does not count.
    assert_eq!((count(&ada, noon(), 10).await, count(&ada, since, 10).await), (3, 1));
    assert_eq!((count(&ada, noon(), 2).await, count(&cleo, noon(), 10).await), (2, 1));
    assert_eq!((count(&cleo, since, 10).await, count(&ada, store.clock().now(), 10).await), (0, 1));
    // A match of three counts for each pair of owners.
    let of = async |agent: &Actor| store.contestant(agent_id(agent)).await.unwrap().unwrap().owner_id;
    let (of_ada, of_ben, of_cleo) = (of(&ada).await, of(&ben).await, of(&cleo).await);
    let met = async |owner_id, since, counts: (i64, i64)| -> BTreeSet<OwnerId> {
        store.owners_met(owner_id, since, counts).await.unwrap().into_iter().collect()
    };
    assert_eq!(met(of_ada, noon(), (1, 10)).await, BTreeSet::from([of_ben, of_cleo]));
    assert_eq!(met(of_ada, noon(), (2, 10)).await, BTreeSet::from([of_ben]));
    // The challenge is not among the latest three.
    assert_eq!(met(of_ada, noon(), (3, 3)).await, BTreeSet::from([of_ben]));
    assert_eq!(met(of_ben, noon(), (3, 10)).await, BTreeSet::from([of_ada]));
    assert_eq!(met(of_ada, noon(), (4, 10)).await, BTreeSet::new());
    assert_eq!(met(of_ada, noon(), (2, 1)).await, BTreeSet::new());
    assert_eq!(met(of_ada, since, (1, 10)).await, BTreeSet::from([of_ben]));
    let voided = begin(&store, &[&ada, &cleo], Channel::Socket).await;
    assert_eq!(met(of_cleo, noon(), (2, 10)).await, BTreeSet::from([of_ada]));
    void(&store, voided).await.unwrap();
    assert_eq!(met(of_cleo, noon(), (2, 10)).await, BTreeSet::new());
}

#[apply(both)]
async fn the_last_seat_is_that_of_a_ranked_match_of_two(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = players(&store).await;
    let last = async |of: &Actor, against: Option<&Actor>| {
        store.last_ranked_seat(agent_id(of), against.map(agent_id)).await.unwrap()
    };
    assert_eq!(last(&ada, None).await, None);
    play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    play_short(&store, League::Reasoning, Mode::Ranked, &[&cleo, &ada]).await;
    play_short(&store, League::Trivia, Mode::Challenge, &[&ben, &ada]).await;
    play_short(&store, League::Trivia, Mode::Ranked, &[&ben, &ada, &cleo]).await;
    assert_eq!((last(&ada, Some(&ben)).await, last(&ben, Some(&ada)).await), (Some(0), Some(1)));
    assert_eq!((last(&ada, None).await, last(&cleo, None).await), (Some(1), Some(0)));
    assert_eq!(last(&ben, Some(&cleo)).await, None);
}

/// Lets an agent skip a match.
async fn skip(store: &Store, match_id: MatchId, agent: &Actor) -> Result<(), Failure> {
    let skipped = store.transact::<_, Failure>(None, async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        unit.append(match_id, &state, SkipMatch { agent_id: agent_id(agent) }.decide(&state.state)?);
        Ok(())
    });
    skipped.await.map(drop)
}

#[apply(both)]
async fn an_agent_that_skips_a_match_is_free_and_the_others_play_on(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = players(&store).await;
    let crowd = begin(&store, &[&ada, &ben, &cleo], Channel::Push).await;
    skip(&store, crowd, &ben).await.unwrap();
    let playing = async |agent: &Actor| store.contestant(agent_id(agent)).await.unwrap().unwrap().is_playing;
    assert_eq!((playing(&ada).await, playing(&ben).await), (true, false));
    assert_eq!(view(&store, crowd).await.waiting, 2);
    for turn in 1..=2 {
        let asked: Vec<_> = store.open_rounds(10).await.unwrap().into_iter().map(|round| round.agent_id).collect();
        assert_eq!(asked, [agent_id(&ada), agent_id(&cleo)], "turn {turn}");
        answer(&store, crowd, &ada).await.unwrap();
        assert_eq!(due(&store).await, []);
        answer(&store, crowd, &cleo).await.unwrap();
        assert_eq!(due(&store).await, [crowd]);
        assert!(close(&store, crowd, |_| 400).await.unwrap());
    }
    let after = view(&store, crowd).await;
    assert_eq!((after.turn, after.waiting), (3, 2));
    assert_eq!(after.seats.iter().map(|seat| seat.settled).collect::<Vec<_>>(), [false, true, false]);
    let pair = begin(&store, &[&ada, &ben], Channel::Push).await;
    skip(&store, pair, &ben).await.unwrap();
    let after = view(&store, pair).await;
    assert_eq!((&*after.phase, after.ending.as_deref()), ("void", Some("unavailable")));
    let skips = async |agent: &Actor, limit| store.skips_since(agent_id(agent), noon(), limit).await.unwrap();
    assert_eq!((skips(&ben, 10).await, skips(&ben, 1).await, skips(&ada, 10).await), (2, 1, 0));
    let later = noon() + TimeDelta::seconds(1);
    assert_eq!(store.skips_since(agent_id(&ben), later, 10).await.unwrap(), 0);
    assert_eq!(store.verify(|_| ()).await.unwrap().differing(), <[&str; 0]>::default());
}

#[apply(both)]
async fn programs_run_once_every_seat_is_settled(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let pair = seats(&store, &[&ada, &ben], Channel::Push).await;
    let match_id = begin_short(&store, League::Python, Mode::Ranked, pair).await;
    let due = async || {
        let of = async |judging| store.matches_due(judging, None, 10).await.unwrap().len();
        (of(Judging::Texts).await, of(Judging::Programs).await)
    };
    answer(&store, match_id, &ada).await.unwrap();
    assert_eq!(due().await, (0, 0));
    database.clock.advance(Duration::from_secs(30));
    assert_eq!(due().await, (1, 0));
    let settled = store.transact::<_, Failure>(None, async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        let settle = SettleTurn { turn: 1, absent: vec![], now: store.clock().now() };
        unit.append(match_id, &state, settle.decide(&state.state)?);
        Ok(())
    });
    settled.await.unwrap();
    assert_eq!(due().await, (0, 1));
    // However late the programs end.
    database.clock.advance(Duration::from_mins(10));
    assert!(close(&store, match_id, |_| 1000).await.unwrap());
    let after = view(&store, match_id).await;
    assert_eq!((&*after.phase, after.winner_id), ("finished", Some(agent_id(&ada))));
}

#[apply(both)]
async fn a_challenge_counts_for_the_owner_that_asked_for_it(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let pair = seats(&store, &[&ada, &ben], Channel::Push).await;
    let [of_ada, of_ben] = [pair[0].owner_id, pair[1].owner_id];
    let third = OwnerId::new(store.clock().uuid());
    let (league, mode, challenger_id) = (League::Trivia, Mode::Challenge, Some(third));
    let count = async |owner_id, since, limit| store.owner_matches_since(owner_id, since, limit).await.unwrap();
    assert!(!store.is_match_playing().await.unwrap());
    let challenge = store.create_match(NewMatch { league, mode, challenger_id, seats: pair }).await.unwrap();
    assert!(store.is_match_playing().await.unwrap());
    void(&store, challenge).await.unwrap();
    assert!(!store.is_match_playing().await.unwrap());
    let counts = async |since| join_all([of_ada, of_ben, third].map(|owner_id| count(owner_id, since, 10))).await;
    // Both seats count for the challenger, and a void match counts too.
    assert_eq!(counts(noon()).await, [0, 0, 2]);
    database.clock.advance(Duration::from_secs(1));
    play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    assert_eq!(counts(noon()).await, [1, 1, 2]);
    assert_eq!(counts(noon() + TimeDelta::seconds(1)).await, [1, 1, 0]);
    assert_eq!(count(third, noon(), 1).await, 1);
    assert_eq!(store.verify(|_| ()).await.unwrap().differing(), <[&str; 0]>::default());
}

#[apply(both)]
async fn two_closings_of_one_turn_at_once_close_it_once(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let [ada, ben] = players(&store).await;
    for turn in 1..=3 {
        let id = begin(&store, &[&ada, &ben], Channel::Socket).await;
        answer(&store, id, &ada).await.unwrap();
        answer(&other, id, &ben).await.unwrap();
        let (first, second) = join(close(&store, id, |_| 700), close(&other, id, |_| 700)).await;
        assert_eq!(u8::from(first.unwrap()) + u8::from(second.unwrap()), 1, "try {turn}");
        let judged = |log: &Vec<_>| {
            log.iter()
                .filter(|logged: &&buildtrack_store::LoggedMatchEvent| matches!(logged.event, MatchEvent::Judged(_)))
                .count()
        };
        assert_eq!(judged(&store.match_log(id).await.unwrap()), 1);
        assert_eq!(view(&store, id).await.seats.iter().map(|seat| seat.total).collect::<Vec<_>>(), [700, 700]);
        void(&store, id).await.unwrap();
    }
}

#[apply(both)]
async fn two_closings_of_the_last_turn_at_once_record_one_result(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let [ada, ben] = players(&store).await;
    let seats = seats(&store, &[&ada, &ben], Channel::Push).await;
    let id = begin_short(&store, League::Trivia, Mode::Ranked, seats).await;
    answer(&store, id, &ada).await.unwrap();
    answer(&store, id, &ben).await.unwrap();
    let (first, second) = join(close(&store, id, |_| 700), close(&other, id, |_| 700)).await;
    assert_eq!(u8::from(first.unwrap()) + u8::from(second.unwrap()), 1);
    for agent in [&ada, &ben] {
        assert_eq!(store.arena_results(agent_id(agent), None, None, 10).await.unwrap().len(), 1);
    }
}

#[apply(both)]
async fn two_answers_of_one_agent_at_once_leave_one(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let [ada, ben] = players(&store).await;
    for _ in 0..3 {
        let id = begin(&store, &[&ada, &ben], Channel::Socket).await;
        let (first, second) = join(answer(&store, id, &ada), answer(&other, id, &ada)).await;
        let refused = [first, second].into_iter().filter_map(Result::err).collect::<Vec<_>>();
        assert!(matches!(&refused[..], [Failure::Match(MatchError::AlreadySettled)]), "{refused:?}");
        assert_eq!(view(&store, id).await.waiting, 1);
        // The sealed answer is the one that the log has a commitment to.
        answer(&store, id, &ben).await.unwrap();
        assert!(close(&store, id, |_| 1000).await.unwrap());
    }
}

async fn connect(store: &Store, agent: &Actor, connection: &str, server: &str) {
    let (connection_id, server_id) = (connection.to_owned(), server.to_owned());
    let owner_id = OwnerId::new(store.clock().uuid());
    let connection =
        NewConnection { agent_id: agent_id(agent), owner_id, connection_id, server_id, keeps_place: false };
    write(store, [ArenaChange::Connected(Box::new(connection))]).await;
}

async fn disconnect(store: &Store, agent: &Actor, connection: &str) {
    let (agent_id, connection_id) = (agent_id(agent), connection.to_owned());
    write(store, [ArenaChange::Disconnected { agent_id, connection_id }]).await;
}

async fn queue(store: &Store, agent: &Actor, connection: &str, leagues: &[League]) {
    let (agent_id, connection_id, leagues) = (agent_id(agent), connection.to_owned(), leagues.to_owned());
    write(store, [ArenaChange::Queued { agent_id, connection_id, leagues }]).await;
}

pub(crate) async fn see(store: &Store, server: &str, seconds: u64) {
    let length = Duration::from_secs(seconds);
    write(store, [ArenaChange::ServerSeen { server_id: server.into(), length }]).await;
}

async fn queued(store: &Store) -> Vec<AgentId> {
    store.queued_agents(None, 10).await.unwrap().iter().map(|queued| queued.agent_id).collect()
}

#[apply(both)]
async fn agents_wait_in_the_order_in_which_they_came(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = [new_actor(&store), new_actor(&store), new_actor(&store)];
    see(&store, "one", 30).await;
    for (agent, connection) in [(&ada, "a"), (&ben, "b"), (&cleo, "c")] {
        connect(&store, agent, connection, "one").await;
    }
    assert_eq!((queued(&store).await, store.queue_place(agent_id(&ada)).await.unwrap()), (vec![], (None, 0)));
    queue(&store, &ben, "b", &[League::Trivia, League::Python]).await;
    database.clock.advance(Duration::from_secs(1));
    queue(&store, &ada, "a", &[League::Trivia]).await;
    // Another connection's words change nothing; the same words again keep the place.
    queue(&store, &cleo, "a", &[League::Trivia]).await;
    database.clock.advance(Duration::from_secs(1));
    queue(&store, &ben, "b", &[League::Reasoning]).await;
    let waiting = store.queued_agents(None, 10).await.unwrap();
    let shown: Vec<_> =
        waiting.iter().map(|queued| (queued.agent_id, &*queued.connection_id, queued.queued_at)).collect();
    assert_eq!(shown, [(agent_id(&ben), "b", noon()), (agent_id(&ada), "a", noon() + TimeDelta::seconds(1))]);
    assert_eq!(waiting[0].leagues, [League::Reasoning]);
    assert_eq!(store.queued_agents(None, 1).await.unwrap().len(), 1);
    let place = async |agent: &Actor| store.queue_place(agent_id(agent)).await.unwrap();
    assert_eq!([place(&ben).await, place(&ada).await, place(&cleo).await], [(Some(1), 2), (Some(2), 2), (None, 2)]);
    assert_eq!(store.sockets_open().await.unwrap(), (3, 2));
    write(&store, [ArenaChange::Unqueued { agent_id: agent_id(&ben) }]).await;
    assert_eq!((queued(&store).await, place(&ada).await), (vec![agent_id(&ada)], (Some(1), 1)));
    disconnect(&store, &ada, "a").await;
    assert_eq!((queued(&store).await, place(&ada).await), (vec![], (None, 0)));
}

#[apply(both)]
async fn agents_that_came_at_once_have_a_place_each(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    see(&store, "one", 30).await;
    let agents: Vec<_> = (0..3).map(|_| new_actor(&store)).collect();
    for agent in &agents {
        let id = agent.id.to_string();
        connect(&store, agent, &id, "one").await;
        queue(&store, agent, &id, &[League::Trivia]).await;
    }
    let order = queued(&store).await;
    let mut after = None;
    for (place, agent_id) in (1..).zip(order) {
        assert_eq!(store.queue_place(agent_id).await.unwrap(), (Some(place), 3));
        let next = store.queued_agents(after, 1).await.unwrap();
        assert_eq!(next[0].agent_id, agent_id);
        after = Some((next[0].queued_at, agent_id));
    }
    assert_eq!(store.queued_agents(after, 1).await.unwrap(), []);
}

#[apply(both)]
async fn a_new_match_takes_its_agents_out_of_the_queue(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = players(&store).await;
    see(&store, "one", 30).await;
    for (agent, connection) in [(&ada, "a"), (&ben, "b"), (&cleo, "c")] {
        connect(&store, agent, connection, "one").await;
        queue(&store, agent, connection, &[League::Trivia]).await;
    }
    begin(&store, &[&ada, &cleo], Channel::Socket).await;
    assert_eq!(queued(&store).await, [agent_id(&ben)]);
    assert_eq!(store.socket_state(agent_id(&ada)).await.unwrap(), SocketState::Open);
}

#[apply(both)]
async fn a_socket_is_lost_with_its_server_and_comes_back_with_it(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = [new_actor(&store), new_actor(&store)];
    let state = async |agent: &Actor| store.socket_state(agent_id(agent)).await.unwrap();
    assert_eq!(state(&ada).await, SocketState::Closed);
    see(&store, "one", 30).await;
    see(&store, "two", 60).await;
    connect(&store, &ada, "a", "one").await;
    connect(&store, &ben, "b", "two").await;
    queue(&store, &ada, "a", &[League::Trivia]).await;
    queue(&store, &ben, "b", &[League::Trivia]).await;
    assert_eq!((state(&ada).await, state(&ben).await), (SocketState::Open, SocketState::Open));
    assert_eq!(store.connections_of("one").await.unwrap(), [(agent_id(&ada), "a".to_owned())]);
    database.clock.advance(Duration::from_secs(30) - Duration::from_micros(1));
    assert_eq!(state(&ada).await, SocketState::Open);
    database.clock.advance(Duration::from_micros(1));
    assert_eq!((state(&ada).await, state(&ben).await), (SocketState::ServerLost, SocketState::Open));
    assert_eq!(queued(&store).await, [agent_id(&ben)]);
    // It was only slow.
    see(&store, "one", 30).await;
    assert_eq!((state(&ada).await, queued(&store).await.len()), (SocketState::Open, 2));
    // A server that stops has lost its sockets at once, and no one else's: its agents may come back, as after a crash.
    write(&store, [ArenaChange::ServerGone { server_id: "one".into() }]).await;
    assert_eq!((state(&ada).await, state(&ben).await), (SocketState::ServerLost, SocketState::Open));
    assert_eq!(queued(&store).await, [agent_id(&ben)]);
    connect(&store, &ada, "c", "two").await;
    assert_eq!((state(&ada).await, store.connections_of("one").await.unwrap()), (SocketState::Open, vec![]));
    // Its end does not lengthen a lease that has expired.
    write(&store, [ArenaChange::ServerGone { server_id: "one".into() }]).await;
    database.clock.advance(Duration::from_mins(10) - Duration::from_micros(1));
    while store.prune(10, Duration::from_secs(1)).await.unwrap() {}
    assert_eq!(database.texts("SELECT id FROM arena_servers WHERE id = 'one'").await, ["one"]);
    write(&store, [ArenaChange::ServerGone { server_id: "one".into() }]).await;
    database.clock.advance(Duration::from_micros(1));
    while store.prune(10, Duration::from_secs(1)).await.unwrap() {}
    assert_eq!(database.texts("SELECT id FROM arena_servers WHERE id = 'one'").await, [""; 0]);
}

#[apply(both)]
async fn a_lost_server_is_kept_for_ten_minutes(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = [new_actor(&store), new_actor(&store)];
    see(&store, "one", 30).await;
    see(&store, "two", 10_000).await;
    connect(&store, &ada, "a", "one").await;
    connect(&store, &ben, "b", "two").await;
    database.clock.advance(Duration::from_secs(30 + 600) - Duration::from_micros(1));
    while store.prune(10, Duration::from_secs(1)).await.unwrap() {}
    assert_eq!(store.socket_state(agent_id(&ada)).await.unwrap(), SocketState::ServerLost);
    database.clock.advance(Duration::from_micros(1));
    while store.prune(10, Duration::from_secs(1)).await.unwrap() {}
    assert_eq!(store.socket_state(agent_id(&ada)).await.unwrap(), SocketState::Closed);
    assert_eq!(store.socket_state(agent_id(&ben)).await.unwrap(), SocketState::Open);
    assert_eq!(database.texts("SELECT id FROM arena_servers").await, ["two"]);
}

#[apply(both)]
async fn a_new_socket_replaces_the_old_one_whose_end_changes_nothing(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    see(&store, "one", 30).await;
    see(&store, "two", 30).await;
    connect(&store, &ada, "old", "one").await;
    queue(&store, &ada, "old", &[League::Trivia]).await;
    connect(&store, &ada, "new", "two").await;
    assert_eq!(queued(&store).await, []);
    assert_eq!(store.connections_of("one").await.unwrap(), []);
    queue(&store, &ada, "old", &[League::Trivia]).await;
    assert_eq!(queued(&store).await, []);
    queue(&store, &ada, "new", &[League::Trivia]).await;
    disconnect(&store, &ada, "old").await;
    assert_eq!((queued(&store).await, store.sockets_open().await.unwrap()), (vec![agent_id(&ada)], (1, 1)));
    // The end of the old server neither.
    write(&store, [ArenaChange::ServerGone { server_id: "one".into() }]).await;
    assert_eq!(store.socket_state(agent_id(&ada)).await.unwrap(), SocketState::Open);
    disconnect(&store, &ada, "new").await;
    assert_eq!(store.socket_state(agent_id(&ada)).await.unwrap(), SocketState::Closed);
}

#[apply(both)]
async fn a_connection_that_another_server_takes_over_keeps_its_place_if_it_says_so(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    see(&store, "one", 30).await;
    see(&store, "two", 30).await;
    connect(&store, &ada, "old", "one").await;
    queue(&store, &ada, "old", &[League::Trivia]).await;
    // Two calls may record it.
    connect(&store, &ada, "old", "one").await;
    assert!(store.is_queued(agent_id(&ada)).await.unwrap());
    let (agent_id, owner_id) = (agent_id(&ada), OwnerId::new(store.clock().uuid()));
    let (connection_id, server_id) = ("new".to_owned(), "two".to_owned());
    let connection = NewConnection { agent_id, owner_id, connection_id, server_id, keeps_place: true };
    write(&store, [ArenaChange::Connected(Box::new(connection))]).await;
    assert_eq!(queued(&store).await, [agent_id]);
    let known = store.connection_of(agent_id).await.unwrap().unwrap();
    assert_eq!((&*known.connection_id, known.is_open), ("new", true));
    connect(&store, &ada, "newer", "one").await;
    assert_eq!((queued(&store).await, store.is_queued(agent_id).await.unwrap()), (vec![], false));
}

/// Records that an agent is sent the result of a match; or that it could not be sent.
async fn result_sent(store: &Store, agent: &Actor, id: MatchId, is_sent: bool) {
    let (agent_id, position) = (agent_id(agent), view(store, id).await.ended_position.unwrap());
    let sent = ArenaChange::ResultSent { agent_id, position };
    write(store, [if is_sent { sent } else { ArenaChange::ResultReturned { agent_id, position } }]).await;
}

#[apply(both)]
async fn an_agent_that_comes_back_learns_of_the_matches_whose_results_it_was_not_sent(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let missed = async |agent: &Actor| store.matches_missed(agent_id(agent), 10).await.unwrap();
    let before = begin(&store, &[&ada, &ben], Channel::Socket).await;
    void(&store, before).await.unwrap();
    // Agents that were never connected have missed nothing, nor have they when they connect.
    assert_eq!((missed(&ada).await, missed(&ben).await), (vec![], vec![]));
    see(&store, "one", 3600).await;
    see(&store, "two", 30).await;
    connect(&store, &ada, "a", "one").await;
    connect(&store, &ben, "b", "two").await;
    let seen = begin(&store, &[&ada, &ben], Channel::Socket).await;
    assert_eq!((missed(&ada).await, missed(&ben).await), (vec![], vec![]));
    void(&store, seen).await.unwrap();
    result_sent(&store, &ada, seen, true).await;
    // The server of the other agent was lost before it had sent the result; the clock says nothing of this.
    assert_eq!((missed(&ada).await, missed(&ben).await), (vec![], vec![seen]));
    let [first, second] =
        [begin(&store, &[&ada, &ben], Channel::Socket).await, begin(&store, &[&ada, &ben], Channel::Socket).await];
    by_push(&store, &ada, &ben).await;
    disconnect(&store, &ada, "a").await;
    void(&store, second).await.unwrap();
    void(&store, first).await.unwrap();
    assert_eq!((missed(&ada).await, missed(&ben).await), (vec![second, first], vec![seen, second, first]));
    assert_eq!(store.matches_missed(agent_id(&ben), 1).await.unwrap(), [second]);
    // A connection alone changes nothing, also if it replaces one that was open.
    connect(&store, &ada, "c", "one").await;
    connect(&store, &ada, "d", "one").await;
    assert_eq!(missed(&ada).await, [second, first]);
    result_sent(&store, &ada, second, true).await;
    assert_eq!(missed(&ada).await, [first]);
    result_sent(&store, &ada, first, true).await;
    result_sent(&store, &ada, second, true).await;
    assert_eq!(missed(&ada).await, []);
    // The last result did not leave the server; an earlier one that was sent is not repeated.
    result_sent(&store, &ada, second, false).await;
    assert_eq!(missed(&ada).await, []);
    result_sent(&store, &ada, first, false).await;
    assert_eq!(missed(&ada).await, [first]);
}

/// A match by push, which no socket misses.
async fn by_push(store: &Store, ada: &Actor, ben: &Actor) {
    let id = begin(store, &[ada, ben], Channel::Push).await;
    void(store, id).await.unwrap();
}

#[apply(both)]
async fn leagues_are_open_while_a_referee_says_so(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let open = async || store.open_leagues().await.unwrap();
    assert_eq!(open().await, []);
    write(&store, [ArenaChange::LeaguesOpened { leagues: vec![League::Trivia, League::Python] }]).await;
    assert_eq!(open().await, [League::Trivia, League::Python]);
    database.clock.advance(Duration::from_secs(100));
    write(&store, [ArenaChange::LeaguesOpened { leagues: vec![League::Trivia] }]).await;
    database.clock.advance(Duration::from_mins(2) - Duration::from_micros(1));
    assert_eq!(open().await, [League::Trivia]);
    database.clock.advance(Duration::from_micros(1));
    assert_eq!(open().await, []);
}

pub(crate) fn healthy(store: &Store) -> EndpointState {
    EndpointState {
        is_healthy: true,
        latency_ms: Some(20),
        max_concurrent: Some(3),
        checked_at: Some(store.clock().now()),
        check_at: store.clock().after(Duration::from_secs(30)),
        ..EndpointState::default()
    }
}

async fn address_of(store: &Store, agent_id: AgentId) -> String {
    let enrolment = store.arena_enrolment(agent_id).await.unwrap();
    enrolment.and_then(|enrolment| enrolment.endpoint_url).unwrap_or_default()
}

/// The agent's endpoint asks for a pause.
async fn paused(store: &Store, agent_id: AgentId, until: DateTime<Utc>, reason: PauseReason) {
    let endpoint_url = address_of(store, agent_id).await;
    write(store, [ArenaChange::EndpointPaused { agent_id, endpoint_url, until, reason }]).await;
}

pub(crate) async fn checked(store: &Store, agent_id: AgentId, state: EndpointState) {
    let endpoint_url = address_of(store, agent_id).await;
    write(store, [ArenaChange::EndpointChecked { agent_id, endpoint_url, state: Box::new(state) }]).await;
}

#[apply(both)]
async fn endpoints_are_due_when_they_are_added_and_after_each_check(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (ada_owner, ben_owner) = (owner(&store).await, owner(&store).await);
    let (ada, ben) = (agent(&store, &ada_owner).await, agent(&store, &ben_owner).await);
    let (by_ada, by_ben) = (agent_id(&ada), agent_id(&ben));
    enrol(&store, enrolled(&ada, owner_id(&ada_owner), Some("https://ada.example"))).await;
    enrol(&store, enrolled(&ben, owner_id(&ben_owner), None)).await;
    write(&store, [ArenaChange::EndpointAdded { agent_id: by_ada }, ArenaChange::EndpointAdded { agent_id: by_ben }])
        .await;
    let due = async || {
        let due = store.endpoints_due(10).await.unwrap();
        due.into_iter().map(|(agent_id, url, _)| (agent_id, url)).collect::<Vec<_>>()
    };
    // An agent without an address is never checked.
    assert_eq!(due().await, [(by_ada, "https://ada.example".to_owned())]);
    assert_eq!(store.endpoints_due(0).await.unwrap(), []);
    checked(&store, by_ada, healthy(&store)).await;
    assert_eq!((due().await, store.arena_endpoint(by_ada).await.unwrap()), (vec![], Some(healthy(&store))));
    let was = healthy(&store);
    database.clock.advance(Duration::from_secs(30));
    assert_eq!(due().await.len(), 1);
    // A check that must wait keeps no other one from its turn, and changes nothing else.
    let until = store.clock().after(Duration::from_secs(1));
    write(&store, [ArenaChange::EndpointPostponed { agent_id: by_ada, until }]).await;
    assert_eq!(due().await, []);
    let postponed = EndpointState { check_at: until, ..was };
    assert_eq!(store.arena_endpoint(by_ada).await.unwrap(), Some(postponed));
    database.clock.advance(Duration::from_secs(1));
    assert_eq!(due().await.len(), 1);
    let failed = EndpointState { misses: 3, is_healthy: false, reason: Some("health".into()), ..healthy(&store) };
    checked(&store, by_ada, failed.clone()).await;
    assert_eq!(store.arena_endpoint(by_ada).await.unwrap(), Some(failed));
    // A new address is checked at once, and is not healthy before.
    write(&store, [ArenaChange::EndpointAdded { agent_id: by_ada }]).await;
    let added = EndpointState { check_at: store.clock().now(), ..EndpointState::default() };
    let (until, reason) = (store.clock().after(Duration::from_mins(5)), PauseReason::RateLimited);
    assert_eq!((store.arena_endpoint(by_ada).await.unwrap(), due().await.len()), (Some(added.clone()), 1));
    // A pause ends with its address, and the answer of another address says nothing.
    write(
        &store,
        [
            ArenaChange::EndpointPaused { agent_id: by_ada, endpoint_url: "https://ada.example".into(), until, reason },
            ArenaChange::EndpointAdded { agent_id: by_ada },
            ArenaChange::EndpointPaused { agent_id: by_ada, endpoint_url: "https://old.example".into(), until, reason },
            ArenaChange::EndpointChecked {
                agent_id: by_ada,
                endpoint_url: "https://old.example".into(),
                state: Box::new(healthy(&store)),
            },
        ],
    )
    .await;
    assert_eq!(store.arena_endpoint(by_ada).await.unwrap(), Some(added));
    withdraw(&store, by_ada).await;
    assert_eq!(due().await, []);
    write(&store, [ArenaChange::EndpointRemoved { agent_id: by_ada }]).await;
    assert_eq!(store.arena_endpoint(by_ada).await.unwrap(), None);
    checked(&store, by_ada, healthy(&store)).await;
    assert_eq!(store.arena_endpoint(by_ada).await.unwrap(), None);
}

#[apply(both)]
async fn a_pause_is_lengthened_never_shortened_and_outlasts_checks(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada_owner = owner(&store).await;
    let ada = agent(&store, &ada_owner).await;
    let id = agent_id(&ada);
    enrol(&store, enrolled(&ada, owner_id(&ada_owner), Some("https://ada.example"))).await;
    write(&store, [ArenaChange::EndpointAdded { agent_id: id }]).await;
    let reachable = async || store.contestant(id).await.unwrap().unwrap().endpoint == EndpointReadiness::Ready;
    assert!(!reachable().await, "it was never checked");
    checked(&store, id, healthy(&store)).await;
    assert!(reachable().await);
    let pause = async |seconds| {
        let (until, reason) = (store.clock().after(Duration::from_secs(seconds)), PauseReason::RateLimited);
        paused(&store, id, until, reason).await;
    };
    let state = async || store.arena_endpoint(id).await.unwrap().unwrap();
    pause(60).await;
    pause(30).await;
    let until = Some(noon() + TimeDelta::seconds(60));
    assert_eq!((state().await.paused_until, state().await.reason.as_deref()), (until, Some("rate_limited")));
    assert!(!reachable().await);
    checked(&store, id, EndpointState { reason: Some("status 500".into()), ..healthy(&store) }).await;
    assert_eq!((state().await.paused_until, state().await.reason.as_deref()), (until, Some("rate_limited")));
    database.clock.advance(Duration::from_mins(1) - Duration::from_micros(1));
    assert!(!reachable().await);
    database.clock.advance(Duration::from_micros(1));
    assert!(reachable().await);
    checked(&store, id, healthy(&store)).await;
    assert_eq!((state().await.paused_until, state().await.reason), (None, None));
}

#[apply(both)]
async fn an_endpoint_gets_no_more_rounds_at_once_than_it_says(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada_owner, ben) = (owner(&store).await, player(&store).await);
    let ada = agent(&store, &ada_owner).await;
    let id = agent_id(&ada);
    enrol(&store, enrolled(&ada, owner_id(&ada_owner), Some("https://ada.example"))).await;
    write(&store, [ArenaChange::EndpointAdded { agent_id: id }]).await;
    let says = async |max_concurrent| checked(&store, id, EndpointState { max_concurrent, ..healthy(&store) }).await;
    let found = async || store.contestant(id).await.unwrap().unwrap().endpoint;
    let (reachable, full) = (EndpointReadiness::Ready, EndpointReadiness::Full);
    says(Some(1)).await;
    assert_eq!(found().await, reachable);
    let playing = begin(&store, &[&ada, &ben], Channel::Push).await;
    assert_eq!(found().await, full);
    says(Some(2)).await;
    assert_eq!(found().await, reachable);
    says(None).await;
    assert_eq!(found().await, reachable);
    says(Some(1)).await;
    void(&store, playing).await.unwrap();
    assert_eq!(found().await, reachable);
    // A match over its socket takes no room of its endpoint.
    let playing = begin(&store, &[&ada, &ben], Channel::Socket).await;
    assert_eq!(found().await, reachable);
    void(&store, playing).await.unwrap();
    assert_eq!(store.idle_contestants(store.clock().now(), 10).await.unwrap().len(), 1);
    says(Some(0)).await;
    assert_eq!(found().await, full);
    assert_eq!(store.idle_contestants(store.clock().now(), 10).await.unwrap(), []);
    checked(&store, id, EndpointState { is_healthy: false, ..healthy(&store) }).await;
    assert_eq!(found().await, EndpointReadiness::Unavailable);
}

#[apply(both)]
async fn idle_agents_are_those_that_can_play_and_have_waited(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let mut agents = vec![];
    for _ in 0..5 {
        let owner = owner(&store).await;
        let agent = agent(&store, &owner).await;
        enrol(&store, enrolled(&agent, owner_id(&owner), Some("https://agent.example"))).await;
        write(&store, [ArenaChange::EndpointAdded { agent_id: agent_id(&agent) }]).await;
        checked(&store, agent_id(&agent), healthy(&store)).await;
        agents.push(agent);
    }
    let [ada, ben, cleo, dan, eve] = <[Actor; 5]>::try_from(agents).unwrap();
    play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    database.clock.advance(Duration::from_mins(1));
    let idle =
        async |since| {
            let found = store.idle_contestants(since, 10).await.unwrap();
            assert!(found.iter().all(|found| found.endpoint == EndpointReadiness::Ready
                && !found.is_playing
                && found.leagues.len() == 2));
            found.into_iter().map(|found| found.agent_id).collect::<Vec<_>>()
        };
    let all = idle(noon()).await;
    // Those that have never played come first.
    assert_eq!(all.len(), 5);
    assert_eq!(all[3..].iter().collect::<BTreeSet<_>>(), [&agent_id(&ada), &agent_id(&ben)].into());
    assert_eq!(idle(noon() - TimeDelta::seconds(1)).await.len(), 3);
    begin(&store, &[&ada, &cleo], Channel::Push).await;
    assert!(store.contestant(agent_id(&cleo)).await.unwrap().unwrap().is_playing);
    set_suspended(&store, &dan, true).await.unwrap();
    assert_eq!(store.contestant(agent_id(&dan)).await.unwrap(), None);
    let left = idle(store.clock().now()).await;
    assert_eq!(left, [agent_id(&eve), agent_id(&ben)]);
    let unwell = EndpointState { is_healthy: false, ..healthy(&store) };
    checked(&store, agent_id(&ben), unwell).await;
    assert_eq!(idle(store.clock().now()).await, [agent_id(&eve)]);
}

#[apply(both)]
async fn an_enrolment_is_replaced_and_ends(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada_owner = owner(&store).await;
    let ada = agent(&store, &ada_owner).await;
    let id = agent_id(&ada);
    assert_eq!(store.arena_enrolment(id).await.unwrap(), None);
    assert_eq!(store.contestant(id).await.unwrap().unwrap().leagues, []);
    enrol(&store, enrolled(&ada, owner_id(&ada_owner), Some("https://ada.example"))).await;
    database.clock.advance(Duration::from_secs(1));
    let changed = Enrolled {
        leagues: BTreeSet::from([League::Python]),
        accepts_challenges: false,
        ..enrolled(&ada, owner_id(&ada_owner), None)
    };
    enrol(&store, changed).await;
    let view = store.arena_enrolment(id).await.unwrap().unwrap();
    assert_eq!((view.endpoint_url, view.leagues, view.accepts_challenges), (None, vec![League::Python], false));
    assert_eq!(view.enrolled_at, noon());
    let contestant = store.contestant(id).await.unwrap().unwrap();
    assert_eq!((contestant.leagues, contestant.accepts_challenges), (vec![League::Python], false));
    assert_eq!(contestant.owner_id, owner_id(&ada_owner));
    withdraw(&store, id).await;
    assert_eq!(store.arena_enrolment(id).await.unwrap(), None);
    // The address stays private: readers of the public log see no enrolment.
    let public = store.public_log(0, 100).await.unwrap();
    assert!(!format!("{public:?}").contains("ada.example"));
    assert_eq!(store.verify(|_| ()).await.unwrap().differing(), <[&str; 0]>::default());
}

#[apply(both)]
async fn a_new_arena_token_replaces_the_old_one(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = [new_actor(&store), new_actor(&store)];
    let (by_ada, by_ben) = (agent_id(&ada), agent_id(&ben));
    rotate_token(&store, by_ada, "first").await;
    rotate_token(&store, by_ben, "of ben").await;
    assert_eq!(store.arena_token("first").await.unwrap(), Some(by_ada));
    database.clock.advance(Duration::from_secs(1));
    rotate_token(&store, by_ada, "second").await;
    assert_eq!(store.arena_token("first").await.unwrap(), None);
    assert_eq!(store.arena_token("second").await.unwrap(), Some(by_ada));
    assert_eq!(store.arena_token("of ben").await.unwrap(), Some(by_ben));
    assert_eq!(store.arena_agent(by_ada).await.unwrap().token_created_at, Some(noon() + TimeDelta::seconds(1)));
    assert_eq!(store.arena_agent(agent_id(&new_actor(&store))).await.unwrap(), ArenaAgent::default());
}

#[apply(both)]
async fn what_an_agent_says_of_itself_stays_until_it_says_more(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let id = agent_id(&new_actor(&store));
    let say = async |name: Option<&str>, model: Option<&str>| {
        let (name, model) = (name.map(str::to_owned), model.map(str::to_owned));
        write(&store, [ArenaChange::Described { agent_id: id, name, model }]).await;
        let kept = store.arena_agent(id).await.unwrap();
        (kept.name, kept.model, kept.token_created_at)
    };
    let kept = |name: &str, model: Option<&str>| (Some(name.to_owned()), model.map(str::to_owned), None);
    assert_eq!(say(Some("Ada"), None).await, kept("Ada", None));
    assert_eq!(say(None, Some("m1")).await, kept("Ada", Some("m1")));
    assert_eq!(say(Some("Ada 2"), None).await, kept("Ada 2", Some("m1")));
    // It is no token.
    rotate_token(&store, id, "hash").await;
    let after = store.arena_agent(id).await.unwrap();
    assert_eq!((after.name.as_deref(), after.token_created_at), (Some("Ada 2"), Some(noon())));
}

#[apply(both)]
async fn the_news_are_turns_ends_withdrawals_and_new_tokens(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    enrol(&store, enrolled(&ben, OwnerId::new(store.clock().uuid()), None)).await;
    let head = store.tail().head();
    let id = begin(&store, &[&ada, &ben], Channel::Socket).await;
    answer(&store, id, &ada).await.unwrap();
    rotate_token(&store, agent_id(&ben), "hash").await;
    withdraw(&store, agent_id(&ben)).await;
    void(&store, id).await.unwrap();
    let by_ben = agent_id(&ben);
    let ended = ArenaNews::Match(id);
    let expected = [ArenaNews::Match(id), ArenaNews::TokenRotated(by_ben), ArenaNews::Withdrawn(by_ben), ended];
    assert_eq!(store.arena_news(head, 100).await.unwrap(), (expected.into(), store.tail().head()));
    // An event that is no news is passed too.
    let (news, reached) = store.arena_news(head, 1).await.unwrap();
    assert_eq!((news, reached), (vec![], head + 1));
    assert_eq!(store.arena_news(reached, 1).await.unwrap(), (vec![ArenaNews::Match(id)], head + 2));
    assert_eq!(store.arena_news(store.tail().head(), 1).await.unwrap(), (vec![], store.tail().head()));
}

#[apply(both)]
async fn the_names_of_hidden_agents_leave_the_seats_and_come_back(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    rename(&store, &ada, "Zebra").await.unwrap();
    let id = play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    let tables = async || database.tables_with("Zebra").await.contains(&"arena_seats".to_owned());
    let logged = async || format!("{:?}", store.match_log(id).await.unwrap()).contains("Zebra");
    assert_eq!(view(&store, id).await.seats[0].agent_name, "Zebra");
    assert_eq!((tables().await, logged().await), (true, true));
    moderate(&store, agent_id(&ada), Action::Hide, &ada).await.unwrap();
    assert_ne!(view(&store, id).await.seats[0].agent_name, "Zebra");
    assert_eq!((tables().await, logged().await), (false, false));
    assert_eq!(store.verify(|_| ()).await.unwrap().differing(), <[&str; 0]>::default());
    // A later match shows the name neither.
    let later = play_short(&store, League::Trivia, Mode::Ranked, &[&ben, &ada]).await;
    assert_eq!((tables().await, view(&store, later).await.seats.len()), (false, 2));
    assert_eq!(store.verify(|_| ()).await.unwrap().differing(), <[&str; 0]>::default());
    moderate(&store, agent_id(&ada), Action::Restore, &ada).await.unwrap();
    assert_eq!((tables().await, logged().await), (true, true));
    assert_eq!(store.verify(|_| ()).await.unwrap().differing(), <[&str; 0]>::default());
}

#[apply(both)]
async fn the_names_of_deleted_agents_leave_the_seats_for_good(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada_owner = owner(&store).await;
    let (ada, ben) = (agent(&store, &ada_owner).await, player(&store).await);
    rename(&store, &ada, "Zebra").await.unwrap();
    let finished = play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    let begun = begin(&store, &[&ada, &ben], Channel::Push).await;
    depart(&store, &ada_owner).await.unwrap();
    assert!(!database.tables_with("Zebra").await.contains(&"arena_seats".to_owned()));
    for id in [finished, begun] {
        let view = view(&store, id).await;
        assert_eq!(view.seats[0].agent_id, agent_id(&ada));
        assert!(!format!("{view:?} {:?}", store.match_log(id).await.unwrap()).contains("Zebra"));
    }
    assert_eq!(store.verify(|_| ()).await.unwrap().differing(), <[&str; 0]>::default());
    // The match goes on, and its result shows no name.
    void(&store, begun).await.unwrap();
    assert_eq!(store.verify(|_| ()).await.unwrap().differing(), <[&str; 0]>::default());
}

/// Batches of steps, each with the number that selects its agents.
fn batches() -> impl Strategy<Value = Vec<Vec<(u8, u8)>>> {
    vec(vec((any::<u8>(), any::<u8>()), 1..8), 1..20)
}

async fn agree_after(kind: Kind, batches: Vec<Vec<(u8, u8)>>) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let agents: [Actor; 3] = players(&store).await;
    play_short(&store, League::Trivia, Mode::Ranked, &[&agents[0], &agents[1]]).await;
    for batch in batches {
        database.clock.advance(Duration::from_secs(3));
        join_all(batch.into_iter().map(|step| try_one(&store, &agents, step))).await;
    }
    let verified = store.verify(|_| ()).await.unwrap();
    assert_eq!(verified.live, verified.rebuilt);
    assert_eq!(store.rebuild(|_| ()).await.unwrap(), verified.live);
    for size in [1, 7] {
        assert_eq!(store.rebuild_in_steps(size, |_| ()).await.unwrap(), verified.live, "in steps of {size}");
    }
    // The states of the cache are those of the log.
    let filter = MatchFilter { limit: 100, ..MatchFilter::default() };
    for found in store.arena_matches(&filter).await.unwrap() {
        let state = store.arena_state(found.id).await.unwrap();
        assert_eq!(found.phase, state.phase.as_str());
        assert!(found.seats.iter().map(|seat| seat.total).eq(state.totals.iter().map(|total| i64::from(*total))));
        let waiting = state.open.as_ref().map_or(0, |open| open.settled.iter().filter(|seat| seat.is_none()).count());
        assert_eq!(usize::try_from(found.waiting).unwrap(), waiting);
    }
}

#[apply(both)]
async fn live_and_rebuilt_tables_agree_for_random_matches(#[case] kind: Kind) {
    tokio::task::spawn_blocking(move || {
        let runtime = Handle::current();
        let cases = if matches!(kind, Kind::Sqlite) { 16 } else { 6 };
        let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
        runner
            .run(&batches(), |batches| {
                runtime.block_on(agree_after(kind, batches));
                Ok(())
            })
            .unwrap();
    })
    .await
    .unwrap();
}

#[apply(both)]
async fn a_match_that_ends_after_an_agents_name_was_erased_brings_no_name_back(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada_owner = owner(&store).await;
    let (ada, ben) = (agent(&store, &ada_owner).await, player(&store).await);
    rename(&store, &ada, "Zebra").await.unwrap();
    let seats = seats(&store, &[&ada, &ben], Channel::Push).await;
    let id = begin_short(&store, League::Trivia, Mode::Ranked, seats).await;
    answer(&store, id, &ada).await.unwrap();
    answer(&store, id, &ben).await.unwrap();
    moderate(&store, agent_id(&ada), Action::Erase, &ada).await.unwrap();
    store.erase(ada_owner.id, agent_id(&ada).into()).await.unwrap();
    // The row of the agent itself keeps its texts; readers see them masked.
    assert_eq!(database.tables_with("Zebra").await, ["agents"]);
    assert!(close(&store, id, |_| 700).await.unwrap());
    assert_eq!(database.tables_with("Zebra").await, ["agents"]);
}

#[apply(both)]
async fn a_match_that_ends_after_an_agents_account_was_deleted_brings_no_name_back(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada_owner = owner(&store).await;
    let (ada, ben) = (agent(&store, &ada_owner).await, player(&store).await);
    rename(&store, &ada, "Zebra").await.unwrap();
    let seats = seats(&store, &[&ada, &ben], Channel::Push).await;
    let id = begin_short(&store, League::Trivia, Mode::Ranked, seats).await;
    answer(&store, id, &ada).await.unwrap();
    answer(&store, id, &ben).await.unwrap();
    depart(&store, &ada_owner).await.unwrap();
    assert!(close(&store, id, |_| 700).await.unwrap());
    // The name remains in the log until the worker has erased it, and no reader sees it.
    assert_eq!(database.tables_with("Zebra").await, ["events"]);
    let public = format!("{:?}", store.public_log(0, 1000).await.unwrap());
    assert!(public.contains("result_recorded") && !public.contains("Zebra"), "{public}");
    assert_eq!(store.verify(|_| ()).await.unwrap().differing(), <[&str; 0]>::default());
}
