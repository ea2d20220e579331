//! Random histories of commands, and the actors, workspaces and texts that the commands select from.

use buildtrack_domain::{
    actors::Actor,
    ids::{MessageId, WorkspaceId},
    limits::Tier,
    moderation::Action,
};
use buildtrack_store::Store;
use futures_util::future::join_all;
use proptest::{
    collection::vec,
    prelude::{Just, Strategy, any, prop_oneof},
};

use crate::{
    arena,
    cast::{
        NewMessage, accept, agent, appeal, appoint, archive, deactivate, decline, depart, edit, file_report, hand_over,
        invite, join as join_workspace, join_or_accept, leave, moderate, new_actor, open, owner, post, post_message,
        redact, remove, remove_upvote, rename, reopen, set_owner_suspended, set_suspended, set_tier, ship, solve, undo,
        upvote, withdraw_invitation,
    },
    forum::steps::{Forum, ForumStep, Written, forum_step},
    inbox::cast::acknowledge,
    reputation::cast::{count, tip},
};

/// One command; numbers select among the existing agents, workspaces and messages.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Open { agent: u8 },
    Edit { track: u8, name: u8 },
    Join { agent: u8, track: u8 },
    Leave { agent: u8, track: u8 },
    Archive { track: u8 },
    Reopen { track: u8 },
    Solve { agent: u8, track: u8 },
    Accept { message: u8 },
    Undo { track: u8 },
    Ship { track: u8 },
    Remove { agent: u8, track: u8 },
    Appoint { agent: u8, track: u8, maintains: bool },
    HandOver { agent: u8, track: u8 },
    Invite { agent: u8, track: u8 },
    Uninvite { agent: u8, track: u8 },
    Decline { agent: u8, track: u8 },
    Come { agent: u8, track: u8 },
    Post { agent: u8, track: u8, reply: Option<u8> },
    Redact { message: u8 },
    Upvote { agent: u8, message: u8 },
    Withdraw { agent: u8, message: u8 },
    Rename { agent: u8, name: u8 },
    SetTier { agent: u8, tier: Tier },
    Hide { message: u8, hides: bool },
    KeepOut { agent: u8, with_owner: bool, out: bool },
    Tell { agent: u8, message: u8 },
    Deactivate { agent: u8 },
    Read { agent: u8, back: u8, only: bool },
    Count { events: u8 },
    Tip { agent: u8, to: u8, amount: u8 },
    Forum(ForumStep),
    Arena { step: u8, agent: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    let number = any::<u8>;
    let tier = prop_oneof![Just(Tier::Free), Just(Tier::Pro), Just(Tier::Enterprise)];
    let ends = prop_oneof![
        4 => (number(), number()).prop_map(|(agent, track)| Step::Solve { agent, track }),
        6 => number().prop_map(|message| Step::Accept { message }),
        1 => number().prop_map(|track| Step::Undo { track }),
        1 => number().prop_map(|track| Step::Ship { track }),
    ];
    let memberships = prop_oneof![
        1 => (number(), number()).prop_map(|(agent, track)| Step::Remove { agent, track }),
        3 => (number(), number(), any::<bool>())
            .prop_map(|(agent, track, maintains)| Step::Appoint { agent, track, maintains }),
        1 => (number(), number()).prop_map(|(agent, track)| Step::HandOver { agent, track }),
        4 => (number(), number()).prop_map(|(agent, track)| Step::Invite { agent, track }),
        1 => (number(), number()).prop_map(|(agent, track)| Step::Uninvite { agent, track }),
        1 => (number(), number()).prop_map(|(agent, track)| Step::Decline { agent, track }),
        3 => (number(), number()).prop_map(|(agent, track)| Step::Come { agent, track }),
    ];
    prop_oneof![
        10 => ends,
        14 => memberships,
        2 => number().prop_map(|agent| Step::Open { agent }),
        3 => (number(), number()).prop_map(|(track, name)| Step::Edit { track, name }),
        6 => (number(), number()).prop_map(|(agent, track)| Step::Join { agent, track }),
        3 => (number(), number()).prop_map(|(agent, track)| Step::Leave { agent, track }),
        1 => number().prop_map(|track| Step::Archive { track }),
        2 => number().prop_map(|track| Step::Reopen { track }),
        12 => (number(), number(), any::<Option<u8>>())
            .prop_map(|(agent, track, reply)| Step::Post { agent, track, reply }),
        4 => number().prop_map(|message| Step::Redact { message }),
        12 => (number(), number()).prop_map(|(agent, message)| Step::Upvote { agent, message }),
        6 => (number(), number()).prop_map(|(agent, message)| Step::Withdraw { agent, message }),
        2 => (number(), number()).prop_map(|(agent, name)| Step::Rename { agent, name }),
        1 => (number(), tier).prop_map(|(agent, tier)| Step::SetTier { agent, tier }),
        1 => number().prop_map(|agent| Step::Deactivate { agent }),
        3 => (number(), number(), any::<bool>()).prop_map(|(agent, back, only)| Step::Read { agent, back, only }),
        8 => (number(), any::<bool>()).prop_map(|(message, hides)| Step::Hide { message, hides }),
        3 => (number(), any::<bool>(), any::<bool>())
            .prop_map(|(agent, with_owner, out)| Step::KeepOut { agent, with_owner, out }),
        2 => (number(), number()).prop_map(|(agent, message)| Step::Tell { agent, message }),
        8 => number().prop_map(|events| Step::Count { events }),
        3 => (number(), number(), number()).prop_map(|(agent, to, amount)| Step::Tip { agent, to, amount }),
        23 => forum_step().prop_map(Step::Forum),
        12 => (number(), number()).prop_map(|(step, agent)| Step::Arena { step, agent }),
    ]
}

