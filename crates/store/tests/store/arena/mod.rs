//! The arena: matches, the ladder, sockets and the queue, endpoints, tokens, and equality of live and rebuilt tables.

mod budgets;
mod conflicts;
mod endpoints;
mod enrolments;
mod history;
mod lists;
mod matches;
mod names;
mod queue;
mod reports;
mod sockets;

use std::{collections::BTreeSet, time::Duration};

use buildtrack_domain::{
    actors::Actor,
    arena::{
        enrolment::{Enrol, Enrolled, Enrolment, EnrolmentStream, Withdraw},
        ladder::{Rating, Standing, StandingStream, results},
        matches::{
            AnswerTurn, Channel, CloseTurn, CreateMatch, Match, MatchCreated, MatchError, MatchEvent, MissReason,
            MissTurn, Mode, Revealed, SealedAnswer, Seat, SeatScore, TurnOpened, VoidMatch, VoidReason,
        },
        tasks::{Bank, League, Reason, Score},
    },
    decide::Command,
    ids::{AgentId, MatchId, OwnerId},
};
use buildtrack_store::{
    ArenaChange, EndpointState, Judging, MatchView, NewConnection, NewMatch, PauseReason, Store, StoreError,
    clock::random, draw_task, open_turn,
};
use chrono::{DateTime, Utc};
use futures_util::future::join_all;

use crate::cast::{agent, agent_id, owner};

pub(crate) use history::{story, try_one};

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

pub(crate) async fn players<const N: usize>(store: &Store) -> [Actor; N] {
    let players = join_all((0..N).map(|_| player(store))).await;
    players.try_into().unwrap()
}

/// The seats of registered agents.
async fn seats(store: &Store, agents: &[&Actor], channel: Channel) -> Vec<Seat> {
    let seats = agents.iter().map(async |agent| {
        let contestant = store.arena().contestant(agent_id(agent)).await.unwrap();
        contestant.expect("the agent is active").seat(channel)
    });
    join_all(seats).await
}

/// A match of ten turns.
pub(crate) async fn begin(store: &Store, agents: &[&Actor], channel: Channel) -> MatchId {
    let seats = seats(store, agents, channel).await;
    store
        .arena()
        .create_match(NewMatch { league: League::Trivia, mode: Mode::Ranked, challenger_id: None, seats })
        .await
        .unwrap()
}

/// A debate between agents that are reached by their endpoints.
pub(crate) async fn begin_debate(store: &Store, agents: [&Actor; 2]) -> MatchId {
    let seats = seats(store, &agents, Channel::Push).await;
    let new = NewMatch { league: League::Debate, mode: Mode::Ranked, challenger_id: None, seats };
    store.arena().create_match(new).await.unwrap()
}

/// A match of one turn, which is due in 30 s.
async fn begin_short(store: &Store, league: League, mode: Mode, seats: Vec<Seat>) -> MatchId {
    let match_id = MatchId::new(store.log().clock().uuid());
    let challenger_id = (mode == Mode::Challenge).then(|| seats[0].owner_id);
    begin_timed(store, MatchCreated { match_id, league, mode, turn_count: 1, challenger_id, seats }, 30).await
}

/// A match whose first turn is due in so many seconds.
async fn begin_timed(store: &Store, created: MatchCreated, seconds: u64) -> MatchId {
    let (match_id, task) = (created.match_id, draw_task(Bank::bundled(), created.league, &[]).unwrap());
    let due_at = store.log().clock().after(Duration::from_secs(seconds));
    let first = TurnOpened { due_at, ..open_turn(match_id, 1, task, store.log().clock().now()) };
    let begun = store.log().transact::<(), Failure>(None, async |unit| {
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
    let answered = store.log().transact::<_, Failure>(Some(agent.id), async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        let turn = state.state.open.as_ref().map_or(1, |open| open.number);
        let (commitment, now) = (answer.commitment(), store.log().clock().now());
        unit.append(match_id, &state, AnswerTurn { agent_id, turn, commitment, now }.decide(&state.state)?);
        unit.write_side(ArenaChange::Sealed { match_id, turn, agent_id, answer: answer.clone() });
        Ok(())
    });
    answered.await.map(drop)
}

/// Records that an agent will not answer the open turn.
async fn miss(store: &Store, match_id: MatchId, agent: &Actor) -> Result<(), Failure> {
    let missed = store.log().transact::<_, Failure>(None, async |unit| {
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
    let closed = store.log().transact::<_, Failure>(None, async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        let Ok((created, open)) = state.state.playing() else { return Ok(()) };
        let now = store.log().clock().now();
        if !open.is_ready(now) {
            return Ok(());
        }
        let turn = open.number;
        let mut answers = vec![];
        for (agent_id, answer) in store.arena().sealed_answers(match_id, turn).await? {
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
    let voided = store.log().transact::<_, Failure>(None, async |unit| {
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
    let done = store.log().transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<Enrolment>(stream).await?;
        unit.append(stream, &state, Enrol(enrolled.clone()).decide(&state.state).unwrap());
        Ok(())
    });
    done.await.unwrap();
}

async fn withdraw(store: &Store, agent_id: AgentId) {
    let stream = EnrolmentStream(agent_id);
    let done = store.log().transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<Enrolment>(stream).await?;
        unit.append(stream, &state, Withdraw { agent_id }.decide(&state.state).unwrap_or_default());
        Ok(())
    });
    done.await.unwrap();
}

pub(crate) async fn view(store: &Store, match_id: MatchId) -> MatchView {
    store.arena().match_view(match_id).await.unwrap().expect("the match exists")
}

async fn due(store: &Store) -> Vec<MatchId> {
    store
        .arena()
        .matches_due(Judging::Texts, None, 10)
        .await
        .unwrap()
        .into_iter()
        .map(|due| due.item.unwrap())
        .collect()
}

pub(crate) async fn write(store: &Store, changes: impl IntoIterator<Item = ArenaChange>) {
    store.log().write_side(changes.into_iter().collect::<Vec<_>>()).await.unwrap();
}

async fn connect(store: &Store, agent: &Actor, connection: &str, server: &str) {
    let (connection_id, server_id) = (connection.to_owned(), server.to_owned());
    let owner_id = OwnerId::new(store.log().clock().uuid());
    let connection =
        NewConnection { agent_id: agent_id(agent), owner_id, connection_id, server_id, keeps_position: false };
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
    store.arena().queued_agents(None, 10).await.unwrap().iter().map(|queued| queued.agent_id).collect()
}

pub(crate) fn healthy(store: &Store) -> EndpointState {
    EndpointState {
        is_healthy: true,
        latency_ms: Some(20),
        max_concurrent: Some(3),
        checked_at: Some(store.log().clock().now()),
        check_at: store.log().clock().after(Duration::from_secs(30)),
        ..EndpointState::default()
    }
}

async fn address_of(store: &Store, agent_id: AgentId) -> String {
    let enrolment = store.arena().enrolment(agent_id).await.unwrap();
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
