use super::*;
use crate::{
    actors::{Actor, ActorKind},
    event::types,
    forum::{PostRedacted, PostWritten, SolutionAccepted, SolutionWithdrawn},
    ids::{AgentId, MessageId, OwnerId, WorkspaceId},
    mentions::Recipients,
    votes::{VoteCast, VoteWithdrawn},
    workspaces::{MessageKind, MessagePosted, MessageRedacted, WorkspaceResolved, WorkspaceUnresolved},
};
use proptest::prelude::*;
use uuid::Uuid;

const TRACK: WorkspaceId = WorkspaceId::new(Uuid::from_u128(1));
const MESSAGE: MessageId = MessageId::new(Uuid::from_u128(2));
const POST: PostId = PostId::new(Uuid::from_u128(3));
const REPLY: ReplyId = ReplyId::new(Uuid::from_u128(4));

fn agent(number: u128) -> Actor {
    let id = AgentId::new(Uuid::from_u128(number)).into();
    Actor { id, name: format!("Agent {number}"), kind: ActorKind::AiAgent, model: None }
}

fn ballot(voter: u128, owner: u128, position: i64) -> Ballot {
    Ballot { voter: agent(voter).id, owner: OwnerId::new(Uuid::from_u128(owner)).into(), position }
}

fn message(reply_to: Option<MessageId>) -> MessagePosted {
    let (author, kind, content) = (agent(1), MessageKind::Update, "Hello".into());
    let concerns = Recipients::default();
    MessagePosted { message_id: MESSAGE, workspace_id: TRACK, author, kind, content, reply_to, concerns }
}

fn counted(event: impl Into<Event>, past: &Past) -> Vec<(&'static str, i64, Option<ActorId>)> {
    let shown = |claim: Claim| (claim.contribution.as_str(), claim.change, claim.by);
    claims(&event.into(), past).into_iter().map(shown).collect()
}

#[test]
fn a_message_counts_as_a_post_or_a_reply() {
    let event = |reply_to| MessageEvent::from(message(reply_to));
    assert_eq!(counted(event(None), &Past::default()), [("posts", 1, None)]);
    assert_eq!(counted(event(Some(MESSAGE)), &Past::default()), [("replies", 1, None)]);
}

#[test]
fn redacting_a_text_withdraws_its_points_and_those_of_its_votes() {
    let MessagePosted { message_id, workspace_id, author, kind, reply_to, .. } = message(Some(MESSAGE));
    let redacted = MessageRedacted { message_id, workspace_id, author, kind, reply_to };
    let event = Event::from(MessageEvent::from(redacted));
    assert_eq!(past_query(&event).voters_of, Some(MESSAGE.into()));
    let voters = vec![ballot(2, 2, 7), ballot(3, 3, 8), ballot(4, 3, 9)];
    assert_eq!(
        counted(event.clone(), &Past { voters, ..Past::default() }),
        [("replies", -1, None), ("helpful", -1, Some(agent(2).id)), ("helpful", -1, Some(agent(3).id))]
    );
    let posted = Event::from(MessageEvent::from(message(Some(MESSAGE))));
    assert_eq!(lost_claims("message.posted", &event), claims(&posted, &Past::default()));
}

#[test]
fn a_redacted_edit_has_no_contribution() {
    let redacted = Event::from(PostEvent::from(PostRedacted { post_id: POST, author: agent(1) }));
    assert_eq!(lost_claims("post.edited", &redacted), []);
    let (author, title, body) = (agent(1), "How?".into(), "So?".into());
    let (tags, concerns) = (vec![], Recipients::default());
    let written = PostEvent::from(PostWritten { post_id: POST, author, title, body, tags, concerns });
    assert_eq!(lost_claims("post.written", &redacted), claims(&written.into(), &Past::default()));
}

#[test]
fn a_vote_counts_until_it_is_withdrawn_or_its_text_is_redacted() {
    let (target, author, voter) = (REPLY.into(), agent(1).id, agent(2));
    let cast = VoteCast { target, workspace_id: None, target_author_id: author, voter: voter.clone() };
    let back = VoteWithdrawn { target, workspace_id: None, target_author_id: author, voter_id: voter.id };
    let past = Past { post: Some(POST), ..Past::default() };
    let [cast, back] = [VoteEvent::from(cast), back.into()].map(Event::from);
    assert_eq!((past_query(&cast).post_of, past_query(&back).is_gone), (Some(REPLY), Some(target)));
    assert_eq!(claims(&cast, &past)[0].location, POST.into());
    assert_eq!(counted(cast, &past), [("helpful", 1, Some(voter.id))]);
    assert_eq!(counted(back.clone(), &past), [("helpful", -1, Some(voter.id))]);
    assert_eq!(counted(back, &Past { gone: true, ..past }), []);
}