/// Steps taken concurrently, so that batches of all sizes occur.
pub(super) fn history() -> impl Strategy<Value = Vec<Vec<Step>>> {
    vec(vec(step(), 1..12), 8..16)
}

/// The actors, workspaces and messages that steps select from.
pub(super) struct World {
    store: Store,
    /// Owner of the first and the third agent, and owner of the others.
    owners: [Actor; 2],
    pub(super) agents: Vec<Actor>,
    tracks: Vec<(WorkspaceId, Actor)>,
    messages: Vec<(WorkspaceId, MessageId, Actor)>,
    forum: Forum,
}

enum Made {
    Track(WorkspaceId, Actor),
    Message(WorkspaceId, MessageId, Actor),
    Forum(Written),
    Nothing,
}

impl World {
    pub(super) async fn new(store: Store) -> Self {
        let owners = [owner(&store).await, owner(&store).await];
        let agents = join_all((0..4).map(|number| agent(&store, &owners[number % 2]))).await;
        let (track, ada) = (open(&store, &agents[0]).await, agents[0].clone());
        let message = post(&store, track, &ada, "Let's begin").await.unwrap();
        upvote(&store, track, &new_actor(&store), message).await.unwrap();
        // No step changes this workspace, so that no table is empty at the end.
        let done = open(&store, &ada).await;
        let hidden = post(&store, done, &ada, "Buy this").await.unwrap();
        file_report(&store, hidden, &agents[1]).await.unwrap();
        moderate(&store, hidden, Action::Hide, &ada).await.unwrap();
        appeal(&store, hidden, &owners[0]).await.unwrap();
        let solution = solve(&store, done, &ada).await.unwrap();
        accept(&store, done, ada.id, solution).await.unwrap();
        ship(&store, done, &ada, "It is out").await.unwrap();
        invite(&store, done, &ada, &new_actor(&store)).await.unwrap();
        let gone = owner(&store).await;
        agent(&store, &gone).await;
        depart(&store, &gone).await.unwrap();
        let reader = agent(&store, &owners[0]).await;
        post(&store, track, &ada, &format!("@{}, look", reader.id)).await.unwrap();
        acknowledge(&store, &reader, Some(store.log().tail().head()), &[]).await.unwrap();
        Forum::furnish(&store, [&agents[0], &agents[1]]).await;
        count(&store).await;
        tip(&store, &ada, &agents[1], 1).await.unwrap();
        let (tracks, messages) = (vec![(track, ada.clone())], vec![(track, message, ada)]);
        Self { store, owners, agents, tracks, messages, forum: Forum::default() }
    }

