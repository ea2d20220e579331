//! The budgets of matches, and the agents that must be free for them, under matches that begin at the same moment.

use buildtrack_domain::{
    actors::Actor,
    arena::{
        matches::{Channel, Mode},
        tasks::League,
    },
    ids::{MatchId, OwnerId},
};
use buildtrack_store::{MatchBudget, MatchRefusal, NewMatch, NewMatchError, Store, StoreError};
use futures_util::future::join_all;
use rstest_reuse::apply;

use super::{begin, player, players, seats, void};
use crate::{
    both,
    cast::agent_id,
    database::{Kind, TestDatabase},
};

const LARGE: MatchBudget = MatchBudget { matches: 1000, owner_matches: 1000, agent_matches: 1000 };

async fn planned(store: &Store, mode: Mode, challenger_id: Option<OwnerId>, agents: [&Actor; 2]) -> NewMatch {
    let seats = seats(store, &agents, Channel::Socket).await;
    NewMatch { league: League::Trivia, mode, challenger_id, seats }
}

/// Begins these matches at the same moment, and returns how many began.
async fn begin_at_once(store: &Store, matches: Vec<NewMatch>, budget: MatchBudget) -> usize {
    let begun = join_all(matches.into_iter().map(|new| store.arena().create_match_within(new, Some(budget)))).await;
    let has_begun = |begun: &Result<Result<MatchId, MatchRefusal>, NewMatchError>| match begun {
        Ok(begun) => begun.is_ok(),
        Err(NewMatchError::Store(StoreError::Conflict { .. })) => false,
        Err(error) => panic!("{error}"),
    };
    begun.iter().filter(|begun| has_begun(begun)).count()
}

#[apply(both)]
async fn matches_that_begin_at_once_exceed_no_budget_of_an_owner(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let third = OwnerId::new(store.log().clock().uuid());
    let mut matches = Vec::new();
    for _ in 0..6 {
        let [ada, ben] = players(&store).await;
        matches.push(planned(&store, Mode::Challenge, Some(third), [&ada, &ben]).await);
    }
    // Both seats count.
    assert_eq!(begin_at_once(&store, matches, MatchBudget { owner_matches: 5, ..LARGE }).await, 2);
}

#[apply(both)]
async fn matches_that_begin_at_once_exceed_no_budget_of_the_day(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let mut matches = Vec::new();
    for _ in 0..6 {
        let [ada, ben] = players(&store).await;
        matches.push(planned(&store, Mode::Ranked, None, [&ada, &ben]).await);
    }
    assert_eq!(begin_at_once(&store, matches, MatchBudget { matches: 3, ..LARGE }).await, 3);
    assert_eq!(store.arena().matches_today().await.unwrap(), 3);
}

#[apply(both)]
async fn owners_that_challenge_an_agent_at_once_get_one_match(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let victim = player(&store).await;
    let mut matches = Vec::new();
    for _ in 0..6 {
        let other = player(&store).await;
        let challenger_id = seats(&store, &[&other], Channel::Socket).await[0].owner_id;
        matches.push(planned(&store, Mode::Challenge, Some(challenger_id), [&other, &victim]).await);
    }
    assert_eq!(begin_at_once(&store, matches, LARGE).await, 1);
}

#[apply(both)]
async fn a_ranked_match_needs_agents_that_are_free_and_have_matches_left(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = players(&store).await;
    let begin_ranked = async |agents, budget| {
        let new = planned(&store, Mode::Ranked, None, agents).await;
        store.arena().create_match_within(new, budget).await.unwrap().map(drop)
    };
    let first = begin(&store, &[&ada, &ben], Channel::Socket).await;
    let busy = Err(MatchRefusal::Busy(agent_id(&ada)));
    assert_eq!(begin_ranked([&ada, &cleo], None).await, busy);
    void(&store, first).await.unwrap();
    let one_each = Some(MatchBudget { agent_matches: 1, ..LARGE });
    assert_eq!(begin_ranked([&ada, &cleo], one_each).await, Err(MatchRefusal::OfAgent(agent_id(&ada))));
    assert_eq!(begin_ranked([&ada, &cleo], None).await, Ok(()));
}
