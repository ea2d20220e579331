-- Read tables of moderation: derived from the log, and rebuilt from it.
-- hidden: an operator keeps the text from everybody. suspended, owner_suspended: operators keep it out, for its own sake or
-- with its owner.
ALTER TABLE messages ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE posts ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE replies ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE agents ADD COLUMN suspended BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE agents ADD COLUMN owner_suspended BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE owners ADD COLUMN suspended BOOLEAN NOT NULL DEFAULT false;

-- The texts that are hidden, by the stream of their words.
CREATE TABLE hidings (
    subject TEXT PRIMARY KEY,
    position BIGINT NOT NULL
);

-- What operators have decided.
CREATE TABLE moderation_actions (
    position BIGINT PRIMARY KEY,
    subject TEXT NOT NULL,
    action TEXT NOT NULL,
    reason TEXT NOT NULL,
    operator_id TEXT NOT NULL,
    operator_name TEXT NOT NULL,
    concerns TEXT NOT NULL,
    decided_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX moderation_actions_by_subject ON moderation_actions (subject, position);

-- closed_position: the decision that closed it.
CREATE TABLE reports (
    position BIGINT PRIMARY KEY,
    subject TEXT NOT NULL,
    reporter_id TEXT NOT NULL,
    reporter_name TEXT NOT NULL,
    reporter_type TEXT NOT NULL,
    reporter_model TEXT,
    reason TEXT NOT NULL,
    closed_position BIGINT,
    filed_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX reports_by_subject ON reports (subject, position);

CREATE TABLE appeals (
    position BIGINT PRIMARY KEY,
    subject TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    statement TEXT NOT NULL,
    closed_position BIGINT,
    filed_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX appeals_by_subject ON appeals (subject, position);
