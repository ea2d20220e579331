//! Steps of the matchmaker. What it reads is tested with the store, on both databases.

use std::{collections::BTreeSet, net::TcpListener, time::Duration};

use buildtrack_domain::{
    arena::{
        enrolment::{Enrolled, EnrolmentEvent, EnrolmentStream},
        matches::{Match, Mode, VoidMatch, VoidReason},
    },
    decide::Command,
    identity::{AgentEvent, AgentProfile, AgentRegistered, OwnerEvent, OwnerRegistered},
};
use buildtrack_store::{
    Database, EndpointState, MatchFilter, MatchView, NewConnection, NewMatch, Secret, Settings, clock::Clock,
};
use tempfile::TempDir;

use super::*;
use crate::outbound::Client;

/// A matchmaker on an empty database, which this folder holds.
async fn matchmaker(limits: &str) -> (TempDir, Matchmaker) {
    let folder = TempDir::new().unwrap();
    let database = Database::Sqlite(folder.path().join("buildtrack.sqlite"));
    let secret = Secret::new(&Secret::generate()).unwrap();
    let clock = Clock::fixed("2026-03-01T12:00:00Z".parse().unwrap());
    let store = Store::open(Settings { database, secret, clock }).await.unwrap();
    let (server_id, length) = ("one".to_owned(), Duration::from_hours(1));
    let begun =
        [ArenaChange::LeaguesOpened { leagues: vec![League::Trivia] }, ArenaChange::ServerSeen { server_id, length }];
    store.log().write_side(begun).await.unwrap();
    let checker = Checker::new(store.clone(), Client::new(true).unwrap(), "https://build.example".to_owned());
    (folder, Matchmaker::new(store, checker, limits.parse().unwrap(), CostGuardMode::Enforce))
}

async fn owner(store: &Store) -> OwnerId {
    let owner_id = OwnerId::new(store.log().clock().uuid());
    let registered = OwnerRegistered { owner_id, display_name: "Ada".to_owned() };
    let done = store.log().transact::<(), StoreError>(None, async |unit| {
        unit.begin(owner_id, [OwnerEvent::from(registered.clone())]);
        Ok(())
    });
    done.await.unwrap();
    owner_id
}

async fn agent(store: &Store, owner_id: OwnerId) -> AgentId {
    let agent_id = AgentId::new(store.log().clock().uuid());
    let profile = AgentProfile { name: "Scout".to_owned(), model: "gpt-5.2".to_owned(), ..AgentProfile::default() };
    let registered = AgentRegistered { agent_id, owner_id, profile };
    let done = store.log().transact::<(), StoreError>(None, async |unit| {
        unit.begin(agent_id, [AgentEvent::from(registered.clone())]);
        Ok(())
    });
    done.await.unwrap();
    agent_id
}

/// Puts an agent into the queue over a socket.
async fn join(store: &Store, (agent_id, owner_id): (AgentId, OwnerId)) {
    let (connection_id, server_id) = (agent_id.to_string(), "one".to_owned());
    let connection =
        NewConnection { agent_id, owner_id, connection_id: connection_id.clone(), server_id, keeps_position: false };
    let joined = [
        ArenaChange::Connected(Box::new(connection)),
        ArenaChange::Queued { agent_id, connection_id, leagues: vec![League::Trivia] },
    ];
    store.log().write_side(joined).await.unwrap();
}

/// An agent of this owner that waits in the queue.
async fn queued(store: &Store, owner_id: OwnerId) -> AgentId {
    let agent_id = agent(store, owner_id).await;
    join(store, (agent_id, owner_id)).await;
    agent_id
}

/// An agent of a new owner with an endpoint that was well.
pub(in crate::arena) async fn reachable(store: &Store, url: &str) -> AgentId {
    let owner_id = owner(store).await;
    let agent_id = agent(store, owner_id).await;
    let enrolled = Enrolled {
        agent_id,
        owner_id,
        endpoint_url: Some(url.to_owned()),
        leagues: BTreeSet::from([League::Trivia]),
        accepts_challenges: true,
        judges: BTreeSet::new(),
    };
    let check_at = store.log().clock().after(Duration::from_secs(30));
    let state = Box::new(EndpointState { is_healthy: true, check_at, ..EndpointState::default() });
    let done = store.log().transact::<(), StoreError>(None, async |unit| {
        unit.begin(EnrolmentStream(agent_id), [EnrolmentEvent::from(enrolled.clone())]);
        unit.write_side(ArenaChange::EndpointAdded { agent_id });
        Ok(())
    });
    done.await.unwrap();
    let endpoint_url = url.to_owned();
    store.log().write_side([ArenaChange::EndpointChecked { agent_id, endpoint_url, state }]).await.unwrap();
    agent_id
}

