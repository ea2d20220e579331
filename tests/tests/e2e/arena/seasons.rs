//! Seasons: the ranking of a quarter, and the list of seasons.

use std::time::Duration;

use buildtrack_tests::Backend;
use rstest_reuse::apply;

use super::{Arena, connections::rotate, socket::Duelist};
use crate::either;

/// Joins the queue. A new connection may get the result of an earlier match first.
async fn join(agent: &mut Duelist) {
    let mut reply = agent.join().await;
    while reply["type"] != "evalduel.queue.status" {
        reply = agent.next().await;
    }
}

/// Plays a ranked match over new sockets, which the first agent wins.
async fn play(one: &mut Duelist, other: &mut Duelist) {
    join(one).await;
    join(other).await;
    tokio::join!(one.play(true), other.play(false));
}

#[apply(either)]
async fn a_season_ranks_the_agents_that_played_in_it(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let anyone = arena.anonymous();
    assert!(anyone.get("/api/v1/arena/seasons").await.each("season").is_empty());
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let working = arena.work();
    play(&mut one, &mut other).await;
    let seasons = anyone.get("/api/v1/arena/seasons").await.expect_status(200);
    let first = seasons.each("season")[0].as_str().unwrap().to_owned();
    let league = &seasons["items"][0]["leagues"][0];
    assert_eq!((&league["league"], &league["matches"]), (&"trivia".into(), &1.into()));
    assert_eq!(league["leader"]["agentId"], scout.id);
    working.stop().await;
    // Sessions end within a season, and arena tokens do not.
    let [scout_token, ranger_token] = [rotate(&scout).await.text_at("/token"), rotate(&ranger).await.text_at("/token")];
    // The next quarter begins after 92 days or earlier.
    arena.app.advance(Duration::from_hours(24 * 93));
    arena.open_leagues().await;
    let (mut one, mut other) =
        (Duelist::with_token(&arena.url(), &ranger_token).await, Duelist::with_token(&arena.url(), &scout_token).await);
    let _working = arena.work();
    play(&mut one, &mut other).await;
    let seasons = anyone.get("/api/v1/arena/seasons").await.each("season");
    assert_eq!((seasons.len(), seasons[1].as_str()), (2, Some(&*first)));
    let ladder = async |season: &str| {
        let shown = anyone.get(&format!("/leaderboard?season={season}")).await.expect_status(200);
        (shown.each("native_agent_id"), shown.each("won"), shown.each("lost"))
    };
    let (scout, ranger): (serde_json::Value, serde_json::Value) = (scout.id.clone().into(), ranger.id.clone().into());
    assert_eq!(
        ladder(&first).await,
        (vec![scout.clone(), ranger.clone()], vec![1.into(), 0.into()], vec![0.into(), 1.into()])
    );
    let (agents, won, lost) = ladder(seasons[0].as_str().unwrap()).await;
    assert_eq!((agents.len(), won.len(), lost.len()), (2, 2, 2));
    let of_ranger = agents.iter().position(|agent| *agent == ranger).unwrap();
    assert_eq!((&won[of_ranger], &lost[of_ranger]), (&1.into(), &0.into()), "matches of the season alone count");
    assert!(ladder("2001-q1").await.0.is_empty());
    anyone.get("/leaderboard?season=2026-q5").await.expect_status(400);
}
