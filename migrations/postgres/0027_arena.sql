-- Read tables of the arena: derived from the log, and rebuilt from it.

-- leagues: words separated by spaces.
CREATE TABLE arena_enrolments (
    agent_id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    endpoint_url TEXT,
    leagues TEXT NOT NULL,
    accepts_challenges BOOLEAN NOT NULL,
    position BIGINT NOT NULL,
    enrolled_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX arena_enrolments_by_position ON arena_enrolments (position);

-- waiting: seats that may still answer the open turn. due_at: when the turn is to be closed, which is its deadline, or the time
-- at which the last seat was settled.
CREATE TABLE arena_matches (
    id TEXT PRIMARY KEY,
    position BIGINT NOT NULL,
    league TEXT NOT NULL,
    mode TEXT NOT NULL,
    phase TEXT NOT NULL,
    seats BIGINT NOT NULL,
    turn BIGINT NOT NULL,
    turn_count BIGINT NOT NULL,
    task_id TEXT,
    waiting BIGINT NOT NULL,
    opened_at TIMESTAMPTZ,
    deadline TIMESTAMPTZ,
    due_at TIMESTAMPTZ,
    winner_id TEXT,
    ending TEXT,
    evidence TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    ended_position BIGINT,
    ended_at TIMESTAMPTZ
);
CREATE INDEX arena_matches_due ON arena_matches (due_at, id) WHERE phase = 'playing';
CREATE INDEX arena_matches_by_phase ON arena_matches (phase, position);
CREATE INDEX arena_matches_by_league ON arena_matches (league, phase, position);

-- charged_to: the owner whose budget the seat uses: the agent's, or that of the owner that asked for the match.
CREATE TABLE arena_seats (
    match_id TEXT NOT NULL,
    seat BIGINT NOT NULL,
    position BIGINT NOT NULL,
    agent_id TEXT NOT NULL,
    agent_name TEXT NOT NULL,
    agent_model TEXT,
    owner_id TEXT NOT NULL,
    charged_to TEXT NOT NULL,
    ranked BOOLEAN NOT NULL,
    channel TEXT NOT NULL,
    playing BOOLEAN NOT NULL,
    settled BOOLEAN NOT NULL,
    total BIGINT NOT NULL,
    place BIGINT,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (match_id, seat)
);
CREATE INDEX arena_seats_by_agent ON arena_seats (agent_id, position);
CREATE INDEX arena_seats_charged ON arena_seats (charged_to, position);
CREATE INDEX arena_seats_ranked ON arena_seats (agent_id, position) WHERE ranked;
CREATE INDEX arena_seats_playing ON arena_seats (agent_id) WHERE playing;
CREATE INDEX arena_seats_unsettled ON arena_seats (channel, position) WHERE playing AND NOT settled;

CREATE TABLE arena_standings (
    league TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    rating_milli BIGINT NOT NULL,
    deviation_milli BIGINT NOT NULL,
    volatility_nano BIGINT NOT NULL,
    rank_milli BIGINT NOT NULL,
    won BIGINT NOT NULL,
    drew BIGINT NOT NULL,
    lost BIGINT NOT NULL,
    position BIGINT NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (league, agent_id)
);
CREATE INDEX arena_standings_by_rank ON arena_standings (league, rank_milli, agent_id);
CREATE INDEX arena_standings_by_agent ON arena_standings (agent_id);

CREATE TABLE arena_results (
    position BIGINT PRIMARY KEY,
    agent_id TEXT NOT NULL,
    league TEXT NOT NULL,
    match_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    opponents BIGINT NOT NULL,
    opponent_id TEXT,
    outcome TEXT NOT NULL,
    place BIGINT NOT NULL,
    score BIGINT NOT NULL,
    rating_before_milli BIGINT NOT NULL,
    rating_milli BIGINT NOT NULL,
    deviation_milli BIGINT NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX arena_results_by_agent ON arena_results (agent_id, position);
CREATE INDEX arena_results_by_league ON arena_results (agent_id, league, position);

CREATE TABLE arena_days (
    day TEXT PRIMARY KEY,
    matches BIGINT NOT NULL
);

-- Side tables of the arena.

-- Answers to open turns. They become public when their turn closes, and leave this table in the same transaction.
CREATE TABLE arena_sealed_answers (
    match_id TEXT NOT NULL,
    turn BIGINT NOT NULL,
    agent_id TEXT NOT NULL,
    output TEXT NOT NULL,
    salt TEXT NOT NULL,
    rationale TEXT,
    confidence BIGINT,
    PRIMARY KEY (match_id, turn, agent_id)
);

-- name, model: what the agent said of itself on its socket.
CREATE TABLE arena_agents (
    agent_id TEXT PRIMARY KEY,
    token_hash TEXT,
    token_created_at TIMESTAMPTZ,
    disconnected_at TIMESTAMPTZ,
    name TEXT,
    model TEXT
);
CREATE UNIQUE INDEX arena_agents_by_token ON arena_agents (token_hash) WHERE token_hash IS NOT NULL;

-- The health of an agent's endpoint.
CREATE TABLE arena_endpoints (
    agent_id TEXT PRIMARY KEY,
    check_at TIMESTAMPTZ NOT NULL,
    misses BIGINT NOT NULL,
    is_healthy BOOLEAN NOT NULL,
    paused_until TIMESTAMPTZ,
    reason TEXT,
    latency_ms BIGINT,
    max_concurrent BIGINT,
    checked_at TIMESTAMPTZ
);
CREATE INDEX arena_endpoints_due ON arena_endpoints (check_at, agent_id);

-- The servers that hold agents' sockets, and these sockets. A row of a server that was lost expires.
CREATE TABLE arena_servers (
    id TEXT PRIMARY KEY,
    expires_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE arena_connections (
    agent_id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    connection_id TEXT NOT NULL,
    server_id TEXT NOT NULL,
    connected_at TIMESTAMPTZ NOT NULL,
    leagues TEXT NOT NULL,
    queued_at TIMESTAMPTZ
);
CREATE INDEX arena_connections_by_server ON arena_connections (server_id);
CREATE INDEX arena_connections_queued ON arena_connections (queued_at, agent_id) WHERE queued_at IS NOT NULL;

-- What agents report of their work for spectators (AAP). body: the reported object. Rows are kept for a day.
CREATE TABLE arena_reports (
    match_id TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    agent_id TEXT NOT NULL,
    turn BIGINT NOT NULL,
    body TEXT NOT NULL,
    reported_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (match_id, sequence)
);
CREATE INDEX arena_reports_by_time ON arena_reports (reported_at);

-- The leagues that the referee can judge, in one row.
CREATE TABLE arena_leagues (
    id BIGINT PRIMARY KEY,
    leagues TEXT NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);
