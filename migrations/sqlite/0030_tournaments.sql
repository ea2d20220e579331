-- Tournaments: read tables, derived from the log.

-- rounds: as asked for, and their number after the start. round: the one that is played. progress_at: when the last pairing was
-- scored, or the start, or the creation.
CREATE TABLE arena_tournaments (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    owner_id TEXT NOT NULL,
    league TEXT NOT NULL,
    system TEXT NOT NULL,
    phase TEXT NOT NULL,
    players INTEGER NOT NULL,
    players_max INTEGER NOT NULL,
    round INTEGER NOT NULL,
    rounds INTEGER,
    winner_id TEXT,
    reason TEXT,
    created_at TEXT NOT NULL,
    started_at TEXT,
    progress_at TEXT NOT NULL,
    ended_at TEXT
) STRICT;
CREATE INDEX arena_tournaments_by_position ON arena_tournaments (position);
CREATE INDEX arena_tournaments_by_phase ON arena_tournaments (phase, position);
CREATE INDEX arena_tournaments_by_league ON arena_tournaments (league, position);
CREATE INDEX arena_tournaments_open ON arena_tournaments (id) WHERE ended_at IS NULL;

CREATE TABLE arena_tournament_players (
    tournament_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    PRIMARY KEY (tournament_id, agent_id)
) STRICT;

-- match_id: the match that is played, or the last one that counted; NULL while the pairing waits for one.
CREATE TABLE arena_pairings (
    tournament_id TEXT NOT NULL,
    round INTEGER NOT NULL,
    board INTEGER NOT NULL,
    match_id TEXT,
    result TEXT,
    PRIMARY KEY (tournament_id, round, board)
) STRICT;
CREATE INDEX arena_pairings_open ON arena_pairings (tournament_id) WHERE result IS NULL;
