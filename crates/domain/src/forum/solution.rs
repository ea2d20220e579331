//! The accepted solution of a post: at most one reply, in a stream beside the post.

use serde::{Deserialize, Serialize};

use super::{ForumError, Post, Reply};
use crate::{
    actors::ActorId,
    decide::{Command, State},
    event::event_set,
    ids::{PostId, ReplyId},
};

event_set! {
    /// The solution of a post; stream `solution:post_…`.
    pub enum SolutionEvent: Uncached {
        /// The post's author accepted a reply.
        Accepted(SolutionAccepted) = "post.solution_accepted", Public, [];
        /// The reply is no longer the solution: the post's author withdrew the acceptance, or the reply's author
        /// redacted the reply.
        Withdrawn(SolutionWithdrawn) = "post.solution_withdrawn", Public, [];
    }
}

/// See [`SolutionEvent::Accepted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SolutionAccepted {
    /// The solved post.
    pub post_id: PostId,
    /// The solution.
    pub reply_id: ReplyId,
    /// The reply's author.
    pub reply_author_id: ActorId,
    /// The actor that accepted it.
    pub by: ActorId,
}

/// See [`SolutionEvent::Withdrawn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SolutionWithdrawn {
    /// The post that was solved.
    pub post_id: PostId,
    /// The reply that was the solution.
    pub reply_id: ReplyId,
    /// The reply's author.
    pub reply_author_id: ActorId,
    /// The post's author, who withdrew the acceptance, or the reply's author, who redacted the reply.
    pub by: ActorId,
}

/// An accepted reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    /// The reply.
    pub reply_id: ReplyId,
    /// The reply's author.
    pub reply_author_id: ActorId,
}

/// The accepted solution of a post, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Solution(pub Option<Accepted>);

impl State for Solution {
    type Event = SolutionEvent;

    fn apply(self, event: &SolutionEvent) -> Self {
        match event {
            SolutionEvent::Accepted(SolutionAccepted { reply_id, reply_author_id, .. }) => {
                Self(Some(Accepted { reply_id: *reply_id, reply_author_id: *reply_author_id }))
            }
            SolutionEvent::Withdrawn(_) => Self(None),
        }
    }
}

impl Solution {
    fn withdrawn(&self, post_id: PostId, by: ActorId) -> Option<SolutionEvent> {
        let Accepted { reply_id, reply_author_id } = self.0?;
        Some(SolutionWithdrawn { post_id, reply_id, reply_author_id, by }.into())
    }
}

fn asked_by(post: &Post, actor: ActorId) -> Result<(), ForumError> {
    if post.existing()?.author.id == actor { Ok(()) } else { Err(ForumError::NotAsker) }
}

/// Accepts a reply, replacing the previously accepted reply. Accepting it again changes nothing.
#[derive(Debug, Clone)]
pub struct AcceptSolution {
    /// The post.
    pub post_id: PostId,
    /// The reply.
    pub reply_id: ReplyId,
    /// The caller.
    pub by: ActorId,
}

/// The input of [`AcceptSolution`].
#[derive(Debug)]
pub struct Accepting<'a> {
    /// The post.
    pub post: &'a Post,
    /// The reply.
    pub reply: &'a Reply,
    /// The current solution of the post.
    pub solution: &'a Solution,
}

impl Command for AcceptSolution {
    type State<'a> = Accepting<'a>;
    type Event = SolutionEvent;
    type Error = ForumError;

    fn decide(&self, Accepting { post, reply, solution }: Accepting<'_>) -> Result<Vec<SolutionEvent>, ForumError> {
        asked_by(post, self.by)?;
        let metadata = reply.to(self.post_id).map_err(|_| ForumError::SolutionNotFound)?;
        if reply.redacted {
            return Err(ForumError::Redacted);
        }
        if solution.0.is_some_and(|accepted| accepted.reply_id == self.reply_id) {
            return Ok(vec![]);
        }
        let Self { post_id, reply_id, by } = *self;
        let accepted = SolutionAccepted { post_id, reply_id, reply_author_id: metadata.author.id, by };
        Ok(solution.withdrawn(post_id, by).into_iter().chain([accepted.into()]).collect())
    }
}

/// Withdraws the acceptance. If no reply is accepted, nothing changes.
#[derive(Debug, Clone)]
pub struct WithdrawSolution {
    /// The post.
    pub post_id: PostId,
    /// The caller.
    pub by: ActorId,
}

/// The input of [`WithdrawSolution`].
#[derive(Debug)]
pub struct Withdrawing<'a> {
    /// The post.
    pub post: &'a Post,
    /// The current solution of the post.
    pub solution: &'a Solution,
}

impl Command for WithdrawSolution {
    type State<'a> = Withdrawing<'a>;
    type Event = SolutionEvent;
    type Error = ForumError;

    fn decide(&self, Withdrawing { post, solution }: Withdrawing<'_>) -> Result<Vec<SolutionEvent>, ForumError> {
        asked_by(post, self.by)?;
        Ok(solution.withdrawn(self.post_id, self.by).into_iter().collect())
    }
}

/// Withdraws the acceptance of a redacted reply, if it is the solution. The redaction command has checked the caller's
/// rights.
#[derive(Debug, Clone)]
pub struct LoseSolution {
    /// The post.
    pub post_id: PostId,
    /// The reply.
    pub reply_id: ReplyId,
    /// The reply's author.
    pub by: ActorId,
}

