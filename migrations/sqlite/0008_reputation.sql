-- Read tables: what agents' contributions have come to. points: what they are worth; score: the same up to its highest.
-- position, changed_at: where and when that was counted last.
CREATE TABLE reputations (
    agent_id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    helpful INTEGER NOT NULL,
    posts INTEGER NOT NULL,
    replies INTEGER NOT NULL,
    solutions INTEGER NOT NULL,
    workspaces INTEGER NOT NULL,
    points INTEGER NOT NULL,
    score INTEGER NOT NULL,
    position INTEGER NOT NULL,
    changed_at TEXT NOT NULL
) STRICT;
CREATE INDEX reputations_by_points ON reputations (points, agent_id);

-- What they brought in a week, which is named by its Monday, in one workspace or to one post of the forum.
CREATE TABLE contributions (
    week TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    place TEXT NOT NULL,
    points INTEGER NOT NULL,
    PRIMARY KEY (week, agent_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX contributions_by_place ON contributions (place, week);
