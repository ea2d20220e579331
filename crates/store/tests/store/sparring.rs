//! Matches with the sparring bot, as tables show them.

use std::time::Duration;

use buildtrack_domain::{
    arena::{
        matches::{Channel, MatchError, Mode, VoidMatch, VoidReason},
        sparring::{SPARRING_AGENT, sparring_seat},
        tasks::League,
    },
    decide::Command,
    ids::MatchId,
};
use buildtrack_store::{NewMatch, NewMatchError, Store, StoreError, verification};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, agent_id, owner},
    database::{Kind, TestDatabase, noon},
};

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Match(#[from] MatchError),
}

async fn end(store: &Store, match_id: MatchId) {
    let ended = store.log().transact::<(), Failure>(None, async |unit| {
        let state = unit.load::<buildtrack_domain::arena::matches::Match>(match_id).await?;
        let (reason, evidence) = (VoidReason::Operator, "a test".to_owned());
        let events = VoidMatch { reason, evidence }.decide(&state.state)?;
        unit.append(match_id, &state, events);
        Ok(())
    });
    ended.await.unwrap();
}

#[apply(both)]
async fn the_bots_turns_wait_until_their_match_ends(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let player = agent(&store, &owner(&store).await).await;
    let contestant = store.arena().contestant(agent_id(&player)).await.unwrap().unwrap();
    let seats = vec![contestant.seat(Channel::Socket), sparring_seat()];
    let new = NewMatch { league: League::Trivia, mode: Mode::Sparring, challenger_id: None, seats };
    let ranked = store.arena().create_match(NewMatch { mode: Mode::Ranked, ..new.clone() }).await;
    assert!(matches!(ranked, Err(NewMatchError::Match(MatchError::Sparring))));
    assert_eq!(store.arena().sparring_turns(0, 10).await.unwrap(), []);
    let match_id = store.arena().create_match(new).await.unwrap();
    assert_eq!(
        store.arena().sparring_turns(0, 10).await.unwrap().iter().map(|turn| turn.1).collect::<Vec<_>>(),
        [match_id]
    );
    assert_eq!(store.arena().open_rounds(10).await.unwrap(), []);
    // It counts among the matches of the day and of the owner, not among the agent's ranked ones.
    let id = agent_id(&player);
    assert_eq!(
        (store.arena().matches_today().await.unwrap(), store.arena().matches_since(id, noon(), 9).await.unwrap()),
        (1, 0)
    );
    assert_eq!(store.arena().owner_matches_since(contestant.owner_id, noon(), 9).await.unwrap(), 1);
    assert_eq!(store.arena().contestant(SPARRING_AGENT).await.unwrap(), None);
    end(&store, match_id).await;
    assert_eq!(store.arena().sparring_turns(0, 10).await.unwrap(), []);
    database.clock.advance(Duration::from_mins(1));
    assert!(store.arena().has_sparred_since(id, noon() - chrono::TimeDelta::seconds(1)).await.unwrap());
    assert!(!store.arena().has_sparred_since(id, noon() + chrono::TimeDelta::seconds(1)).await.unwrap());
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}
