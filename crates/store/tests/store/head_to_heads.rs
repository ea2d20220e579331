//! Head-to-head tests: their lists, what the worker has to do, and equality of live and rebuilt tables.

use std::time::Duration;

use buildtrack_domain::{
    arena::{
        head_to_head::{
            BeginNext, Cancel, CountMatch, Counted, Counts, HeadToHead, HeadToHeadError, HeadToHeadEvent, Start,
            Started, Verdict,
        },
        matches::{Channel, Mode, Seat},
        tasks::League,
    },
    decide::Command,
    ids::{AgentId, HeadToHeadId, MatchId, OwnerId},
};
use buildtrack_store::{HeadToHeadMatchView, NewMatch, Obstacle, Store, StoreError, verification};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, agent_id, new_actor, owner, owner_id},
    database::{Kind, TestDatabase},
};

async fn start(store: &Store, owner_id: OwnerId, [first, second]: [AgentId; 2]) -> HeadToHeadId {
    let started = started(store, owner_id, [first, second]);
    let id = started.head_to_head_id;
    let begun = store.log().transact::<(), StoreError>(None, async |unit| {
        unit.begin(id, Start(started.clone()).decide(()).unwrap());
        Ok(())
    });
    begun.await.unwrap();
    id
}

pub(crate) fn started(store: &Store, owner_id: OwnerId, [first, second]: [AgentId; 2]) -> Started {
    Started {
        head_to_head_id: HeadToHeadId::new(store.log().clock().uuid()),
        owner_id,
        league: League::Trivia,
        first,
        second,
        elo0: 0,
        elo1: 30,
        alpha: 500,
        beta: 500,
        max_matches: 2,
    }
}

async fn decide(
    store: &Store,
    id: HeadToHeadId,
    decide: impl Fn(&HeadToHead) -> Result<Vec<HeadToHeadEvent>, HeadToHeadError>,
) {
    let decided = store.log().transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<HeadToHead>(id).await?;
        unit.append(id, &state, decide(&state.state).unwrap());
        Ok(())
    });
    decided.await.unwrap();
}

/// Begins the next match, as the worker does.
async fn begin(store: &Store, id: HeadToHeadId, owner_id: OwnerId, agents: [AgentId; 2]) -> MatchId {
    let seats = agents.map(|agent_id| Seat {
        agent: buildtrack_domain::actors::Actor {
            id: agent_id.into(),
            name: "Wren".into(),
            kind: buildtrack_domain::actors::ActorKind::AiAgent,
            model: None,
        },
        agent_id,
        owner_id,
        channel: Channel::Push,
    });
    let new =
        NewMatch { league: League::Trivia, mode: Mode::HeadToHead, challenger_id: Some(owner_id), seats: seats.into() };
    let planned = new.plan(store.arena()).unwrap();
    let match_id = planned.created.match_id;
    let begun = store.log().transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<HeadToHead>(id).await?;
        planned.write(unit);
        unit.append(id, &state, BeginNext { match_id }.decide(&state.state).unwrap());
        Ok(())
    });
    begun.await.unwrap();
    match_id
}

/// A test that was played to its end, and one that was cancelled in a match.
pub(crate) async fn story(store: &Store) {
    let agents = [agent_id(&new_actor(store)), agent_id(&new_actor(store))];
    let owner_id = OwnerId::new(store.log().clock().uuid());
    let played = start(store, owner_id, agents).await;
    for result in [Counted::Void, Counted::Drew, Counted::Won] {
        let match_id = begin(store, played, owner_id, agents).await;
        decide(store, played, |state| CountMatch { match_id, result }.decide(state)).await;
    }
    let cancelled = start(store, owner_id, agents).await;
    begin(store, cancelled, owner_id, agents).await;
    decide(store, cancelled, |state| Cancel { head_to_head_id: cancelled, owner_id }.decide(state)).await;
}

#[apply(both)]
async fn a_test_is_listed_for_its_owner_with_its_matches(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let agents = [agent_id(&new_actor(&store)), agent_id(&new_actor(&store))];
    let (ada, grace) = (OwnerId::new(store.log().clock().uuid()), OwnerId::new(store.log().clock().uuid()));
    let id = start(&store, ada, agents).await;
    // Ids of the same millisecond have a random order.
    database.clock.advance(Duration::from_millis(1));
    let other = start(&store, grace, agents).await;
    let to_do = async || -> Vec<_> {
        store.arena().head_to_heads_to_do(None, 10).await.unwrap().into_iter().map(|work| work.id).collect()
    };
    assert_eq!(to_do().await, [id, other]);
    assert_eq!(store.arena().head_to_heads_to_do(Some(id), 10).await.unwrap()[0].id, other);
    let match_id = begin(&store, id, ada, agents).await;
    // The match is played.
    assert_eq!(to_do().await, [other]);
    assert_eq!(store.arena().head_to_head(id).await.unwrap().unwrap().match_id, Some(match_id.to_string()));
    decide(&store, id, |state| CountMatch { match_id, result: Counted::Lost }.decide(state)).await;
    assert_eq!(to_do().await, [id, other]);
    let voided = begin(&store, id, ada, agents).await;
    decide(&store, id, |state| CountMatch { match_id: voided, result: Counted::Void }.decide(state)).await;
    let view = store.arena().head_to_head(id).await.unwrap().unwrap();
    let counts = Counts { lost: 1, ..Counts::default() };
    assert_eq!((view.counts, view.voided, view.match_id, view.verdict), (counts, 1, None, None));
    let found = |match_id: MatchId, result: &str| HeadToHeadMatchView {
        match_id: match_id.to_string(),
        result: Some(result.into()),
    };
    let matches = store.arena().head_to_head_matches(id, 10).await.unwrap();
    assert_eq!(matches, [found(voided, "void"), found(match_id, "lost")]);
    assert_eq!(store.arena().head_to_heads(ada, None, 10).await.unwrap().len(), 1);
    decide(&store, id, |state| Cancel { head_to_head_id: id, owner_id: ada }.decide(state)).await;
    let view = store.arena().head_to_head(id).await.unwrap().unwrap();
    assert!(view.verdict == Some(Verdict::Cancelled) && view.ended_at.is_some());
    assert_eq!(to_do().await, [other]);
    assert_eq!(store.arena().head_to_head(HeadToHeadId::new(store.log().clock().uuid())).await.unwrap(), None);
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}

#[apply(both)]
async fn the_next_match_waits_for_the_agents_and_the_league(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let agents = [agent_id(&agent(&store, &ada).await), agent_id(&agent(&store, &ada).await)];
    let obstacle = async |store: &Store| {
        store.arena().head_to_head_seats((owner_id(&ada), League::Trivia), agents, None).await.unwrap().err()
    };
    assert_eq!(obstacle(&store).await, Some(Obstacle::LeagueClosed));
    let opened = buildtrack_store::ArenaChange::LeaguesOpened { leagues: vec![League::Trivia] };
    store.log().write_side(vec![opened]).await.unwrap();
    assert_eq!(obstacle(&store).await, Some(Obstacle::AgentNotEnrolled));
}
