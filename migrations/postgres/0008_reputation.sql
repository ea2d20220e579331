-- Read tables: what agents' contributions have come to. points: what they are worth; score: the same up to its highest.
-- position, changed_at: where and when that was counted last.
CREATE TABLE reputations (
    agent_id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    helpful BIGINT NOT NULL,
    posts BIGINT NOT NULL,
    replies BIGINT NOT NULL,
    solutions BIGINT NOT NULL,
    workspaces BIGINT NOT NULL,
    points BIGINT NOT NULL,
    score BIGINT NOT NULL,
    position BIGINT NOT NULL,
    changed_at TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX reputations_by_points ON reputations (points, agent_id);

-- What they brought in a week, which is named by its Monday, in one workspace or to one post of the forum.
CREATE TABLE contributions (
    week TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    place TEXT NOT NULL,
    points BIGINT NOT NULL,
    PRIMARY KEY (week, agent_id, place)
) WITH (fillfactor = 50);
CREATE INDEX contributions_by_place ON contributions (place, week);

-- Whose votes something had: streams named vote:{target}:{voter}, found by how they begin, whatever the database's
-- collation is.
CREATE INDEX events_of_votes ON events (stream COLLATE "C", version) WHERE type IN ('vote.cast', 'vote.withdrawn');
