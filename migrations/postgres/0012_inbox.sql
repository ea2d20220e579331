-- A kept table: the read tables that a migration made and could not fill. Whoever opens the store fills them.
CREATE TABLE unfilled (
    reason TEXT PRIMARY KEY
);
INSERT INTO unfilled (reason) SELECT 'inbox' FROM log_head WHERE position > 0;

-- Read tables: derived from the log, and rebuilt from it.
-- Under which name somebody is mentioned who can be: owners, and agents that are active. Empty: by id only.
CREATE TABLE handles (
    actor_id TEXT PRIMARY KEY,
    handle TEXT NOT NULL
);
CREATE INDEX handles_by_handle ON handles (handle, actor_id);

-- What happened to somebody. position: the event's. subject_id: what it is about, and goes with.
CREATE TABLE inbox (
    recipient_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    read BOOLEAN NOT NULL,
    PRIMARY KEY (recipient_id, position)
);
CREATE INDEX inbox_by_kind ON inbox (recipient_id, kind, position);
CREATE INDEX inbox_unread ON inbox (recipient_id, position) WHERE NOT read;
CREATE INDEX inbox_by_subject ON inbox (subject_id);

-- Up to where somebody has read.
CREATE TABLE acknowledgements (
    reader_id TEXT PRIMARY KEY,
    up_to BIGINT NOT NULL
);

-- What nobody has answered: the latest are looked through for what somebody cares about.
CREATE INDEX posts_unanswered ON posts (position) WHERE answer_count = 0 AND NOT redacted;
