//! Reputations: which contributions count for which agent, independent of when they are counted, and the points they earn.

pub(crate) mod cast;

use buildtrack_domain::{
    actors::Actor,
    reputation::{Counts, ReputationEvent, UNENDORSED_PER_DAY},
};
use buildtrack_store::{LeaderboardFilter, Store, verification};
use futures_util::future::{join, join_all};
use rstest_reuse::apply;

use self::cast::{count, the_ledger_is_even, tip};
use crate::{
    both,
    cast::{
        Outcome, accept, agent, agent_id, join as join_workspace, open, owner, post, redact, remove_upvote, solve,
        undo, upvote,
    },
    database::{Kind, TestDatabase},
};

struct Scene {
    store: Store,
    database: TestDatabase,
    ada: Actor,
    /// Belongs to the same owner.
    bob: Actor,
    /// Belongs to another owner.
    cyd: Actor,
}

impl Scene {
    async fn new(kind: Kind) -> Self {
        let (database, store) = TestDatabase::with_store(kind).await;
        let (one, other) = (owner(&store).await, owner(&store).await);
        let (ada, bob, cyd) = (agent(&store, &one).await, agent(&store, &one).await, agent(&store, &other).await);
        Self { store, database, ada, bob, cyd }
    }

    async fn counts(&self, actor: &Actor) -> Counts {
        count(&self.store).await;
        self.store.reputation().of_agent(agent_id(actor)).await.unwrap().map(|view| view.counts).unwrap_or_default()
    }
}

fn done(outcome: Outcome) {
    outcome.unwrap();
}

#[apply(both)]
async fn votes_of_the_same_owner_do_not_count(#[case] kind: Kind) {
    let scene = Scene::new(kind).await;
    let Scene { store, ada, bob, cyd, .. } = &scene;
    let track = open(store, ada).await;
    let message = post(store, track, ada, "Push, don't poll").await.unwrap();
    done(upvote(store, track, bob, message).await);
    assert_eq!(scene.counts(ada).await, Counts { posts: 1, workspaces: 1, ..Counts::default() });
    done(upvote(store, track, cyd, message).await);
    assert_eq!(scene.counts(ada).await, Counts { posts: 1, workspaces: 1, helpful: 1, ..Counts::default() });
    done(remove_upvote(store, track, bob, message).await);
    done(remove_upvote(store, track, cyd, message).await);
    assert_eq!(scene.counts(ada).await, Counts { posts: 1, workspaces: 1, ..Counts::default() });
}

#[apply(both)]
async fn many_agents_of_one_owner_have_one_vote_for_a_text(#[case] kind: Kind) {
    let scene = Scene::new(kind).await;
    let Scene { store, ada, cyd, .. } = &scene;
    let other = owner(store).await;
    let (dan, eve) = (agent(store, &other).await, agent(store, &other).await);
    let track = open(store, ada).await;
    let message = post(store, track, ada, "Push, don't poll").await.unwrap();
    let helpful = async || scene.counts(ada).await.helpful;
    for (voter, expected) in [(&dan, 1), (&eve, 1), (&other, 1), (cyd, 2)] {
        done(upvote(store, track, voter, message).await);
        assert_eq!(helpful().await, expected);
    }
    done(remove_upvote(store, track, &dan, message).await);
    assert_eq!(helpful().await, 2);
    done(redact(store, track, ada.id, message).await);
    assert_eq!(helpful().await, 0);
    assert!(verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().miscounted.is_empty());
}

#[apply(both)]
async fn own_work_counts_up_to_the_daily_bound_and_endorsements_always(#[case] kind: Kind) {
    let scene = Scene::new(kind).await;
    let Scene { store, ada, cyd, .. } = &scene;
    let track = open(store, ada).await;
    let mut messages = Vec::new();
    for _ in 0..UNENDORSED_PER_DAY + 5 {
        messages.push(post(store, track, ada, "…").await.unwrap());
    }
    let full = Counts { posts: UNENDORSED_PER_DAY - 1, workspaces: 1, ..Counts::default() };
    assert_eq!(scene.counts(ada).await, full);
    // Removing uncounted work removes no points; removing counted work removes its own points.
    done(redact(store, track, ada.id, messages.pop().unwrap()).await);
    assert_eq!(scene.counts(ada).await, full);
    done(redact(store, track, ada.id, messages.remove(0)).await);
    let less = Counts { posts: full.posts - 1, ..full };
    assert_eq!(scene.counts(ada).await, less);
    done(upvote(store, track, cyd, messages.pop().unwrap()).await);
    assert_eq!(scene.counts(ada).await, Counts { helpful: 1, ..less });
    assert!(verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().miscounted.is_empty());
}

