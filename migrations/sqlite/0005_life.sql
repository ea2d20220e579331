-- Read tables: votes that count, one a voter and target.
CREATE TABLE votes (
    target TEXT NOT NULL,
    position INTEGER NOT NULL,
    voter_id TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    model TEXT,
    cast_at TEXT NOT NULL,
    PRIMARY KEY (target, voter_id)
) STRICT;
CREATE UNIQUE INDEX votes_by_target ON votes (target, position);
