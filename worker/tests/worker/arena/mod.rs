//! The arena: rounds that endpoints get, matches that the worker makes and plays, and health checks. Most tests fix the clock, so that
//! no deadline passes before the test moves it.

mod conformance;
mod health;
mod making;
mod panels;
mod rounds;
mod series;

use std::{collections::BTreeSet, time::Duration};

use buildtrack_domain::{
    arena::{
        enrolment::{Enrolled, Enrolment, EnrolmentEvent, EnrolmentStream, Withdraw},
        matches::{Channel, MatchEvent, Mode},
        tasks::League,
    },
    decide::Command,
    ids::{MatchId, OwnerId},
};
use buildtrack_store::{ArenaChange, EndpointState, MatchFilter, MatchView, NewConnection, NewMatch, Store};

use crate::{
    cast::{Member, agent_of, commit, owner},
    process::eventually,
    receiver::{Reaction, Received, Receiver},
};

/// The server that holds the sockets of these tests.
const SERVER: &str = "one";

/// An answer to a round and to a health check.
fn answers(body: &str) -> Reaction {
    Reaction::Responds(200, "Content-Type: application/json\r\n", body.to_owned())
}

/// A good endpoint.
fn good() -> Reaction {
    answers(r#"{"status":"ok","answer":"42","confidence":0.5,"reasoning":"because"}"#)
}

/// The rounds among the requests that an endpoint got so far.
fn rounds(endpoint: &mut Receiver) -> Vec<Received> {
    let mut requests = endpoint.rest();
    requests.retain(|request| request.request_line == "POST /agora HTTP/1.1");
    requests
}

/// What an agent is enrolled for.
struct Terms {
    leagues: BTreeSet<League>,
    judges: BTreeSet<League>,
    /// Whether its endpoint was well at its last check, and is not checked for a day. Otherwise it is due for its first check.
    is_well: bool,
}

impl Terms {
    fn trivia(is_well: bool) -> Self {
        Self { leagues: [League::Trivia].into(), judges: BTreeSet::new(), is_well }
    }
}

async fn enrol(store: &Store, member: &Member, endpoint_url: String, Terms { leagues, judges, is_well }: Terms) {
    let Member { agent_id, owner_id, .. } = *member;
    let check_at = store.log().clock().after(Duration::from_hours(24));
    let state = Box::new(EndpointState { is_healthy: true, check_at, ..EndpointState::default() });
    let checked = ArenaChange::EndpointChecked { agent_id, endpoint_url: endpoint_url.clone(), state };
    let endpoint_url = Some(endpoint_url);
    let enrolled = Enrolled { agent_id, owner_id, endpoint_url, leagues, accepts_challenges: true, judges };
    commit(store, Some(&member.actor), async |unit| {
        unit.begin(EnrolmentStream(agent_id), [EnrolmentEvent::from(enrolled.clone())]);
        unit.write_side(ArenaChange::EndpointAdded { agent_id });
        if is_well {
            unit.write_side(checked.clone());
        }
        Ok(())
    })
    .await;
}

/// An agent of a new owner that is enrolled for trivia with an endpoint, which is due for its first check.
async fn enrolled(store: &Store, name: &str, base: String) -> Member {
    let member = agent_of(store, owner(store).await, name).await;
    enrol(store, &member, base, Terms::trivia(false)).await;
    member
}

/// An agent that is enrolled for trivia, and whose endpoint is well.
async fn player(store: &Store, name: &str, endpoint: &Receiver) -> Member {
    player_of(store, owner(store).await, name, endpoint).await
}

/// An agent of this owner as [`player`].
async fn player_of(store: &Store, owner_id: OwnerId, name: &str, endpoint: &Receiver) -> Member {
    let member = agent_of(store, owner_id, name).await;
    enrol(store, &member, endpoint.base(), Terms::trivia(true)).await;
    member
}

/// Ends the enrolment of the agent.
async fn withdraw(store: &Store, member: &Member) {
    let stream = EnrolmentStream(member.agent_id);
    commit(store, Some(&member.actor), async |unit| {
        let state = unit.load::<Enrolment>(stream).await?;
        unit.append(stream, &state, Withdraw { agent_id: member.agent_id }.decide(&state.state).unwrap());
        Ok(())
    })
    .await;
}

/// Opens a socket of the agent, which waits in the queue for trivia.
async fn queue(store: &Store, member: &Member) {
    let Member { agent_id, owner_id, .. } = *member;
    let (connection_id, server_id) = (agent_id.to_string(), SERVER.to_owned());
    let connection =
        NewConnection { agent_id, owner_id, connection_id: connection_id.clone(), server_id, keeps_position: false };
    let seen = ArenaChange::ServerSeen { server_id: SERVER.to_owned(), length: Duration::from_hours(1) };
    let leagues = vec![League::Trivia];
    let queued = ArenaChange::Queued { agent_id, connection_id, leagues };
    store.log().write_side([seen, ArenaChange::Connected(Box::new(connection)), queued]).await.unwrap();
}

/// Begins a ranked match of agents that are reached by their endpoints.
async fn begin(store: &Store, league: League, players: &[&Member]) -> MatchId {
    let mut seats = Vec::new();
    for player in players {
        let contestant = store.arena().contestant(player.agent_id).await.unwrap().expect("the agent is active");
        seats.push(contestant.seat(Channel::Push));
    }
    store.arena().create_match(NewMatch { league, mode: Mode::Ranked, challenger_id: None, seats }).await.unwrap()
}

async fn view(store: &Store, match_id: MatchId) -> MatchView {
    store.arena().match_view(match_id).await.unwrap().expect("the match exists")
}

/// Waits until the match has ended.
async fn ended(store: &Store, match_id: MatchId) -> MatchView {
    eventually(async || Some(view(store, match_id).await).filter(|found| found.phase != "playing")).await
}

async fn matches(store: &Store) -> Vec<MatchView> {
    store.arena().matches(&MatchFilter { limit: 100, ..MatchFilter::default() }).await.unwrap()
}

async fn events(store: &Store, match_id: MatchId) -> Vec<MatchEvent> {
    store.arena().match_log(match_id).await.unwrap().into_iter().map(|logged| logged.event).collect()
}

async fn endpoint(store: &Store, member: &Member) -> EndpointState {
    store.arena().endpoint(member.agent_id).await.unwrap().expect("the agent has an endpoint")
}