impl Command for LoseSolution {
    type State<'a> = &'a Solution;
    type Event = SolutionEvent;
    type Error = ForumError;

    fn decide(&self, solution: &Solution) -> Result<Vec<SolutionEvent>, ForumError> {
        let lost = solution.0.is_some_and(|accepted| accepted.reply_id == self.reply_id);
        Ok(if lost { solution.withdrawn(self.post_id, self.by).into_iter().collect() } else { vec![] })
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            ReplyRedacted, ReplyWritten,
            tests::{ELSEWHERE, POST, agent, reply, reply_id, written},
        },
        *,
    };
    use crate::decide::testing::given;
    use proptest::prelude::*;

    fn accepted(author: u128) -> SolutionAccepted {
        let reply_author_id = agent(author).id;
        SolutionAccepted { post_id: POST, reply_id: reply_id(author * 10), reply_author_id, by: agent(1).id }
    }

    fn withdrawn(author: u128, by: u128) -> SolutionWithdrawn {
        let SolutionAccepted { post_id, reply_id, reply_author_id, .. } = accepted(author);
        SolutionWithdrawn { post_id, reply_id, reply_author_id, by: agent(by).id }
    }

    fn accept(by: u128, reply: &Reply, solution: &Solution) -> Result<Vec<SolutionEvent>, ForumError> {
        let reply_id = reply.metadata.as_ref().map_or(reply_id(99), |metadata| metadata.reply_id);
        let command = AcceptSolution { post_id: POST, reply_id, by: agent(by).id };
        command.decide(Accepting { post: &given([written().into()]), reply, solution })
    }

    #[test]
    fn the_posts_author_accepts_one_reply_at_a_time() {
        let [first, second] = [2, 3].map(|author| given::<Reply>([reply(author).into()]));
        assert_eq!(accept(1, &first, &Solution::default()), Ok(vec![accepted(2).into()]));
        let solution = given::<Solution>([accepted(2).into()]);
        assert_eq!(accept(1, &first, &solution), Ok(vec![]));
        assert_eq!(accept(1, &second, &solution), Ok(vec![withdrawn(2, 1).into(), accepted(3).into()]));
    }

    #[test]
    fn other_actors_neither_accept_nor_withdraw_a_solution() {
        assert_eq!(accept(2, &given([reply(2).into()]), &Solution::default()), Err(ForumError::NotAsker));
        let (post, solution) = (given([written().into()]), given([accepted(2).into()]));
        let withdraw = |by, post: &Post| {
            let command = WithdrawSolution { post_id: POST, by: agent(by).id };
            command.decide(Withdrawing { post, solution: &solution })
        };
        assert_eq!(withdraw(2, &post), Err(ForumError::NotAsker));
        assert_eq!(withdraw(1, &post), Ok(vec![withdrawn(2, 1).into()]));
        assert_eq!(withdraw(1, &Post::default()), Err(ForumError::PostNotFound));
    }

    #[test]
    fn missing_foreign_and_redacted_replies_cannot_be_accepted() {
        let ReplyWritten { reply_id, post_id, post_author_id, author, reply_to, .. } = reply(2);
        let gone = given::<Reply>([ReplyRedacted { reply_id, post_id, post_author_id, author, reply_to }.into()]);
        let elsewhere = given::<Reply>([ReplyWritten { post_id: ELSEWHERE, ..reply(2) }.into()]);
        for (reply, error) in [
            (Reply::default(), ForumError::SolutionNotFound),
            (elsewhere, ForumError::SolutionNotFound),
            (gone, ForumError::Redacted),
        ] {
            assert_eq!(accept(1, &reply, &Solution::default()), Err(error));
        }
    }

    #[test]
    fn redacting_the_solution_withdraws_it() {
        let lose = |number| LoseSolution { post_id: POST, reply_id: reply_id(number), by: agent(2).id };
        let solution = given::<Solution>([accepted(2).into()]);
        assert_eq!(lose(20).decide(&solution), Ok(vec![withdrawn(2, 2).into()]));
        assert_eq!(lose(30).decide(&solution), Ok(vec![]));
        assert_eq!(lose(20).decide(&Solution::default()), Ok(vec![]));
    }

    proptest! {
        #[test]
        fn acceptances_and_their_ends_alternate(steps in prop::collection::vec((2_u128..5, any::<bool>()), 0..30)) {
            let post = given::<Post>([written().into()]);
            let (mut solution, mut open) = (Solution::default(), false);
            for (author, accepts) in steps {
                let events = if accepts {
                    accept(1, &given([reply(author).into()]), &solution)
                } else {
                    let command = WithdrawSolution { post_id: POST, by: agent(1).id };
                    command.decide(Withdrawing { post: &post, solution: &solution })
                };
                for event in events.unwrap() {
                    prop_assert_eq!(matches!(event, SolutionEvent::Withdrawn(_)), open);
                    open = !open;
                    solution = solution.apply(&event);
                }
                prop_assert_eq!(solution.0.map(|accepted| accepted.reply_id), accepts.then(|| reply_id(author * 10)));
            }
        }
    }
}
