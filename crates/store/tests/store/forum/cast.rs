//! Forum commands of these tests: one call is one command, as the API runs it.

use buildtrack_domain::{
    actors::Actor,
    decide::Command,
    forum::{
        AcceptSolution, Accepting, Answering, EditPost, EditReply, LoseSolution, Post, PostText, PostWritten,
        RedactPost, RedactReply, Reply, ReplyText, ReplyWritten, Solution, WithdrawSolution, Withdrawing, WritePost,
        WriteReply,
    },
    ids::{PostId, ReplyId},
    votes::{CastVote, RemoveVote, TargetId, Vote, VoteCast},
};
use buildtrack_store::{Answer, LogChange, PostFilter, PostView, ReplyFilter, ReplyView, Store, Ticket, Unit};

use crate::cast::{Outcome, Refusal, change, mentions_of};

/// A post, tagged `webhooks` and `rust`.
pub(crate) async fn ask(store: &Store, author: &Actor, title: &str, ticket: Option<Ticket>) -> PostId {
    let post_id = PostId::new(store.log().clock().uuid());
    let command = WritePost(PostWritten {
        post_id,
        author: author.clone(),
        title: title.to_owned(),
        body: format!("{title}, in **Rust**?"),
        tags: vec!["webhooks".into(), "rust".into()],
        concerns: mentions_of(store, author, title).await,
    });
    store
        .log()
        .transact::<(), Refusal>(Some(author.id), async |unit| {
            unit.begin(post_id, command.decide(())?);
            answer(unit, ticket.as_ref(), post_id.to_string(), title.to_owned());
            Ok(())
        })
        .await
        .unwrap();
    post_id
}

fn answer(unit: &mut Unit<'_>, ticket: Option<&Ticket>, subject: String, words: String) {
    unit.answer(ticket.cloned(), move |_| Answer {
        status: 201,
        location: None,
        body: format!("{{\"words\":\"{words}\"}}"),
        withheld: None,
        subject: Some(subject.clone()),
    });
}

pub(crate) async fn edit_post(store: &Store, post_id: PostId, editor: &Actor, title: &str) -> Outcome {
    let (title, tags) = (Some(title.to_owned()), Some(vec!["rust".into(), "λ".into()]));
    let mentions = vec![];
    let command = EditPost { post_id, editor: editor.clone(), title, body: None, tags, mentions };
    change(store, editor.id, post_id, async |_, text: &PostText| Ok(command.decide(text)?)).await
}

pub(crate) async fn redact_post(store: &Store, post_id: PostId, by: &Actor) -> Outcome {
    change(store, by.id, post_id, async |unit, post: &Post| {
        let events = RedactPost { by: by.id }.decide(post)?;
        if !events.is_empty() {
            unit.write_side(LogChange::Redaction { stream: post_id.to_string() });
        }
        Ok(events)
    })
    .await
}

/// A reply to be written.
pub(crate) struct NewReply<'a> {
    pub(crate) author: &'a Actor,
    pub(crate) body: &'a str,
    pub(crate) reply_to: Option<ReplyId>,
    pub(crate) ticket: Option<Ticket>,
}

pub(crate) async fn write_reply(store: &Store, post_id: PostId, new_reply: NewReply<'_>) -> Outcome<ReplyId> {
    let NewReply { author, body, reply_to, ticket } = new_reply;
    let reply_id = ReplyId::new(store.log().clock().uuid());
    let written = ReplyWritten {
        reply_id,
        post_id,
        post_author_id: None,
        author: author.clone(),
        body: body.to_owned(),
        reply_to,
        concerns: mentions_of(store, author, body).await,
    };
    let command = WriteReply(written);
    store
        .log()
        .transact(Some(author.id), async |unit| {
            let post = unit.load::<Post>(post_id).await?;
            let answered = unit.load_named::<Reply>(reply_to).await?;
            let answered = answered.as_ref().map(|answered| &*answered.state);
            unit.begin(reply_id, command.decide(Answering { post: &post.state, answered })?);
            answer(unit, ticket.as_ref(), reply_id.to_string(), body.to_owned());
            Ok(reply_id)
        })
        .await
}

pub(crate) async fn reply(store: &Store, post_id: PostId, author: &Actor, body: &str) -> ReplyId {
    let new_reply = NewReply { author, body, reply_to: None, ticket: None };
    write_reply(store, post_id, new_reply).await.unwrap().value
}

