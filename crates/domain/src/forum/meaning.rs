//! The meaning of events in the forum: locations, summaries and inbox items.

use super::{PostEvent, ReplyEvent, SolutionEvent};
use crate::{
    actors::ActorId,
    event::Meaning,
    inbox_items::{InboxChange, ItemKind},
    locations::{Location, MembershipChange},
    markdown::preview,
    one_line::{EXCERPT, excerpt, line},
};

impl Meaning for PostEvent {
    fn locations(&self) -> Vec<Location> {
        let author = match self {
            Self::Written(data) => data.author.id,
            Self::Edited(data) => data.editor.id,
            Self::Redacted(data) => data.author.id,
        };
        vec![Location::Actor(author)]
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        match self {
            Self::Written(data) => Some(format!("{} asked: {}", line(&data.author.name), excerpt(&data.title))),
            Self::Edited(data) => Some(format!("{} edited a post: {}", line(&data.editor.name), excerpt(&data.title))),
            Self::Redacted(_) => None,
        }
    }

    fn changes_visibility(&self) -> bool {
        false
    }

    fn inbox(&self) -> InboxChange {
        match self {
            Self::Written(data) => InboxChange::concerned(&data.concerns, data.author.id, data.post_id),
            Self::Edited(data) => InboxChange::concerned(&data.concerns, data.editor.id, data.post_id),
            Self::Redacted(data) => InboxChange::removal(data.post_id),
        }
    }
}

impl Meaning for ReplyEvent {
    /// The reply's author and the post's author.
    fn locations(&self) -> Vec<Location> {
        let (author, asker) = match self {
            Self::Written(data) => (data.author.id, data.post_author_id),
            Self::Edited(data) => (data.editor.id, data.post_author_id),
            Self::Redacted(data) => (data.author.id, data.post_author_id),
        };
        actors(author, asker.unwrap_or(author))
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        match self {
            Self::Written(data) => {
                Some(format!("{} replied: {}", line(&data.author.name), preview(&data.body, EXCERPT)))
            }
            Self::Edited(data) => {
                Some(format!("{} edited a reply: {}", line(&data.editor.name), preview(&data.body, EXCERPT)))
            }
            Self::Redacted(_) => None,
        }
    }

    fn changes_visibility(&self) -> bool {
        false
    }

    fn inbox(&self) -> InboxChange {
        match self {
            Self::Written(data) => InboxChange::concerned(&data.concerns, data.author.id, data.reply_id),
            Self::Edited(data) => InboxChange::concerned(&data.concerns, data.editor.id, data.reply_id),
            Self::Redacted(data) => InboxChange::removal(data.reply_id),
        }
    }
}

impl Meaning for SolutionEvent {
    /// The deciding actor and the reply's author.
    fn locations(&self) -> Vec<Location> {
        match self {
            Self::Accepted(data) => actors(data.by, data.reply_author_id),
            Self::Withdrawn(data) => actors(data.by, data.reply_author_id),
        }
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        match self {
            Self::Accepted(data) => Some(format!("{} was accepted as the solution of {}", data.reply_id, data.post_id)),
            Self::Withdrawn(_) => None,
        }
    }

    fn changes_visibility(&self) -> bool {
        false
    }

    fn inbox(&self) -> InboxChange {
        match self {
            Self::Accepted(data) => {
                InboxChange::item(data.reply_author_id, Some(data.by), ItemKind::Solution, data.reply_id)
            }
            Self::Withdrawn(data) => InboxChange::removal_of(ItemKind::Solution, data.reply_id, None),
        }
    }
}

fn actors(one: ActorId, other: ActorId) -> Vec<Location> {
    let mut locations = vec![Location::Actor(one), Location::Actor(other)];
    locations.dedup();
    locations
}

#[cfg(test)]
mod tests {
    use super::super::{
        PostEdited, PostRedacted, PostWritten, ReplyEdited, ReplyRedacted, ReplyWritten, SolutionAccepted,
        SolutionWithdrawn,
    };
    use super::*;
    use crate::{
        event_tests::{agent, meanings},
        ids::{PostId, ReplyId},
        mentions::Recipients,
    };
    use uuid::Uuid;

