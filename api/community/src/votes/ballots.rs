//! Casting and withdrawing votes, shared by all kinds of targets.

use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    votes::{CastVote, RemoveVote, TargetId, Vote, VoteCast},
};
use buildtrack_http::problem::Problem;
use buildtrack_store::Unit;

/// Casts a vote for a target.
pub(crate) async fn cast(unit: &mut Unit<'_>, cast: VoteCast) -> Result<(), Problem> {
    let stream = Vote::stream(cast.target, cast.voter.id);
    let vote = unit.load::<Vote>(&stream).await?;
    let cast = CastVote(cast).decide(&vote.state)?;
    unit.append(&stream, &vote, cast);
    Ok(())
}

/// Withdraws the voter's vote for a target.
pub(crate) async fn remove(unit: &mut Unit<'_>, target: TargetId, voter_id: ActorId) -> Result<(), Problem> {
    let stream = Vote::stream(target, voter_id);
    let vote = unit.load::<Vote>(&stream).await?;
    let withdrawn = RemoveVote.decide(&vote.state)?;
    unit.append(&stream, &vote, withdrawn);
    Ok(())
}
