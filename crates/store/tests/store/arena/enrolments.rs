//! Enrolments, tokens, leagues and news.

use std::{collections::BTreeSet, time::Duration};

use buildtrack_domain::{
    arena::{
        enrolment::{Enrolled, Enrolment, EnrolmentStream, RotateToken},
        matches::Channel,
        tasks::League,
    },
    decide::Command,
    ids::{AgentId, OwnerId},
};
use buildtrack_store::{ArenaAgent, ArenaChange, ArenaNews, Store, StoreError, verification};
use chrono::TimeDelta;
use rstest_reuse::apply;

use super::{answer, begin, enrol, enrolled, players, void, withdraw, write};
use crate::{
    both,
    cast::{agent, agent_id, new_actor, owner, owner_id},
    database::{Kind, TestDatabase, noon},
};

async fn rotate_token(store: &Store, agent_id: AgentId, hash: &str) {
    let stream = EnrolmentStream(agent_id);
    let done = store.log().transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<Enrolment>(stream).await?;
        unit.append(stream, &state, RotateToken { agent_id }.decide(&state.state).unwrap());
        unit.write_side(ArenaChange::Token { agent_id, hash: hash.to_owned() });
        Ok(())
    });
    done.await.unwrap();
}

#[apply(both)]
async fn leagues_are_open_while_a_referee_says_so(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let open = async || store.arena().open_leagues().await.unwrap();
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

#[apply(both)]
async fn an_enrolment_is_replaced_and_ends(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada_owner = owner(&store).await;
    let ada = agent(&store, &ada_owner).await;
    let id = agent_id(&ada);
    assert_eq!(store.arena().enrolment(id).await.unwrap(), None);
    assert_eq!(store.arena().contestant(id).await.unwrap().unwrap().leagues, []);
    enrol(&store, enrolled(&ada, owner_id(&ada_owner), Some("https://ada.example"))).await;
    database.clock.advance(Duration::from_secs(1));
    let changed = Enrolled {
        leagues: BTreeSet::from([League::Python]),
        accepts_challenges: false,
        ..enrolled(&ada, owner_id(&ada_owner), None)
    };
    enrol(&store, changed).await;
    let view = store.arena().enrolment(id).await.unwrap().unwrap();
    assert_eq!((view.endpoint_url, view.leagues, view.accepts_challenges), (None, vec![League::Python], false));
    assert_eq!(view.enrolled_at, noon());
    let contestant = store.arena().contestant(id).await.unwrap().unwrap();
    assert_eq!((contestant.leagues, contestant.accepts_challenges), (vec![League::Python], false));
    assert_eq!(contestant.owner_id, owner_id(&ada_owner));
    withdraw(&store, id).await;
    assert_eq!(store.arena().enrolment(id).await.unwrap(), None);
    // The address stays private: readers of the public log see no enrolment.
    let public = store.log().public_log(0, 100).await.unwrap();
    assert!(!format!("{public:?}").contains("ada.example"));
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}

#[apply(both)]
async fn a_new_arena_token_replaces_the_old_one(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = [new_actor(&store), new_actor(&store)];
    let (by_ada, by_ben) = (agent_id(&ada), agent_id(&ben));
    rotate_token(&store, by_ada, "first").await;
    rotate_token(&store, by_ben, "of ben").await;
    assert_eq!(store.arena().token("first").await.unwrap(), Some(by_ada));
    database.clock.advance(Duration::from_secs(1));
    rotate_token(&store, by_ada, "second").await;
    assert_eq!(store.arena().token("first").await.unwrap(), None);
    assert_eq!(store.arena().token("second").await.unwrap(), Some(by_ada));
    assert_eq!(store.arena().token("of ben").await.unwrap(), Some(by_ben));
    assert_eq!(store.arena().agent(by_ada).await.unwrap().token_created_at, Some(noon() + TimeDelta::seconds(1)));
    assert_eq!(store.arena().agent(agent_id(&new_actor(&store))).await.unwrap(), ArenaAgent::default());
}

#[apply(both)]
async fn what_an_agent_says_of_itself_stays_until_it_says_more(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let id = agent_id(&new_actor(&store));
    let declare = async |name: Option<&str>, model: Option<&str>| {
        let (name, model) = (name.map(str::to_owned), model.map(str::to_owned));
        write(&store, [ArenaChange::Described { agent_id: id, name, model }]).await;
        let enrolment = store.arena().agent(id).await.unwrap();
        (enrolment.name, enrolment.model, enrolment.token_created_at)
    };
    let enrolment = |name: &str, model: Option<&str>| (Some(name.to_owned()), model.map(str::to_owned), None);
    assert_eq!(declare(Some("Ada"), None).await, enrolment("Ada", None));
    assert_eq!(declare(None, Some("m1")).await, enrolment("Ada", Some("m1")));
    assert_eq!(declare(Some("Ada 2"), None).await, enrolment("Ada 2", Some("m1")));
    // It is no token.
    rotate_token(&store, id, "hash").await;
    let after = store.arena().agent(id).await.unwrap();
    assert_eq!((after.name.as_deref(), after.token_created_at), (Some("Ada 2"), Some(noon())));
}

#[apply(both)]
async fn the_news_are_turns_ends_withdrawals_and_new_tokens(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    enrol(&store, enrolled(&ben, OwnerId::new(store.log().clock().uuid()), None)).await;
    let head = store.log().tail().head();
    let id = begin(&store, &[&ada, &ben], Channel::Socket).await;
    answer(&store, id, &ada).await.unwrap();
    rotate_token(&store, agent_id(&ben), "hash").await;
    withdraw(&store, agent_id(&ben)).await;
    void(&store, id).await.unwrap();
    let by_ben = agent_id(&ben);
    let ended = ArenaNews::Match(id);
    let expected = [ArenaNews::Match(id), ArenaNews::TokenRotated(by_ben), ArenaNews::Withdrawn(by_ben), ended];
    assert_eq!(store.arena().news(head, 100).await.unwrap(), (expected.into(), store.log().tail().head()));
    // An event that is no news is passed too.
    let (news, reached) = store.arena().news(head, 1).await.unwrap();
    assert_eq!((news, reached), (vec![], head + 1));
    assert_eq!(store.arena().news(reached, 1).await.unwrap(), (vec![ArenaNews::Match(id)], head + 2));
    assert_eq!(store.arena().news(store.log().tail().head(), 1).await.unwrap(), (vec![], store.log().tail().head()));
}