    pub(super) async fn take(&mut self, steps: &[Step]) {
        for made in join_all(steps.iter().map(|step| self.take_one(*step))).await {
            match made {
                Made::Track(id, owner) => self.tracks.push((id, owner)),
                Made::Message(track, id, author) => self.messages.push((track, id, author)),
                Made::Forum(written) => self.forum.note(written),
                Made::Nothing => {}
            }
        }
    }

    fn agent(&self, number: u8) -> &Actor {
        &self.agents[usize::from(number) % self.agents.len()]
    }

    fn track(&self, number: u8) -> (WorkspaceId, &Actor) {
        let (id, owner) = &self.tracks[usize::from(number) % self.tracks.len()];
        (*id, owner)
    }

    fn message(&self, number: u8) -> Option<(WorkspaceId, MessageId, &Actor)> {
        let (track, id, author) = self.messages.get(usize::from(number) % self.messages.len().max(1))?;
        Some((*track, *id, author))
    }

    /// Refused and conflicting commands are expected; the test only requires that the tables agree with the log.
    async fn take_one(&self, step: Step) -> Made {
        let store = &self.store;
        match step {
            Step::Open { agent } => Made::Track(open(store, self.agent(agent)).await, self.agent(agent).clone()),
            Step::Post { agent, track, reply } => self.post(agent, track, reply).await,
            Step::Forum(step) => Made::Forum(self.forum.take(store, &self.agents, step).await),
            Step::Solve { agent, track } => match solve(store, self.track(track).0, self.agent(agent)).await {
                Ok(id) => Made::Message(self.track(track).0, id, self.agent(agent).clone()),
                Err(_) => Made::Nothing,
            },
            Step::Accept { message } => {
                if let Some((track, id, _)) = self.message(message) {
                    let owner = self.tracks.iter().find(|(known, _)| *known == track).map(|(_, owner)| owner.id);
                    drop(accept(store, track, owner.unwrap(), id).await);
                }
                Made::Nothing
            }
            Step::Redact { message } => {
                if let Some((track, id, author)) = self.message(message) {
                    drop(redact(store, track, author.id, id).await);
                }
                Made::Nothing
            }
            Step::Upvote { agent, message } => {
                if let Some((track, id, _)) = self.message(message) {
                    drop(upvote(store, track, self.agent(agent), id).await);
                }
                Made::Nothing
            }
            Step::Withdraw { agent, message } => {
                if let Some((track, id, _)) = self.message(message) {
                    drop(remove_upvote(store, track, self.agent(agent), id).await);
                }
                Made::Nothing
            }
            Step::Rename { agent, name } => {
                drop(rename(store, self.agent(agent), &format!("Agent {name} 🦀 \\ %")).await);
                Made::Nothing
            }
            Step::SetTier { agent, tier } => {
                drop(set_tier(store, self.agent(agent), tier).await);
                Made::Nothing
            }
            Step::Read { agent, back, only } => {
                let position = (store.log().tail().head() - i64::from(back) % 20).max(0);
                let (up_to, positions) = if only { (None, vec![position]) } else { (Some(position), vec![]) };
                drop(acknowledge(store, self.agent(agent), up_to, &positions).await);
                Made::Nothing
            }
            Step::Hide { message, hides } => {
                if let Some((_, id, author)) = self.message(message) {
                    let action = if hides { Action::Hide } else { Action::Restore };
                    drop(moderate(store, id, action, author).await);
                }
                Made::Nothing
            }
            Step::KeepOut { agent, with_owner, out } => {
                if with_owner {
                    drop(set_owner_suspended(store, &self.owners[usize::from(agent) % 2], out).await);
                } else {
                    drop(set_suspended(store, self.agent(agent), out).await);
                }
                Made::Nothing
            }
            Step::Tell { agent, message } => {
                if let Some((_, id, _)) = self.message(message) {
                    drop(file_report(store, id, self.agent(agent)).await);
                }
                Made::Nothing
            }
            // Concurrently and several times: no event may count twice.
            Step::Count { events } => {
                store.reputation().count_contributions(i64::from(events) + 1).await.unwrap();
                Made::Nothing
            }
            Step::Tip { agent, to, amount } => {
                drop(tip(store, self.agent(agent), self.agent(to), i64::from(amount) + 1).await);
                Made::Nothing
            }
            Step::Arena { step, agent } => {
                arena::try_one(store, &self.agents, (step, agent)).await;
                Made::Nothing
            }
            Step::Deactivate { agent } => {
                drop(deactivate(store, self.agent(agent), &self.owners[usize::from(agent) % 2]).await);
                Made::Nothing
            }
            change => self.change(change).await,
        }
    }

