//! Debates: the ballots that judges' endpoints get, and what their votes mean.

use std::collections::BTreeSet;

use buildtrack_domain::arena::{
    matches::{MatchEvent, MissReason, Vote},
    tasks::League,
};
use buildtrack_store::Store;
use rstest_reuse::apply;
use serde_json::json;

use super::{Terms, answers, begin, ended, enrol, events, good, player, rounds};
use crate::{
    both,
    cast::{Member, agent_of, owner},
    database::{Kind, TestDatabase},
    process::Running,
    receiver::{Reaction, Receiver},
};

/// A judge of debates whose endpoint is well.
pub(super) async fn judge(store: &Store, endpoint: &Receiver) -> Member {
    let judge = agent_of(store, owner(store).await, "Judge").await;
    let terms = Terms { leagues: BTreeSet::new(), judges: [League::Debate].into(), is_well: true };
    enrol(store, &judge, endpoint.base(), terms).await;
    judge
}

#[apply(both)]
async fn judges_get_ballots_without_names_and_the_majority_wins(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let endpoints = [Receiver::with_plan(vec![good()]).await, Receiver::with_plan(vec![good()]).await];
    let (ada, ben) = (player(&store, "Ada", &endpoints[0]).await, player(&store, "Ben", &endpoints[1]).await);
    let mut judges = Vec::new();
    for plan in [r#"{"answer":"A","reasoning":"clearer"}"#, r#"{"answer":"a"}"#, r#"{"answer":"maybe"}"#] {
        let endpoint = Receiver::with_plan(vec![answers(plan)]).await;
        judges.push((judge(&store, &endpoint).await, endpoint));
    }
    let match_id = begin(&store, League::Debate, &[&ada, &ben]).await;
    let running = Running::new(&store);
    let found = ended(&store, match_id).await;
    running.stop().await;

    assert_eq!(&*found.phase, "finished", "{found:?}");
    let turns = usize::try_from(found.turn_count).unwrap();
    for (_, endpoint) in &mut judges {
        let ballots = rounds(endpoint);
        assert_eq!(ballots.len(), turns, "a ballot for each turn");
        for (turn, ballot) in (1..).zip(ballots) {
            let body = ballot.json();
            assert_eq!((&body["round"], &body["opponent_count"]), (&json!(turn), &json!(0)));
            let shown = body.to_string();
            assert!(shown.contains("42") && !shown.contains("Ada") && !shown.contains("Ben"), "{shown}");
        }
    }
    let (mut votes, mut missed) = (vec![], vec![]);
    for event in events(&store, match_id).await {
        match event {
            MatchEvent::VoteRevealed(vote) => votes.push((vote.vote, vote.rationale)),
            MatchEvent::VoteMissed(vote) => missed.push((vote.reason, vote.status)),
            _ => {}
        }
    }
    assert_eq!(votes.len(), 2 * turns);
    assert!(votes.iter().all(|(vote, _)| *vote == Vote::A), "{votes:?}");
    assert_eq!(votes.iter().filter(|(_, reason)| reason.as_deref() == Some("clearer")).count(), turns);
    assert_eq!(missed, vec![(MissReason::InvalidAnswer, Some(200)); turns]);
    // The argument that is shown first alternates, so that both players win as often.
    assert_eq!((found.seats[0].total, found.winner_id), (found.seats[1].total, None));
}

#[apply(both)]
async fn a_debate_with_one_argument_a_turn_needs_no_judges(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let endpoints = [Receiver::with_plan(vec![Reaction::Status(404)]).await, Receiver::with_plan(vec![good()]).await];
    let (ada, ben) = (player(&store, "Ada", &endpoints[0]).await, player(&store, "Ben", &endpoints[1]).await);
    let match_id = begin(&store, League::Debate, &[&ada, &ben]).await;
    let running = Running::new(&store);
    let found = ended(&store, match_id).await;
    running.stop().await;
    assert_eq!((&*found.phase, found.winner_id), ("finished", Some(ben.agent_id)), "{found:?}");
    assert_eq!((found.seats[0].total, found.seats[1].total), (0, 1000 * found.turn_count));
}

#[apply(both)]
async fn a_debate_without_judges_is_void(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let endpoints = [Receiver::with_plan(vec![good()]).await, Receiver::with_plan(vec![good()]).await];
    let (ada, ben) = (player(&store, "Ada", &endpoints[0]).await, player(&store, "Ben", &endpoints[1]).await);
    let match_id = begin(&store, League::Debate, &[&ada, &ben]).await;
    let running = Running::new(&store);
    let found = ended(&store, match_id).await;
    assert_eq!((&*found.phase, found.ending.as_deref()), ("void", Some("no_judges")));

    // Judges that do not vote: the first panel is replaced once, then no judges are left.
    let mut judges = Vec::new();
    for status in [503, 429, 500] {
        let endpoint = Receiver::with_plan(vec![Reaction::Status(status)]).await;
        judges.push((judge(&store, &endpoint).await, endpoint));
    }
    let match_id = begin(&store, League::Debate, &[&ada, &ben]).await;
    let found = ended(&store, match_id).await;
    running.stop().await;
    assert_eq!((&*found.phase, found.ending.as_deref()), ("void", Some("no_judges")));
    let mut missed: Vec<_> = events(&store, match_id)
        .await
        .into_iter()
        .filter_map(|event| if let MatchEvent::VoteMissed(missed) = event { missed.status } else { None })
        .collect();
    missed.sort_unstable();
    assert_eq!(missed, [429, 500, 503]);
    let mut pauses = Vec::new();
    for (judge, _) in &judges {
        pauses.push(super::endpoint(&store, judge).await.paused_until.is_some());
    }
    assert_eq!(pauses, [true, true, false]);
}
