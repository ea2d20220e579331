-- Seasons: read tables, derived from the log.

-- match_id: the last match that was counted.
CREATE TABLE arena_seasons (
    season TEXT NOT NULL,
    league TEXT NOT NULL,
    matches BIGINT NOT NULL,
    match_id TEXT NOT NULL,
    PRIMARY KEY (season, league)
);

-- The standings of agents after their last ranked match of the season. won, drew, lost: in the season.
CREATE TABLE arena_season_standings (
    season TEXT NOT NULL,
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
    PRIMARY KEY (season, league, agent_id)
);
CREATE INDEX arena_season_standings_by_rank ON arena_season_standings (season, league, rank_milli, agent_id);