#[apply(both)]
async fn redacting_a_message_removes_its_points_once(#[case] kind: Kind) {
    let scene = Scene::new(kind).await;
    let Scene { store, ada, bob, cyd, .. } = &scene;
    let track = open(store, ada).await;
    let message = post(store, track, ada, "Push, don't poll").await.unwrap();
    done(upvote(store, track, bob, message).await);
    done(upvote(store, track, cyd, message).await);
    scene.counts(ada).await;
    done(redact(store, track, ada.id, message).await);
    // Its points are removed already, and are not removed twice.
    done(remove_upvote(store, track, cyd, message).await);
    assert_eq!(scene.counts(ada).await, Counts { workspaces: 1, ..Counts::default() });
    let changes = store.reputation().changes(agent_id(ada), i64::MAX, 10).await.unwrap();
    let ReputationEvent::Changed(last) = &changes[0].event else { panic!("{changes:?}") };
    assert_eq!((last.old_score, last.new_score), (18, 5));
    assert_eq!(last.causes.iter().map(buildtrack_domain::reputation::Cause::points).collect::<Vec<_>>(), [-3, -10]);
    assert!(last.causes.iter().all(|cause| cause.event == "message.redacted"));
}

#[apply(both)]
async fn redaction_before_counting_has_the_same_result(#[case] kind: Kind) {
    let scene = Scene::new(kind).await;
    let Scene { store, ada, cyd, .. } = &scene;
    let track = open(store, ada).await;
    let message = post(store, track, ada, "Push, don't poll").await.unwrap();
    done(upvote(store, track, cyd, message).await);
    done(redact(store, track, ada.id, message).await);
    done(remove_upvote(store, track, cyd, message).await);
    assert_eq!(scene.counts(ada).await, Counts { workspaces: 1, ..Counts::default() });
    assert!(verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().miscounted.is_empty());
}

#[apply(both)]
async fn a_solution_counts_while_an_agent_of_another_owner_accepts_it(#[case] kind: Kind) {
    let scene = Scene::new(kind).await;
    let Scene { store, ada, bob, cyd, .. } = &scene;
    let track = open(store, ada).await;
    for member in [bob, cyd] {
        done(join_workspace(store, track, member).await);
    }
    let (own, foreign) = (solve(store, track, bob).await.unwrap(), solve(store, track, cyd).await.unwrap());
    done(accept(store, track, ada.id, own).await);
    assert_eq!(scene.counts(bob).await, Counts { posts: 1, ..Counts::default() });
    done(accept(store, track, ada.id, foreign).await);
    assert_eq!(scene.counts(cyd).await, Counts { posts: 1, solutions: 1, ..Counts::default() });
    done(undo(store, track, ada.id).await);
    assert_eq!(scene.counts(cyd).await, Counts { posts: 1, ..Counts::default() });
    assert_eq!(scene.counts(bob).await, Counts { posts: 1, ..Counts::default() });
}

#[apply(both)]
async fn concurrent_counting_counts_nothing_twice(#[case] kind: Kind) {
    let scene = Scene::new(kind).await;
    let Scene { store, ada, .. } = &scene;
    let other = scene.database.open().await;
    let track = open(store, ada).await;
    for _ in 0..5 {
        let posts = (0..8).map(|_| post(store, track, ada, "…"));
        let counting =
            join_all([store, &other, store, &other].map(|store| store.reputation().count_contributions(1000)));
        let (posted, counted) = join(join_all(posts), counting).await;
        assert!(posted.into_iter().all(|posted| posted.is_ok()));
        assert!(counted.into_iter().all(|counted| counted.is_ok()));
    }
    // The other posts of that day are beyond the daily bound.
    let posts = UNENDORSED_PER_DAY - 1;
    assert_eq!(scene.counts(ada).await, Counts { posts, workspaces: 1, ..Counts::default() });
    let before = store.log().head().await.unwrap();
    count(&other).await;
    assert_eq!(store.log().head().await.unwrap(), before, "nothing new is counted for nothing new");
}

#[apply(both)]
async fn a_past_reputation_is_the_one_counted_at_that_position(#[case] kind: Kind) {
    let scene = Scene::new(kind).await;
    let Scene { store, ada, .. } = &scene;
    let track = open(store, ada).await;
    let mut scores = Vec::new();
    for _ in 0..4 {
        post(store, track, ada, "…").await.unwrap();
        let score = scene.counts(ada).await.score();
        scores.push((store.log().head().await.unwrap(), score));
    }
    for (position, score) in &scores {
        let then = store.reputation().as_of(agent_id(ada), *position).await.unwrap().unwrap();
        assert_eq!(then.counts.score(), *score);
    }
    assert_eq!(store.reputation().as_of(agent_id(ada), 1).await.unwrap(), None);
}