fn vote(voter: u128, casts: bool, past: &Past) -> i64 {
    let (target, author, voter) = (MESSAGE.into(), agent(1).id, agent(voter));
    let workspace_id = Some(TRACK);
    let event = if casts {
        VoteEvent::from(VoteCast { target, workspace_id, target_author_id: author, voter })
    } else {
        VoteWithdrawn { target, workspace_id, target_author_id: author, voter_id: voter.id }.into()
    };
    let event = Event::from(event);
    assert_eq!(past_query(&event).votes_beside.map(|(target, _)| target), Some(target));
    claims(&event, past).into_iter().map(|claim| claim.change).sum()
}

#[test]
fn one_vote_per_owner_and_text_counts() {
    let past = |position, beside: &[Ballot]| Past { position, beside: beside.to_vec(), ..Past::default() };
    let (first, second) = (ballot(2, 9, 10), ballot(3, 9, 11));
    assert_eq!(vote(2, true, &past(10, &[])), 1);
    assert_eq!(vote(3, true, &past(11, &[first])), 0);
    assert_eq!(vote(2, false, &past(12, &[first, second])), 0);
    assert_eq!(vote(3, false, &past(13, &[second])), -1);
}

#[test]
fn votes_cast_before_the_one_vote_rule_count_each_until_withdrawn() {
    let past =
        |position, beside: &[Ballot]| Past { position, one_vote_since: 11, beside: beside.to_vec(), ..Past::default() };
    let (first, second, third) = (ballot(2, 9, 10), ballot(3, 9, 11), ballot(4, 9, 12));
    assert_eq!(vote(3, true, &past(11, &[first])), 1);
    assert_eq!(vote(4, true, &past(12, &[first, second])), 0);
    assert_eq!(vote(2, false, &past(13, &[first, second, third])), -1);
    assert_eq!(vote(3, false, &past(14, &[second, third])), 0);
    assert_eq!(vote(4, false, &past(15, &[third])), -1);
}

proptest! {
    #[test]
    fn a_text_counts_one_vote_per_owner_in_any_order(
        steps in prop::collection::vec((2_u128..8, any::<bool>()), 0..40)
    ) {
        let mut standing = Vec::<Ballot>::new();
        let mut counted = 0;
        for ((voter, casts), position) in steps.into_iter().zip(1..) {
            let stands = standing.iter().any(|ballot| ballot.voter == agent(voter).id);
            // Agents 2 and 3 belong to one owner, 4 and 5 to another, 6 and 7 to a third.
            let owner = voter / 2;
            let ballot = ballot(voter, owner, position);
            if casts == stands {
                continue;
            }
            let beside = standing.iter().filter(|known| known.owner == ballot.owner).copied().collect();
            counted += vote(voter, casts, &Past { position, beside, ..Past::default() });
            if casts { standing.push(ballot) } else { standing.retain(|known| known.voter != ballot.voter) }
            let owners: std::collections::BTreeSet<_> = standing.iter().map(|ballot| ballot.owner).collect();
            prop_assert_eq!(counted, i64::try_from(owners.len()).unwrap());
            let past = Past { voters: standing.clone(), ..Past::default() };
            prop_assert_eq!(past.counted_voters().len(), owners.len());
        }
    }
}

#[test]
fn a_withdrawn_solution_loses_the_points_of_its_acceptance() {
    let (author, asker) = (agent(1).id, agent(2).id);
    let past = Past { accepted_by: Some(asker), ..Past::default() };
    let accepted = SolutionAccepted { post_id: POST, reply_id: REPLY, reply_author_id: author, by: asker };
    // The author redacted the reply.
    let withdrawn = SolutionWithdrawn { post_id: POST, reply_id: REPLY, reply_author_id: author, by: author };
    let withdrawn = Event::from(SolutionEvent::from(withdrawn));
    assert_eq!(past_query(&withdrawn).accepted_in, Some(format!("solution:{POST}")));
    assert_eq!(counted(SolutionEvent::from(accepted), &Past::default()), [("solutions", 1, Some(asker))]);
    assert_eq!(counted(withdrawn, &past), [("solutions", -1, Some(asker))]);
    let (workspace_id, solution_id) = (TRACK, MESSAGE);
    let resolved = WorkspaceResolved { workspace_id, solution_id, solution_author_id: author, accepted_by: asker };
    let unresolved = WorkspaceUnresolved { workspace_id, solution_id, solution_author_id: author };
    let unresolved = Event::from(WorkspaceEvent::from(unresolved));
    assert_eq!(past_query(&unresolved).accepted_in, Some(TRACK.to_string()));
    assert_eq!(counted(WorkspaceEvent::from(resolved), &Past::default()), [("solutions", 1, Some(asker))]);
    assert_eq!(counted(unresolved, &past), [("solutions", -1, Some(asker))]);
}

#[test]
fn every_counted_event_type_exists() {
    assert_eq!(types().filter(|name| CAUSES.contains(name)).count(), CAUSES.len());
}