    const POST: PostId = PostId::new(Uuid::from_u128(5));
    const REPLY: ReplyId = ReplyId::new(Uuid::from_u128(6));

    #[test]
    fn a_post_belongs_to_its_author() {
        let (post_id, title, body, author, editor) = (POST, "How\nso?".to_owned(), String::new(), agent(1), agent(2));
        let mentions = vec![agent(1).id, agent(3).id];
        let concerns = Recipients { mentions, answers: vec![agent(3).id, agent(4).id] };
        let mentioned = Recipients { mentions: vec![agent(2).id, agent(1).id], answers: vec![] };
        let written = PostWritten { post_id, author, title: title.clone(), body: body.clone(), tags: vec![], concerns };
        let edited = PostEdited { post_id, editor, title, body, tags: vec![], concerns: mentioned };
        let redacted = PostRedacted { post_id, author: agent(1) };
        assert_eq!(
            meanings::<PostEvent>([written.into(), edited.into(), redacted.into()]),
            [
                "post.written @ag_1: Agent 1 asked: How so?; adds mention post_5 for ag_3; adds reply post_5 for ag_4",
                "post.edited @ag_2: Agent 2 edited a post: How so?; adds mention post_5 for ag_1",
                "post.redacted @ag_1: post redacted; removes every item post_5",
            ]
        );
    }

    fn reply_events(post_author_id: Option<ActorId>) -> [ReplyEvent; 3] {
        let (reply_id, post_id, reply_to, body) = (REPLY, POST, None, "So\nfar.".to_owned());
        let (author, editor) = (agent(1), agent(1));
        let concerns = Recipients { mentions: vec![], answers: vec![agent(3).id] };
        let mentioned = Recipients { mentions: vec![agent(4).id], answers: vec![] };
        [
            ReplyWritten { reply_id, post_id, post_author_id, author, body: body.clone(), reply_to, concerns }.into(),
            ReplyEdited { reply_id, post_id, post_author_id, editor, body, concerns: mentioned }.into(),
            ReplyRedacted { reply_id, post_id, post_author_id, author: agent(1), reply_to }.into(),
        ]
    }

    #[test]
    fn a_reply_belongs_to_its_author_and_the_posts_author() {
        assert_eq!(
            meanings(reply_events(Some(agent(3).id))),
            [
                concat!(
                    "reply.written @ag_1 ag_3: Agent 1 replied: So far.; ",
                    "pushes forum.reply to the participants of post_5 except ag_1; adds reply reply_6 for ag_3",
                ),
                "reply.edited @ag_1 ag_3: Agent 1 edited a reply: So far.; adds mention reply_6 for ag_4",
                "reply.redacted @ag_1 ag_3: reply redacted; removes every item reply_6",
            ]
        );
        for event in reply_events(Some(agent(1).id)).into_iter().chain(reply_events(None)) {
            assert_eq!(event.locations(), [Location::Actor(agent(1).id)], "{event:?}");
        }
    }

    #[test]
    fn a_solution_belongs_to_the_deciding_actor_and_the_replys_author() {
        let (post_id, reply_id, by, author) = (POST, REPLY, agent(1).id, agent(2).id);
        let accepted = |reply_author_id| SolutionAccepted { post_id, reply_id, reply_author_id, by }.into();
        let withdrawn = SolutionWithdrawn { post_id, reply_id, reply_author_id: author, by }.into();
        assert_eq!(
            meanings::<SolutionEvent>([accepted(author), accepted(by), withdrawn]),
            [
                concat!(
                    "post.solution_accepted @ag_1 ag_2: reply_6 was accepted as the solution of post_5; ",
                    "adds solution reply_6 for ag_2",
                ),
                "post.solution_accepted @ag_1: reply_6 was accepted as the solution of post_5",
                "post.solution_withdrawn @ag_1 ag_2: post solution withdrawn; removes solution reply_6",
            ]
        );
    }
}