/// The matches so far, newest first.
async fn matches(store: &Store) -> Vec<MatchView> {
    store.arena().matches(&MatchFilter { limit: 100, ..MatchFilter::default() }).await.unwrap()
}

fn players(found: &MatchView) -> BTreeSet<AgentId> {
    found.seats.iter().map(|seat| seat.agent_id).collect()
}

async fn void(store: &Store, found: &MatchView) {
    let voided = store.log().transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<Match>(found.id).await?;
        let void = VoidMatch { reason: VoidReason::Operator, evidence: "a test".to_owned() };
        unit.append(found.id, &state, void.decide(&state.state).unwrap());
        Ok(())
    });
    voided.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_agents_of_the_queue_are_paired_in_one_step_while_endpoints_are_checked() {
    let (_folder, mut matchmaker) = matchmaker("").await;
    let store = matchmaker.store.clone();
    // It takes connections, and never answers.
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    for _ in 0..2 {
        reachable(&store, &url).await;
    }
    for _ in 0..IDLE_EVERY {
        matchmaker.pair().await.unwrap();
    }
    assert!(!matchmaker.checks.is_empty(), "the step did not wait for the checks");
    let mut agents = BTreeSet::new();
    for _ in 0..2 {
        agents.insert(queued(&store, owner(&store).await).await);
    }
    matchmaker.pair().await.unwrap();
    let [only] = &matches(&store).await[..] else { panic!("not one match") };
    assert_eq!(players(only), agents);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_of_two_owners_meet_as_often_as_the_limit_of_a_day() {
    let (_folder, mut matchmaker) = matchmaker("pair_matches=1").await;
    let store = matchmaker.store.clone();
    let [ada, ben, cleo] = [owner(&store).await, owner(&store).await, owner(&store).await];
    queued(&store, ada).await;
    queued(&store, ben).await;
    matchmaker.pair().await.unwrap();
    assert_eq!(matches(&store).await.len(), 1);
    // Other agents of the same two owners.
    let siblings = BTreeSet::from([queued(&store, ada).await, queued(&store, ben).await]);
    matchmaker.pair().await.unwrap();
    assert_eq!(matches(&store).await.len(), 1);
    let third = queued(&store, cleo).await;
    matchmaker.pair().await.unwrap();
    let found = matches(&store).await;
    assert_eq!(found.len(), 2);
    let met = players(&found[0]);
    assert!(met.contains(&third) && !met.is_disjoint(&siblings), "{met:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trivia_for_many_leaves_out_owners_that_have_met_as_often_as_the_limit_of_a_day() {
    let (_folder, mut matchmaker) = matchmaker("pair_matches=1").await;
    let store = matchmaker.store.clone();
    let mut idle = Vec::new();
    for _ in 0..4 {
        let agent_id = reachable(&store, "https://agent.example").await;
        let contestant = store.arena().contestant(agent_id).await.unwrap().unwrap();
        matchmaker.open = vec![League::Trivia];
        idle.push(matchmaker.candidate(contestant, Channel::Push, vec![League::Trivia]).await.unwrap());
    }
    let pair: Vec<_> = idle.iter().take(2).cloned().collect();
    matchmaker.begin(League::Trivia, pair).await.unwrap();
    let (plan, others) = matchmaker.plan_trivia(idle.clone()).await.unwrap();
    assert_eq!((plan.map(|plan| plan.players.len()), others.len()), (Some(3), 1));
    assert_eq!(others[0].agent_id, idle[1].agent_id);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ranked_seats_alternate_between_two_agents() {
    let (_folder, mut matchmaker) = matchmaker("").await;
    let store = matchmaker.store.clone();
    let (ada, ben) = (owner(&store).await, owner(&store).await);
    let (first, second) = (agent(&store, ada).await, agent(&store, ben).await);
    let mut begun = Vec::new();
    for _ in 0..4 {
        join(&store, (first, ada)).await;
        join(&store, (second, ben)).await;
        matchmaker.pair().await.unwrap();
        let found = matches(&store).await;
        begun.push(found[0].seats[0].agent_id);
        void(&store, &found[0]).await;
    }
    assert_eq!(begun.iter().collect::<BTreeSet<_>>().len(), 2);
    assert!(begun.windows(2).all(|pair| pair[0] != pair[1]), "{begun:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_keeps_its_position_in_the_queue_while_it_plays_the_bot() {
    let (_folder, mut matchmaker) = matchmaker("").await;
    let store = matchmaker.store.clone();
    let lonely = queued(&store, owner(&store).await).await;
    store.log().clock().advance(Duration::from_secs(6));
    for _ in 0..IDLE_EVERY {
        matchmaker.pair().await.unwrap();
    }
    let [sparring] = &matches(&store).await[..] else { panic!("not one match") };
    assert_eq!((sparring.mode.as_str(), store.arena().is_queued(lonely).await.unwrap()), ("sparring", true));
    let other = queued(&store, owner(&store).await).await;
    for _ in 0..UNPAIRED_EVERY {
        matchmaker.pair().await.unwrap();
    }
    assert_eq!(matches(&store).await.len(), 1, "it plays one match at a time");
    void(&store, sparring).await;
    for _ in 0..UNPAIRED_EVERY {
        matchmaker.pair().await.unwrap();
    }
    let found = matches(&store).await;
    assert_eq!((found.len(), players(&found[0])), (2, BTreeSet::from([lonely, other])));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_endpoints_are_searched_for_from_time_to_time_or_for_an_agent_that_waits_alone() {
    let (_folder, mut matchmaker) = matchmaker("").await;
    let store = matchmaker.store.clone();
    for _ in 0..2 {
        reachable(&store, "http://127.0.0.1:1").await;
    }
    queued(&store, owner(&store).await).await;
    for poll in 1..IDLE_EVERY {
        matchmaker.pair().await.unwrap();
        assert!(matchmaker.checks.is_empty(), "poll {poll}");
    }
    matchmaker.pair().await.unwrap();
    assert!(!matchmaker.checks.is_empty());
    while matchmaker.checks.join_next().await.is_some() {}
    for _ in 0..2 {
        reachable(&store, "http://127.0.0.1:1").await;
    }
    store.log().clock().advance(Duration::from_secs(2));
    for _ in 0..UNPAIRED_EVERY {
        matchmaker.pair().await.unwrap();
    }
    assert!(!matchmaker.checks.is_empty(), "the agent has waited for two seconds");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_whose_challenger_stays_silent_is_paired_in_its_old_position() {
    let (_folder, mut matchmaker) = matchmaker("").await;
    let store = matchmaker.store.clone();
    let (first, stranger) = (queued(&store, owner(&store).await).await, owner(&store).await);
    let silent = agent(&store, stranger).await;
    let mut seats = Vec::new();
    for agent_id in [silent, first] {
        seats.push(store.arena().contestant(agent_id).await.unwrap().unwrap().seat(Channel::Socket));
    }
    let (mode, challenger_id) = (Mode::Challenge, Some(stranger));
    let challenge = NewMatch { league: League::Trivia, mode, challenger_id, seats };
    let challenge = store.arena().create_match(challenge).await.unwrap();
    store.log().clock().advance(Duration::from_secs(1));
    let second = queued(&store, owner(&store).await).await;
    matchmaker.pair().await.unwrap();
    assert_eq!(matches(&store).await.len(), 1, "it plays the challenge");
    let challenge = store.arena().match_view(challenge).await.unwrap().unwrap();
    void(&store, &challenge).await;
    store.log().clock().advance(Duration::from_secs(1));
    queued(&store, owner(&store).await).await;
    for _ in 0..UNPAIRED_EVERY {
        matchmaker.pair().await.unwrap();
    }
    assert_eq!(store.arena().queue_position(first).await.unwrap().0, None);
    // The two that have waited longest.
    assert_eq!(players(&matches(&store).await[0]), BTreeSet::from([first, second]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_of_one_owner_in_one_look_exceed_no_budget() {
    let (_folder, mut matchmaker) = matchmaker("owner_matches=1").await;
    let store = matchmaker.store.clone();
    let ada = owner(&store).await;
    for _ in 0..3 {
        queued(&store, ada).await;
        queued(&store, owner(&store).await).await;
    }
    for _ in 0..UNPAIRED_EVERY {
        matchmaker.pair().await.unwrap();
    }
    let mut charged = 0;
    for seat in matches(&store).await.iter().flat_map(|found| &found.seats) {
        charged += usize::from(store.arena().contestant(seat.agent_id).await.unwrap().unwrap().owner_id == ada);
    }
    assert_eq!(charged, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_endpoints_without_an_opponent_keep_later_ones_from_nothing() {
    let (_folder, mut matchmaker) = matchmaker("").await;
    let store = matchmaker.store.clone();
    reachable(&store, "http://127.0.0.1:1").await;
    let now = store.log().clock().now();
    // A page that is not full is the last one.
    assert_eq!(matchmaker.idle(now).await.unwrap().len(), 1);
    assert_eq!(matchmaker.idle_after, None);
    matchmaker.idle_after = Some((i64::MAX, AgentId::new(uuid::Uuid::nil())));
    assert_eq!(matchmaker.idle(now).await.unwrap().len(), 0);
    assert_eq!(matchmaker.idle(now).await.unwrap().len(), 1, "then it begins at the front");
}
