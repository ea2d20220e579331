//! Histories of matches, and equality of live and rebuilt tables.

use std::time::Duration;

use buildtrack_domain::{
    actors::Actor,
    arena::{
        enrolment::{Enrol, Enrolment, EnrolmentStream, Withdraw},
        matches::{Channel, Mode},
        tasks::League,
    },
    decide::Command,
    ids::OwnerId,
};
use buildtrack_store::{MatchFilter, NewMatch, NewMatchError, Store, StoreError, verification};
use futures_util::future::join_all;
use proptest::{
    collection::vec,
    prelude::{Strategy, any},
    test_runner::{Config, TestRunner},
};
use rstest_reuse::apply;
use tokio::runtime::Handle;

use super::{Failure, answer, begin_short, close, enrol, enrolled, miss, play_short, players, seat_of, void};
use crate::{
    both,
    cast::{agent_id, new_actor},
    database::{Kind, TestDatabase},
};

/// An agent that is enrolled, a match that is finished, and one that is void.
pub(crate) async fn story(store: &Store) {
    let [ada, ben] = [new_actor(store), new_actor(store)];
    let pair = || -> Vec<_> {
        [&ada, &ben].map(|agent| seat_of(agent, OwnerId::new(store.log().clock().uuid()), Channel::Push)).into()
    };
    enrol(store, enrolled(&ada, OwnerId::new(store.log().clock().uuid()), Some("https://ada.example"))).await;
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
    let playing = store.arena().matches_of(agent_id(agent)).await.unwrap();
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
    let Some(contestant) = store.arena().contestant(agent_id(agent)).await.unwrap() else { return };
    let url = format!("https://agent{which}.example");
    let enrolled = enrolled(agent, contestant.owner_id, which.is_multiple_of(2).then_some(&*url));
    let stream = EnrolmentStream(enrolled.agent_id);
    let changed = store.log().transact::<(), StoreError>(None, async |unit| {
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
        seats.extend(store.arena().contestant(agent_id(agent)).await?.map(|contestant| contestant.seat(channel)));
    }
    let mode = if which.is_multiple_of(2) { Mode::Ranked } else { Mode::Challenge };
    if which.is_multiple_of(4) && seats.len() == 2 && seats[0].agent_id != seats[1].agent_id {
        begin_short(store, League::Structured, Mode::Challenge, seats).await;
        return Ok(());
    }
    let challenger_id = (mode == Mode::Challenge).then(|| OwnerId::new(store.log().clock().uuid()));
    match store
        .arena()
        .create_match(NewMatch { league: League::ALL[usize::from(which) % 3], mode, challenger_id, seats })
        .await
    {
        Ok(_) | Err(NewMatchError::Match(_)) => Ok(()),
        Err(NewMatchError::Store(error)) => Err(error.into()),
        Err(NewMatchError::NoTask) => panic!("every league has tasks"),
    }
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
    let verified = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!(verified.live, verified.rebuilt);
    assert_eq!(verification::rebuild(store.log(), |_| ()).await.unwrap(), verified.live);
    for size in [1, 7] {
        assert_eq!(
            verification::rebuild_in_steps(store.log(), size, |_| ()).await.unwrap(),
            verified.live,
            "in steps of {size}"
        );
    }
    // The states of the cache are those of the log.
    let filter = MatchFilter { limit: 100, ..MatchFilter::default() };
    for found in store.arena().matches(&filter).await.unwrap() {
        let state = store.arena().match_state(found.id).await.unwrap();
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
