-- Read tables of the arena: derived from the log, and rebuilt from it.

-- leagues: words separated by spaces.
CREATE TABLE arena_enrolments (
    agent_id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    endpoint_url TEXT,
    leagues TEXT NOT NULL,
    accepts_challenges INTEGER NOT NULL,
    position INTEGER NOT NULL,
    enrolled_at TEXT NOT NULL
) STRICT;
CREATE INDEX arena_enrolments_by_position ON arena_enrolments (position);

-- waiting: seats that may still answer the open turn. due_at: when the turn is to be closed, which is its deadline, or the time
-- at which the last seat was settled.
CREATE TABLE arena_matches (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    league TEXT NOT NULL,
    mode TEXT NOT NULL,
    phase TEXT NOT NULL,
    seats INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    turn_count INTEGER NOT NULL,
    task_id TEXT,
    waiting INTEGER NOT NULL,
    opened_at TEXT,
    deadline TEXT,
    due_at TEXT,
    winner_id TEXT,
    ending TEXT,
    evidence TEXT,
    created_at TEXT NOT NULL,
    ended_position INTEGER,
    ended_at TEXT
) STRICT;
CREATE INDEX arena_matches_due ON arena_matches (due_at, id) WHERE phase = 'playing';
CREATE INDEX arena_matches_by_phase ON arena_matches (phase, position);
CREATE INDEX arena_matches_by_league ON arena_matches (league, phase, position);

-- charged_to: the owner whose budget the seat uses: the agent's, or that of the owner that asked for the match.
CREATE TABLE arena_seats (
    match_id TEXT NOT NULL,
    seat INTEGER NOT NULL,
    position INTEGER NOT NULL,
    agent_id TEXT NOT NULL,
    agent_name TEXT NOT NULL,
    agent_model TEXT,
    owner_id TEXT NOT NULL,
    charged_to TEXT NOT NULL,
    ranked INTEGER NOT NULL,
    channel TEXT NOT NULL,
    playing INTEGER NOT NULL,
    settled INTEGER NOT NULL,
    total INTEGER NOT NULL,
    place INTEGER,
    created_at TEXT NOT NULL,
    PRIMARY KEY (match_id, seat)
) STRICT;
CREATE INDEX arena_seats_by_agent ON arena_seats (agent_id, position);
CREATE INDEX arena_seats_charged ON arena_seats (charged_to, position);
CREATE INDEX arena_seats_ranked ON arena_seats (agent_id, position) WHERE ranked;
CREATE INDEX arena_seats_playing ON arena_seats (agent_id) WHERE playing;
CREATE INDEX arena_seats_unsettled ON arena_seats (channel, position) WHERE playing AND NOT settled;

CREATE TABLE arena_standings (
    league TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    rating_milli INTEGER NOT NULL,
    deviation_milli INTEGER NOT NULL,
    volatility_nano INTEGER NOT NULL,
    rank_milli INTEGER NOT NULL,
    won INTEGER NOT NULL,
    drew INTEGER NOT NULL,
    lost INTEGER NOT NULL,
    position INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (league, agent_id)
) STRICT;
CREATE INDEX arena_standings_by_rank ON arena_standings (league, rank_milli, agent_id);
CREATE INDEX arena_standings_by_agent ON arena_standings (agent_id);

CREATE TABLE arena_results (
    position INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    league TEXT NOT NULL,
    match_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    opponents INTEGER NOT NULL,
    opponent_id TEXT,
    outcome TEXT NOT NULL,
    place INTEGER NOT NULL,
    score INTEGER NOT NULL,
    rating_before_milli INTEGER NOT NULL,
    rating_milli INTEGER NOT NULL,
    deviation_milli INTEGER NOT NULL,
    recorded_at TEXT NOT NULL
) STRICT;
CREATE INDEX arena_results_by_agent ON arena_results (agent_id, position);
CREATE INDEX arena_results_by_league ON arena_results (agent_id, league, position);

CREATE TABLE arena_days (
    day TEXT PRIMARY KEY,
    matches INTEGER NOT NULL
) STRICT;

-- Side tables of the arena.

-- Answers to open turns. They become public when their turn closes, and leave this table in the same transaction.
CREATE TABLE arena_sealed_answers (
    match_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    agent_id TEXT NOT NULL,
    output TEXT NOT NULL,
    salt TEXT NOT NULL,
    rationale TEXT,
    confidence INTEGER,
    PRIMARY KEY (match_id, turn, agent_id)
) STRICT;

-- name, model: what the agent said of itself on its socket.
CREATE TABLE arena_agents (
    agent_id TEXT PRIMARY KEY,
    token_hash TEXT,
    token_created_at TEXT,
    disconnected_at TEXT,
    name TEXT,
    model TEXT
) STRICT;
CREATE UNIQUE INDEX arena_agents_by_token ON arena_agents (token_hash) WHERE token_hash IS NOT NULL;

-- The health of an agent's endpoint.
CREATE TABLE arena_endpoints (
    agent_id TEXT PRIMARY KEY,
    check_at TEXT NOT NULL,
    misses INTEGER NOT NULL,
    is_healthy INTEGER NOT NULL,
    paused_until TEXT,
    reason TEXT,
    latency_ms INTEGER,
    max_concurrent INTEGER,
    checked_at TEXT
) STRICT;
CREATE INDEX arena_endpoints_due ON arena_endpoints (check_at, agent_id);

-- The servers that hold agents' sockets, and these sockets. A row of a server that was lost expires.
CREATE TABLE arena_servers (
    id TEXT PRIMARY KEY,
    expires_at TEXT NOT NULL
) STRICT;

CREATE TABLE arena_connections (
    agent_id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    connection_id TEXT NOT NULL,
    server_id TEXT NOT NULL,
    connected_at TEXT NOT NULL,
    leagues TEXT NOT NULL,
    queued_at TEXT
) STRICT;
CREATE INDEX arena_connections_by_server ON arena_connections (server_id);
CREATE INDEX arena_connections_queued ON arena_connections (queued_at, agent_id) WHERE queued_at IS NOT NULL;

-- What agents report of their work for spectators (AAP). body: the reported object. Rows are kept for a day.
CREATE TABLE arena_reports (
    match_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    agent_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    body TEXT NOT NULL,
    reported_at TEXT NOT NULL,
    PRIMARY KEY (match_id, sequence)
) STRICT;
CREATE INDEX arena_reports_by_time ON arena_reports (reported_at);

-- The leagues that the referee can judge, in one row.
CREATE TABLE arena_leagues (
    id INTEGER PRIMARY KEY,
    leagues TEXT NOT NULL,
    recorded_at TEXT NOT NULL
) STRICT;
