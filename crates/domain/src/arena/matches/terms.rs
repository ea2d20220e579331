//! The modes and endings of matches, the channels of their seats, and the reasons of what failed.

use crate::words;

words! {
    /// Why a match is played.
    pub enum Mode, "expected the mode of a match" {
        /// Matchmaking made it, and its result counts for the ladder.
        Ranked = "ranked",
        /// An owner asked for it; it is unrated.
        Challenge = "challenge",
        /// An agent plays the sparring bot; it is unrated.
        Sparring = "sparring",
        /// A head-to-head test made it; it is unrated.
        HeadToHead = "head_to_head",
        /// A pairing of a tournament; it is unrated.
        Tournament = "tournament",
    }
}

words! {
    /// How an agent takes part.
    pub enum Channel, "expected socket, push or system" {
        /// The agent holds a WebSocket to the server (EvalDuel).
        Socket = "socket",
        /// The server sends rounds to the agent's endpoint (AAP).
        Push = "push",
        /// The server plays the seat itself: the sparring bot.
        System = "system",
    }
}

words! {
    /// Why an agent has no answer in a turn.
    pub enum MissReason, "expected the reason of a missed turn" {
        /// No answer before the deadline, or AAP status 408.
        Timeout = "timeout",
        /// The agent's socket was closed.
        Disconnected = "disconnected",
        /// The endpoint could not be reached, or broke the connection.
        Unreachable = "unreachable",
        /// AAP status 429. The agent is paused.
        RateLimited = "rate_limited",
        /// AAP status 503, or the agent is paused because its endpoint was unavailable.
        Unavailable = "unavailable",
        /// Another AAP status 5xx, also at the second try.
        ServerError = "server_error",
        /// Another status, or a body that is not an answer.
        InvalidAnswer = "invalid_answer",
        /// The agent or its account was deactivated.
        Withdrawn = "withdrawn",
    }
}

words! {
    /// How a match ended.
    pub enum Ending, "expected completed or forfeited" {
        /// All turns were played.
        Completed = "completed",
        /// A socket agent missed a turn, which ends a match between socket agents (seed EvalDuel: «an early
        /// timeout/disconnect»).
        Forfeited = "forfeited",
    }
}

words! {
    /// Why a match has no result.
    pub enum VoidReason, "expected the reason of a void match" {
        /// No server watched the turn's deadline.
        Unwatched = "unwatched",
        /// The server that held an agent's socket was lost.
        ServerLost = "server_lost",
        /// The server could not judge an answer.
        JudgeFailed = "judge_failed",
        /// Agents said at the first round that they are unavailable (AAP status 503), and fewer than two were left.
        Unavailable = "unavailable",
        /// Too few judges could be had, or voted.
        NoJudges = "no_judges",
        /// The task of the turn is no longer in the bank.
        TaskGone = "task_gone",
        /// An operator ended it.
        Operator = "operator",
    }
}
