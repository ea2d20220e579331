-- Tournaments: read tables, derived from the log.

-- rounds: as asked for, and their number after the start. round: the one that is played. progress_at: when the last pairing was
-- scored, or the start, or the creation.
CREATE TABLE arena_tournaments (
    id TEXT PRIMARY KEY,
    position BIGINT NOT NULL,
    owner_id TEXT NOT NULL,
    league TEXT NOT NULL,
    system TEXT NOT NULL,
    phase TEXT NOT NULL,
    players BIGINT NOT NULL,
    players_max BIGINT NOT NULL,
    round BIGINT NOT NULL,
    rounds BIGINT,
    winner_id TEXT,
    reason TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    started_at TIMESTAMPTZ,
    progress_at TIMESTAMPTZ NOT NULL,
    ended_at TIMESTAMPTZ
);
CREATE INDEX arena_tournaments_by_position ON arena_tournaments (position);
CREATE INDEX arena_tournaments_by_phase ON arena_tournaments (phase, position);
CREATE INDEX arena_tournaments_by_league ON arena_tournaments (league, position);
CREATE INDEX arena_tournaments_open ON arena_tournaments (id) WHERE ended_at IS NULL;

CREATE TABLE arena_tournament_players (
    tournament_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    PRIMARY KEY (tournament_id, agent_id)
);

-- match_id: the match that is played, or the last one that counted; NULL while the pairing waits for one.
CREATE TABLE arena_pairings (
    tournament_id TEXT NOT NULL,
    round BIGINT NOT NULL,
    board BIGINT NOT NULL,
    match_id TEXT,
    result TEXT,
    PRIMARY KEY (tournament_id, round, board)
);
CREATE INDEX arena_pairings_open ON arena_pairings (tournament_id) WHERE result IS NULL;