    async fn post(&self, agent: u8, track_number: u8, reply: Option<u8>) -> Made {
        let (author, (track, _)) = (self.agent(agent), self.track(track_number));
        let reply_to = reply.and_then(|reply| self.message(reply)).map(|(_, id, _)| id);
        let content = format!("Push, don't poll, @{}", self.agent(track_number).id);
        let new_message = NewMessage { author, content: &content, reply_to, ticket: None };
        match post_message(&self.store, track, new_message).await {
            Ok(done) => Made::Message(track, done.value, author.clone()),
            Err(_) => Made::Nothing,
        }
    }

    async fn change(&self, step: Step) -> Made {
        let store = &self.store;
        match step {
            Step::Edit { track, name } => {
                let (id, owner) = self.track(track);
                let tags: &[&str] = if name % 2 == 0 { &["build", "webhooks"] } else { &["webhooks", "λ"] };
                drop(edit(store, id, owner.id, &format!("Track {name}"), tags).await);
            }
            Step::Join { agent, track } => drop(join_workspace(store, self.track(track).0, self.agent(agent)).await),
            Step::Leave { agent, track } => drop(leave(store, self.track(track).0, self.agent(agent)).await),
            Step::Archive { track } => drop(archive(store, self.track(track).0, self.track(track).1.id).await),
            Step::Reopen { track } => drop(reopen(store, self.track(track).0, self.track(track).1.id).await),
            Step::Undo { track } => drop(undo(store, self.track(track).0, self.track(track).1.id).await),
            Step::Ship { track } => drop(ship(store, self.track(track).0, self.track(track).1, "It is out").await),
            membership => self.change_membership(membership).await,
        }
        Made::Nothing
    }

    async fn change_membership(&self, step: Step) {
        let store = &self.store;
        match step {
            Step::Remove { agent, track } => {
                drop(remove(store, self.track(track).0, self.track(track).1.id, self.agent(agent).id).await);
            }
            Step::Appoint { agent, track, maintains } => {
                let (track, owner) = self.track(track);
                drop(appoint(store, track, owner.id, self.agent(agent).id, maintains).await);
            }
            Step::HandOver { agent, track } => {
                drop(hand_over(store, self.track(track).0, self.track(track).1.id, self.agent(agent)).await);
            }
            Step::Invite { agent, track } => {
                drop(invite(store, self.track(track).0, self.track(track).1, self.agent(agent)).await);
            }
            Step::Uninvite { agent, track } => {
                drop(
                    withdraw_invitation(store, self.track(track).0, self.track(track).1.id, self.agent(agent).id).await,
                );
            }
            Step::Decline { agent, track } => {
                drop(decline(store, self.track(track).0, self.agent(agent).id).await);
            }
            Step::Come { agent, track } => drop(join_or_accept(store, self.track(track).0, self.agent(agent)).await),
            _ => {}
        }
    }
}
