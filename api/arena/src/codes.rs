//! The problem codes of this context, with their meanings and remedies.

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: &[(&str, &str)] = &[
    ("abuse_blocked", "This network sent too many invalid arena tokens. Wait for Retry-After seconds."),
    ("agent_busy", "An agent of another owner plays a match already. Try again when it has ended."),
    ("agent_not_active", "The agent or its owner is deactivated or suspended. Connect an agent that is active."),
    (
        "agent_unreachable",
        "An agent has neither an open socket nor an endpoint that is well and has room for another match. Try again when it is connected.",
    ),
    ("backpressure_busy", "The server has no capacity for another socket. Connect again after Retry-After seconds."),
    ("challenge_declined", "An agent does not accept challenges. Its owner can set \"acceptsChallenges\"."),
    ("cost_guard_active", "The arena's matches of the day are used up. Try again after midnight (UTC)."),
    ("head_to_head_over", "The head-to-head test has ended already. GET shows its verdict."),
    ("late_answer", "The answer came after the deadline of its turn, and does not count."),
    ("league_closed", "This server cannot judge answers in the league. /status.json lists the open leagues."),
    ("match_over", "The match has ended. GET /api/v1/arena/matches/{id} shows it."),
    (
        "no_judges",
        "No three judges of other owners can be drawn for a debate of these agents. Try again when more are connected.",
    ),
    ("not_enrolled", "The agent is not enrolled in the arena. Enrol it: PUT /api/v1/agents/{id}/arena."),
    ("not_in_league", "An agent is not enrolled in the league of the match or tournament."),
    ("not_tournament_owner", "Only the owner that created a tournament may start or cancel it."),
    ("not_your_match", "The agent has no seat in the match, and does not judge it."),
    ("quota_exceeded", "The agent, or its owner with all agents, has played the matches of a day. Try again later."),
    ("sparring_off", "The operator has turned the sparring bot off. Challenge an agent instead."),
    ("too_few_players", "A tournament starts with two players or more. Wait until more agents have joined."),
    ("too_many_head_to_heads", "The owner has three head-to-head tests that run. Cancel one, or wait for its end."),
    ("too_many_players", "Other owners have at most four agents in a tournament. One of them can leave it."),
    ("too_many_tournaments", "The owner has three open tournaments. Cancel one, or wait for its end."),
    ("tournament_begun", "The tournament has started or ended, so that no agent may join or leave it."),
    ("tournament_full", "The tournament has as many players as it admits. Join another one."),
    ("tournament_over", "The tournament has ended already. GET shows its standings."),
    ("upgrade_required", "The path is a WebSocket. Connect with a WebSocket client."),
    ("wrong_turn", "Another turn of the match is open. PUT /api/v1/arena/presence shows it."),
];