pub(crate) async fn edit_reply(
    store: &Store,
    (post_id, reply_id): (PostId, ReplyId),
    editor: &Actor,
    body: &str,
) -> Outcome {
    let mentions = mentions_of(store, editor, body).await.mentions;
    let command = EditReply { reply_id, post_id, editor: editor.clone(), body: Some(body.to_owned()), mentions };
    change(store, editor.id, reply_id, async |_, text: &ReplyText| Ok(command.decide(text)?)).await
}

/// Redacts a reply, and withdraws it as the solution where it is one.
pub(crate) async fn redact_reply(store: &Store, (post_id, reply_id): (PostId, ReplyId), by: &Actor) -> Outcome {
    change(store, by.id, reply_id, async |unit, reply: &Reply| {
        let events = RedactReply { post_id, by: by.id }.decide(reply)?;
        let stream = format!("solution:{post_id}");
        let solution = unit.load::<Solution>(&stream).await?;
        let lost = LoseSolution { post_id, reply_id, by: by.id }.decide(&solution.state)?;
        unit.append(stream, &solution, lost);
        if !events.is_empty() {
            unit.write_side(LogChange::Redaction { stream: reply_id.to_string() });
        }
        Ok(events)
    })
    .await
}

pub(crate) async fn accept(store: &Store, (post_id, reply_id): (PostId, ReplyId), by: &Actor) -> Outcome {
    let command = AcceptSolution { post_id, reply_id, by: by.id };
    store
        .log()
        .transact(Some(by.id), async |unit| {
            let (post, reply) = (unit.load::<Post>(post_id).await?, unit.load::<Reply>(reply_id).await?);
            let stream = format!("solution:{post_id}");
            let solution = unit.load::<Solution>(&stream).await?;
            let looked_at = Accepting { post: &post.state, reply: &reply.state, solution: &solution.state };
            unit.append(stream, &solution, command.decide(looked_at)?);
            Ok(())
        })
        .await
}

pub(crate) async fn unaccept(store: &Store, post_id: PostId, by: &Actor) -> Outcome {
    let command = WithdrawSolution { post_id, by: by.id };
    store
        .log()
        .transact(Some(by.id), async |unit| {
            let post = unit.load::<Post>(post_id).await?;
            let stream = format!("solution:{post_id}");
            let solution = unit.load::<Solution>(&stream).await?;
            unit.append(
                stream,
                &solution,
                command.decide(Withdrawing { post: &post.state, solution: &solution.state })?,
            );
            Ok(())
        })
        .await
}

/// The target of a vote.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Judged {
    Post(PostId),
    Reply(PostId, ReplyId),
}

impl Judged {
    fn target(self) -> TargetId {
        match self {
            Self::Post(id) => id.into(),
            Self::Reply(_, id) => id.into(),
        }
    }
}

pub(crate) async fn vote_helpful(store: &Store, judged: Judged, voter: &Actor) -> Outcome {
    let target = judged.target();
    store
        .log()
        .transact(Some(voter.id), async |unit| {
            let target_author_id = match judged {
                Judged::Post(id) => unit.load::<Post>(id).await?.state.votable()?,
                Judged::Reply(post, id) => unit.load::<Reply>(id).await?.state.votable(post)?,
            };
            let stream = Vote::stream(target, voter.id);
            let vote = unit.load::<Vote>(&stream).await?;
            let cast = CastVote(VoteCast { target, workspace_id: None, target_author_id, voter: voter.clone() })
                .decide(&vote.state)?;
            unit.append(&stream, &vote, cast);
            Ok(())
        })
        .await
}

pub(crate) async fn remove_helpful(store: &Store, judged: Judged, voter: &Actor) -> Outcome {
    let stream = Vote::stream(judged.target(), voter.id);
    change(store, voter.id, &*stream, async |_, vote: &Vote| Ok(RemoveVote.decide(vote)?)).await
}

pub(crate) async fn shown(store: &Store, post_id: PostId) -> PostView {
    store.forum().post(post_id).await.unwrap().unwrap()
}

pub(crate) async fn listed(store: &Store, filter: PostFilter) -> Vec<PostId> {
    let limit = if filter.limit == 0 { 50 } else { filter.limit };
    store.forum().posts(&PostFilter { limit, ..filter }).await.unwrap().rows.into_iter().map(|post| post.id).collect()
}

/// All replies to a post, in order.
pub(crate) async fn replies(store: &Store, post_id: PostId) -> Vec<ReplyView> {
    store.forum().replies(&every_reply(post_id)).await.unwrap().rows
}

pub(crate) fn every_reply(post_id: PostId) -> ReplyFilter {
    ReplyFilter { post_id, author: None, reply_to: None, after: None, before: None, descending: false, limit: 10_000 }
}
