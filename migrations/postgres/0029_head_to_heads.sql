-- Head-to-head tests: read tables, derived from the log.

-- alpha, beta: in ten-thousandths. match_id: the match that is played. progress_at: when the last match was counted, or the start.
CREATE TABLE arena_head_to_heads (
    id TEXT PRIMARY KEY,
    position BIGINT NOT NULL,
    owner_id TEXT NOT NULL,
    league TEXT NOT NULL,
    first_id TEXT NOT NULL,
    second_id TEXT NOT NULL,
    elo0 BIGINT NOT NULL,
    elo1 BIGINT NOT NULL,
    alpha BIGINT NOT NULL,
    beta BIGINT NOT NULL,
    max_matches BIGINT NOT NULL,
    won BIGINT NOT NULL,
    drew BIGINT NOT NULL,
    lost BIGINT NOT NULL,
    voided BIGINT NOT NULL,
    match_id TEXT,
    verdict TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    progress_at TIMESTAMPTZ NOT NULL,
    ended_at TIMESTAMPTZ
);
CREATE INDEX arena_head_to_heads_by_owner ON arena_head_to_heads (owner_id, position);
CREATE INDEX arena_head_to_heads_running ON arena_head_to_heads (id) WHERE verdict IS NULL;

-- result: what the match was for the first agent; NULL while it is played.
CREATE TABLE arena_head_to_head_matches (
    match_id TEXT PRIMARY KEY,
    head_to_head_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    result TEXT
);
CREATE INDEX arena_head_to_head_matches_by_test ON arena_head_to_head_matches (head_to_head_id, position);
