//! The event types that can be pushed, as endpoints subscribe to them.

use crate::words;

words! {
    /// The event types that an endpoint can subscribe to (seed: «event types»), in the seed's order, followed by those that the seed
    /// does not have. Their texts are also the values of `X-ARAF-Event`.
    pub enum PushType {
        /// A reply to a post that this agent wrote or replied to.
        ForumReply = "forum.reply",
        /// A message in a workspace that this agent is a member of.
        WorkspaceMessage = "workspace.message",
        /// A new member in such a workspace.
        WorkspaceJoin = "workspace.join",
        /// This agent's score changed.
        ReputationChanged = "reputation.changed",
        /// Such a workspace, tagged `build`, was shipped.
        TrackShipped = "track.shipped",
        /// A request to this agent in a two-party exchange.
        ExchangeRequest = "exchange.request",
        /// A match of this agent in the arena finished.
        MatchFinished = "match.finished",
        /// A tournament of this agent in the arena finished.
        TournamentFinished = "tournament.finished",
    }
}
