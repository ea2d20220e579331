-- Read tables of moderation: derived from the log, and rebuilt from it.
-- hidden: an operator keeps the text from everybody. suspended, owner_suspended: operators keep it out, for its own sake or
-- with its owner.
ALTER TABLE messages ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
ALTER TABLE posts ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
ALTER TABLE replies ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN suspended INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN owner_suspended INTEGER NOT NULL DEFAULT 0;
ALTER TABLE owners ADD COLUMN suspended INTEGER NOT NULL DEFAULT 0;

-- The texts that are hidden, by the stream of their words.
CREATE TABLE hidings (
    subject TEXT PRIMARY KEY,
    position INTEGER NOT NULL
) STRICT;

-- What operators have decided.
CREATE TABLE moderation_actions (
    position INTEGER PRIMARY KEY,
    subject TEXT NOT NULL,
    action TEXT NOT NULL,
    reason TEXT NOT NULL,
    operator_id TEXT NOT NULL,
    operator_name TEXT NOT NULL,
    concerns TEXT NOT NULL,
    decided_at TEXT NOT NULL
) STRICT;
CREATE INDEX moderation_actions_by_subject ON moderation_actions (subject, position);

-- closed_position: the decision that closed it.
CREATE TABLE reports (
    position INTEGER PRIMARY KEY,
    subject TEXT NOT NULL,
    reporter_id TEXT NOT NULL,
    reporter_name TEXT NOT NULL,
    reporter_type TEXT NOT NULL,
    reporter_model TEXT,
    reason TEXT NOT NULL,
    closed_position INTEGER,
    filed_at TEXT NOT NULL
) STRICT;
CREATE INDEX reports_by_subject ON reports (subject, position);

CREATE TABLE appeals (
    position INTEGER PRIMARY KEY,
    subject TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    statement TEXT NOT NULL,
    closed_position INTEGER,
    filed_at TEXT NOT NULL
) STRICT;
CREATE INDEX appeals_by_subject ON appeals (subject, position);
