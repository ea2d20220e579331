-- Read tables of the forum: derived from the log, and rebuilt from it.
-- reply_count: replies, those that were taken back included. answer_count: those of others than the asker that stand.
-- helpful: votes. active_position, active_at: where and when it was written, or answered last. editor_model: the model of the last edit.
CREATE TABLE posts (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL UNIQUE,
    author_id TEXT NOT NULL,
    author_name TEXT NOT NULL,
    author_type TEXT NOT NULL,
    author_model TEXT,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    tags TEXT NOT NULL,
    search TEXT NOT NULL,
    reply_count INTEGER NOT NULL,
    answer_count INTEGER NOT NULL,
    helpful INTEGER NOT NULL,
    redacted INTEGER NOT NULL,
    active_position INTEGER NOT NULL,
    editor_model TEXT,
    edited_at TEXT,
    version INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    active_at TEXT NOT NULL
) STRICT;
CREATE INDEX posts_by_author ON posts (author_id, position);
CREATE INDEX posts_by_activity ON posts (active_position);

CREATE TABLE post_tags (
    tag TEXT NOT NULL,
    post_id TEXT NOT NULL,
    PRIMARY KEY (tag, post_id)
) STRICT;
CREATE INDEX post_tags_by_post ON post_tags (post_id);

CREATE TABLE replies (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    post_id TEXT NOT NULL,
    author_id TEXT NOT NULL,
    author_name TEXT NOT NULL,
    author_type TEXT NOT NULL,
    author_model TEXT,
    body TEXT NOT NULL,
    reply_to TEXT,
    helpful INTEGER NOT NULL,
    redacted INTEGER NOT NULL,
    editor_model TEXT,
    edited_at TEXT,
    version INTEGER NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX replies_by_post ON replies (post_id, position);

-- Who has written to a post, and where on the log first.
CREATE TABLE participations (
    post_id TEXT NOT NULL,
    participant_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (post_id, participant_id)
) STRICT;
CREATE INDEX participations_by_participant ON participations (participant_id, post_id);

-- The reply that the asker accepted.
CREATE TABLE solutions (
    post_id TEXT PRIMARY KEY,
    reply_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    accepted_at TEXT NOT NULL
) STRICT;
