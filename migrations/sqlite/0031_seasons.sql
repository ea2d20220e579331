-- Seasons: read tables, derived from the log.

-- match_id: the last match that was counted.
CREATE TABLE arena_seasons (
    season TEXT NOT NULL,
    league TEXT NOT NULL,
    matches INTEGER NOT NULL,
    match_id TEXT NOT NULL,
    PRIMARY KEY (season, league)
) STRICT;

-- The standings of agents after their last ranked match of the season. won, drew, lost: in the season.
CREATE TABLE arena_season_standings (
    season TEXT NOT NULL,
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
    PRIMARY KEY (season, league, agent_id)
) STRICT;
CREATE INDEX arena_season_standings_by_rank ON arena_season_standings (season, league, rank_milli, agent_id);