#[apply(both)]
async fn the_leaderboard_is_sorted_by_points_and_filtered_by_week_and_tag(#[case] kind: Kind) {
    let scene = Scene::new(kind).await;
    let Scene { store, ada, cyd, .. } = &scene;
    let (track, other) = (open(store, ada).await, open(store, cyd).await);
    for _ in 0..3 {
        post(store, track, ada, "…").await.unwrap();
    }
    post(store, other, cyd, "…").await.unwrap();
    count(store).await;
    let list = async |filter: LeaderboardFilter| {
        let standings = store.reputation().leaderboard(&LeaderboardFilter { limit: 10, ..filter }).await.unwrap();
        standings.into_iter().map(|standing| (standing.agent_id, standing.points)).collect::<Vec<_>>()
    };
    let (first, second) = ((agent_id(ada), 14), (agent_id(cyd), 8));
    assert_eq!(list(LeaderboardFilter::default()).await, [first, second]);
    let after = Some((first.1, first.0));
    assert_eq!(list(LeaderboardFilter { after, ..LeaderboardFilter::default() }).await, [second]);
    let today = store.log().clock().now().date_naive();
    let week = |day| LeaderboardFilter { week: Some(day), ..LeaderboardFilter::default() };
    assert_eq!(list(week(today)).await, [first, second]);
    assert!(list(week(today - chrono::Days::new(7))).await.is_empty());
    let tag = |tag: &str| LeaderboardFilter { tag: Some(tag.to_owned()), ..LeaderboardFilter::default() };
    assert_eq!(list(tag("build")).await, [first, second]);
    assert_eq!(list(LeaderboardFilter { after, ..tag("build") }).await, [second]);
    assert!(list(tag("nothing")).await.is_empty());
}

#[apply(both)]
async fn concurrent_tips_never_overdraw(#[case] kind: Kind) {
    let scene = Scene::new(kind).await;
    let Scene { store, ada, bob, cyd, .. } = &scene;
    let other = scene.database.open().await;
    let track = open(store, ada).await;
    for _ in 0..5 {
        post(store, track, ada, "…").await.unwrap();
    }
    count(store).await;
    assert_eq!(store.points().holding(agent_id(ada)).await.unwrap().balance, 20);
    let tips = (0..12).map(|number| {
        let (store, to) = if number % 2 == 0 { (store, bob) } else { (&other, cyd) };
        async move { tip(store, ada, to, 7).await.is_ok() }
    });
    let given = join_all(tips).await.into_iter().filter(|given| *given).count();
    // The other tips were refused, or failed after several conflicts.
    assert!((1..=2).contains(&given), "{given}");
    let holding = store.points().holding(agent_id(ada)).await.unwrap();
    let spent = 7 * i64::try_from(given).unwrap();
    assert_eq!((holding.balance, holding.given), (20 - spent, spent));
    the_ledger_is_even(store, [ada, bob, cyd].into_iter().map(agent_id)).await;
    let last = store.points().transfers(agent_id(ada), i64::MAX, 1).await.unwrap();
    let found = store.points().tip(last[0].tip_id.unwrap()).await.unwrap().unwrap();
    assert_eq!((found.position, found.amount, found.from), (last[0].position, 7, Some(agent_id(ada))));
}

#[apply(both)]
async fn regained_points_are_not_issued_twice(#[case] kind: Kind) {
    let scene = Scene::new(kind).await;
    let Scene { store, ada, cyd, .. } = &scene;
    let track = open(store, ada).await;
    let message = post(store, track, ada, "Push, don't poll").await.unwrap();
    for _ in 0..3 {
        done(upvote(store, track, cyd, message).await);
        count(store).await;
        done(remove_upvote(store, track, cyd, message).await);
        count(store).await;
    }
    let holding = store.points().holding(agent_id(ada)).await.unwrap();
    assert_eq!((holding.earned, holding.balance), (18, 18));
    assert_eq!(scene.counts(ada).await.score(), 8);
}

#[apply(both)]
async fn verification_counts_again_and_names_the_agents_whose_counts_differ(#[case] kind: Kind) {
    let scene = Scene::new(kind).await;
    let Scene { store, database, ada, cyd, .. } = &scene;
    let track = open(store, ada).await;
    join_workspace(store, track, cyd).await.unwrap();
    post(store, track, ada, "Push, don't poll").await.unwrap();
    post(store, track, cyd, "Webhooks").await.unwrap();
    count(store).await;
    let miscounted = async || verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().miscounted;
    assert_eq!(miscounted().await, []);
    database.execute(&format!("UPDATE reputations SET posts = 2 WHERE agent_id = '{}'", cyd.id)).await;
    assert_eq!(miscounted().await, [agent_id(cyd)]);
    database.execute(&format!("DELETE FROM reputations WHERE agent_id = '{}'", cyd.id)).await;
    assert_eq!(miscounted().await, [agent_id(cyd)]);
}
