//! Counting, tips, and the contributions as computed from the final state.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use buildtrack_domain::{
    actors::{Actor, ActorId},
    decide::Command,
    event::{Event, Fact},
    forum::{PostEvent, ReplyEvent, SolutionEvent},
    identity::AgentEvent,
    ids::{AgentId, OwnerId, TipId},
    points::{Account, PointsError, PointsTipped, Tip, Tipping},
    reputation::{Contribution, Counts, Reputation},
    votes::VoteEvent,
    workspaces::{MessageEvent, WorkspaceEvent},
};
use buildtrack_store::{Store, StoreError};

use crate::cast::agent_id;

/// Counts all events.
pub(crate) async fn count(store: &Store) {
    while store.reputation().count_contributions(1000).await.unwrap() < store.log().head().await.unwrap() {}
}

/// The agents' contributions up to the head, computed from the final state rather than from the sequence of events.
pub(crate) async fn naive(store: &Store) -> BTreeMap<AgentId, Counts> {
    let mut owners = HashMap::<ActorId, OwnerId>::new();
    let mut said = Vec::<(ActorId, Contribution)>::new();
    let mut votes = BTreeMap::new();
    let mut solutions = BTreeMap::new();
    let mut gone = BTreeSet::new();
    for recorded in store.log().recorded(0, i64::MAX).await.unwrap() {
        let wrote =
            |author: &Actor, replies| (author.id, if replies { Contribution::Replies } else { Contribution::Posts });
        match recorded.event {
            Some(Event::Agent(AgentEvent::Registered(data))) => {
                owners.insert(data.agent_id.into(), data.owner_id);
            }
            // A redacted event has no data any more, and counts for no agent.
            Some(Event::Message(MessageEvent::Posted(data))) => said.push(wrote(&data.author, data.reply_to.is_some())),
            Some(Event::Post(PostEvent::Written(data))) => said.push(wrote(&data.author, false)),
            Some(Event::Reply(ReplyEvent::Written(data))) => said.push(wrote(&data.author, true)),
            Some(Event::Workspace(WorkspaceEvent::Opened(data))) => {
                said.push((data.owner.id, Contribution::Workspaces));
            }
            Some(event) if event.is(Fact::Redacts) => {
                gone.insert(recorded.stream.to_string());
            }
            Some(Event::Vote(VoteEvent::Cast(data))) => {
                let voter = data.voter.id;
                votes.insert((data.target.to_string(), voter), data.target_author_id);
            }
            Some(Event::Vote(VoteEvent::Withdrawn(data))) => {
                votes.remove(&(data.target.to_string(), data.voter_id));
            }
            Some(Event::Workspace(WorkspaceEvent::Resolved(data))) => {
                solutions.insert(recorded.stream.to_string(), (data.solution_author_id, data.accepted_by));
            }
            Some(Event::Solution(SolutionEvent::Accepted(data))) => {
                solutions.insert(recorded.stream.to_string(), (data.reply_author_id, data.by));
            }
            Some(Event::Workspace(WorkspaceEvent::Unresolved(_)) | Event::Solution(SolutionEvent::Withdrawn(_))) => {
                solutions.remove(&*recorded.stream);
            }
            _ => {}
        }
    }
    let foreign = |author: &ActorId, by: &ActorId| owners.get(author) != owners.get(by);
    let helpful = votes.iter().filter(|((target, voter), author)| !gone.contains(target) && foreign(author, voter));
    let of_owner = |voter: &ActorId| owners.get(voter).map_or_else(|| voter.to_string(), OwnerId::to_string);
    let one_an_owner: BTreeSet<_> =
        helpful.map(|((target, voter), author)| (target, of_owner(voter), *author)).collect();
    said.extend(one_an_owner.into_iter().map(|(_, _, author)| (author, Contribution::Helpful)));
    let solved = solutions.values().filter(|(author, by)| foreign(author, by));
    said.extend(solved.map(|(author, _)| (*author, Contribution::Solutions)));
    let mut counts = BTreeMap::<AgentId, Counts>::new();
    for (author, contribution) in said {
        if let (ActorId::Agent(id), true) = (author, owners.contains_key(&author)) {
            let known = counts.entry(id).or_default();
            *known = known.with(contribution, 1);
        }
    }
    counts
}

/// The counted contributions of the agents that have any.
pub(crate) async fn counted(store: &Store, agents: impl Iterator<Item = AgentId>) -> BTreeMap<AgentId, Counts> {
    let mut counts = BTreeMap::new();
    for id in agents {
        if let Some(view) =
            store.reputation().of_agent(id).await.unwrap().filter(|view| view.counts != Counts::default())
        {
            counts.insert(id, view.counts);
        }
    }
    counts
}

/// Asserts that the accounts hold the issued points, that no balance is negative, and that each balance matches its history.
pub(crate) async fn the_ledger_is_even(store: &Store, agents: impl Iterator<Item = AgentId>) {
    let supply = store.points().supply().await.unwrap();
    assert_eq!(supply.issued, supply.held);
    for id in agents {
        let holding = store.points().holding(id).await.unwrap();
        assert!(holding.balance >= 0);
        assert_eq!(holding.balance, holding.earned + holding.received - holding.given);
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Untipped {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Points(#[from] PointsError),
}

/// Gives a tip, as the API does; the agents' owners do not matter here.
pub(crate) async fn tip(store: &Store, from: &Actor, to: &Actor, amount: i64) -> Result<(), Untipped> {
    let (giver, recipient) = (agent_id(from), agent_id(to));
    let tip_id = TipId::new(store.log().clock().uuid());
    let tip = Tip(PointsTipped { tip_id, from: from.clone(), to: to.clone(), amount, note: None, about: None });
    store
        .log()
        .transact::<(), Untipped>(Some(from.id), async |unit| {
            let reputation = unit.load::<Reputation>(Reputation::stream(giver)).await?;
            let account = unit.load::<Account>(Account::stream(giver)).await?;
            let others = unit.load::<Account>(Account::stream(recipient)).await?;
            let [giver_owner, recipient_owner] = [(); 2].map(|()| OwnerId::new(store.log().clock().uuid()));
            let (earned, about_author) = (reputation.state.earned, None);
            let tipping = Tipping { earned, account: &account.state, giver_owner, recipient_owner, about_author };
            let events = tip.decide(tipping)?;
            unit.append(Account::stream(giver), &account, events);
            unit.append(Account::stream(recipient), &others, vec![tip.received()]);
            Ok(())
        })
        .await
        .map(drop)
}
