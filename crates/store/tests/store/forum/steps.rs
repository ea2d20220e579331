//! Random forum commands for property tests.

use buildtrack_domain::{
    actors::Actor,
    ids::{PostId, ReplyId},
};
use buildtrack_store::Store;
use proptest::prelude::{Strategy, any, prop_oneof};

use super::cast::{
    Judged, NewReply, accept, ask, edit_post, edit_reply, redact_post, redact_reply, remove_helpful, unaccept,
    vote_helpful, write_reply,
};

/// One command; numbers select among the existing agents, posts and replies.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ForumStep {
    Ask { agent: u8 },
    Reword { post: u8, words: u8 },
    RedactPost { post: u8 },
    React { agent: u8, post: u8, answered: Option<u8> },
    RewordReply { reply: u8, words: u8 },
    RedactReply { reply: u8 },
    Accept { reply: u8 },
    Unaccept { post: u8 },
    Vote { agent: u8, reply: Option<u8>, post: u8 },
    Withdraw { agent: u8, reply: Option<u8>, post: u8 },
}

pub(crate) fn forum_step() -> impl Strategy<Value = ForumStep> {
    let number = any::<u8>;
    prop_oneof![
        2 => number().prop_map(|agent| ForumStep::Ask { agent }),
        2 => (number(), number()).prop_map(|(post, words)| ForumStep::Reword { post, words }),
        2 => number().prop_map(|post| ForumStep::RedactPost { post }),
        8 => (number(), number(), any::<Option<u8>>())
            .prop_map(|(agent, post, answered)| ForumStep::React { agent, post, answered }),
        2 => (number(), number()).prop_map(|(reply, words)| ForumStep::RewordReply { reply, words }),
        3 => number().prop_map(|reply| ForumStep::RedactReply { reply }),
        3 => number().prop_map(|reply| ForumStep::Accept { reply }),
        1 => number().prop_map(|post| ForumStep::Unaccept { post }),
        6 => (number(), any::<Option<u8>>(), number())
            .prop_map(|(agent, reply, post)| ForumStep::Vote { agent, reply, post }),
        3 => (number(), any::<Option<u8>>(), number())
            .prop_map(|(agent, reply, post)| ForumStep::Withdraw { agent, reply, post }),
    ]
}

/// The result of a step.
pub(crate) enum Written {
    Post(PostId, Actor),
    Reply(PostId, ReplyId, Actor),
    Nothing,
}

/// The posts and replies that steps select from.
#[derive(Default)]
pub(crate) struct Forum {
    posts: Vec<(PostId, Actor)>,
    replies: Vec<(PostId, ReplyId, Actor)>,
}

impl Forum {
    /// Writes one row of everything, by two agents that no step uses, so that no table is ever empty.
    pub(crate) async fn furnish(store: &Store, [ada, bob]: [&Actor; 2]) {
        let post = ask(store, ada, "Let's begin", None).await;
        let new_reply = NewReply { author: bob, body: "Let's", reply_to: None, ticket: None };
        let reply = write_reply(store, post, new_reply).await.unwrap().value;
        accept(store, (post, reply), ada).await.unwrap();
    }

    pub(crate) fn note(&mut self, written: Written) {
        match written {
            Written::Post(id, author) => self.posts.push((id, author)),
            Written::Reply(post, id, author) => self.replies.push((post, id, author)),
            Written::Nothing => {}
        }
    }

    fn post(&self, number: u8) -> Option<(PostId, &Actor)> {
        let (id, author) = self.posts.get(usize::from(number) % self.posts.len().max(1))?;
        Some((*id, author))
    }

    fn reply(&self, number: u8) -> Option<(PostId, ReplyId, &Actor)> {
        let (post, id, author) = self.replies.get(usize::from(number) % self.replies.len().max(1))?;
        Some((*post, *id, author))
    }

    /// Refused and conflicting commands are expected; the test only requires that the tables agree with the log.
    pub(crate) async fn take(&self, store: &Store, agents: &[Actor], step: ForumStep) -> Written {
        let agent = |number: u8| &agents[usize::from(number) % agents.len()];
        match step {
            ForumStep::Ask { agent: number } => {
                let author = agent(number);
                Written::Post(ask(store, author, "How do I verify a push?", None).await, author.clone())
            }
            ForumStep::React { agent: number, post, answered } => {
                let (Some((post, _)), author) = (self.post(post), agent(number)) else { return Written::Nothing };
                let reply_to = answered.and_then(|number| self.reply(number)).map(|(_, id, _)| id);
                let new_reply = NewReply { author, body: "With HMAC-SHA256", reply_to, ticket: None };
                match write_reply(store, post, new_reply).await {
                    Ok(done) => Written::Reply(post, done.value, author.clone()),
                    Err(_) => Written::Nothing,
                }
            }
            ForumStep::Vote { agent: number, .. } | ForumStep::Withdraw { agent: number, .. } => {
                self.change_vote(store, agent(number), step).await;
                Written::Nothing
            }
            ForumStep::RewordReply { reply, .. } | ForumStep::RedactReply { reply } | ForumStep::Accept { reply } => {
                self.change_reply(store, reply, step).await;
                Written::Nothing
            }
            ForumStep::Reword { post, .. } | ForumStep::RedactPost { post } | ForumStep::Unaccept { post } => {
                self.change_post(store, post, step).await;
                Written::Nothing
            }
        }
    }

    async fn change_vote(&self, store: &Store, voter: &Actor, step: ForumStep) {
        let (ForumStep::Vote { reply, post, .. } | ForumStep::Withdraw { reply, post, .. }) = step else { return };
        let target = match reply {
            Some(number) => self.reply(number).map(|(post, id, _)| Judged::Reply(post, id)),
            None => self.post(post).map(|(id, _)| Judged::Post(id)),
        };
        let Some(target) = target else { return };
        match step {
            ForumStep::Vote { .. } => drop(vote_helpful(store, target, voter).await),
            _ => drop(remove_helpful(store, target, voter).await),
        }
    }

    async fn change_post(&self, store: &Store, number: u8, step: ForumStep) {
        let Some((post, author)) = self.post(number) else { return };
        match step {
            ForumStep::Reword { words, .. } => drop(edit_post(store, post, author, &format!("Title {words} 🦀")).await),
            ForumStep::RedactPost { .. } => drop(redact_post(store, post, author).await),
            _ => drop(unaccept(store, post, author).await),
        }
    }

    async fn change_reply(&self, store: &Store, number: u8, step: ForumStep) {
        let Some((post, reply, author)) = self.reply(number) else { return };
        match step {
            ForumStep::RewordReply { words, .. } => {
                drop(edit_reply(store, (post, reply), author, &format!("Reply {words} 🦀")).await);
            }
            ForumStep::RedactReply { .. } => drop(redact_reply(store, (post, reply), author).await),
            _ => {
                let asker = self.posts.iter().find(|(id, _)| *id == post).map(|(_, asker)| asker);
                if let Some(asker) = asker {
                    drop(accept(store, (post, reply), asker).await);
                }
            }
        }
    }
}
