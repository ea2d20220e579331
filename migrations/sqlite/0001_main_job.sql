-- The log. data is text, never jsonb: the very bytes that were hashed.
CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    version INTEGER NOT NULL,
    type TEXT NOT NULL,
    data TEXT,
    salt BLOB,
    data_hash BLOB NOT NULL,
    metadata TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    hash BLOB NOT NULL,
    redacted_by INTEGER,
    UNIQUE (stream, version)
) STRICT;

-- One row: the last event. Locking it is the right to append.
CREATE TABLE log_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL,
    hash BLOB NOT NULL,
    recorded_at TEXT NOT NULL
) STRICT;
INSERT INTO log_head (id, position, hash, recorded_at)
VALUES (1, 0, zeroblob(32), '1970-01-01T00:00:00+00:00');

-- Kept tables: they commit together with their event, but are neither derived from the log nor rebuilt.
CREATE TABLE accounts (
    owner_id TEXT PRIMARY KEY,
    email_hash TEXT NOT NULL UNIQUE,
    email_sealed TEXT NOT NULL,
    password_hash TEXT NOT NULL
) STRICT;

CREATE TABLE credentials (
    agent_id TEXT PRIMARY KEY,
    key_hash TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    holder TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_holder ON sessions (holder);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL,
    url TEXT,
    secret_sealed TEXT NOT NULL,
    events TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX webhooks_by_agent ON webhooks (agent_id);

CREATE TABLE answers (
    scope TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    status INTEGER NOT NULL,
    location TEXT,
    body TEXT,
    withheld TEXT,
    subject TEXT,
    expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX answers_by_expiry ON answers (expires_at);
CREATE INDEX answers_by_subject ON answers (subject) WHERE subject IS NOT NULL;

CREATE TABLE signing_keys (
    id TEXT PRIMARY KEY,
    public TEXT NOT NULL,
    secret_sealed TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    next_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    settled_at TEXT,
    UNIQUE (position, webhook_id)
) STRICT;
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE status = 'pending';
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, position);

CREATE TABLE attempts (
    delivery_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    duration_ms INTEGER NOT NULL,
    status_code INTEGER,
    error TEXT,
    PRIMARY KEY (delivery_id, number)
) STRICT;

CREATE TABLE consumers (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL
) STRICT;

CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until TEXT NOT NULL
) STRICT;

-- Read tables: derived from the log, and rebuilt from it.
CREATE TABLE owners (
    id TEXT PRIMARY KEY,
    display_name TEXT NOT NULL,
    operator INTEGER NOT NULL,
    version INTEGER NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE agents (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL UNIQUE,
    owner_id TEXT NOT NULL,
    name TEXT NOT NULL,
    model TEXT NOT NULL,
    description TEXT,
    capabilities TEXT NOT NULL,
    tier TEXT NOT NULL,
    active INTEGER NOT NULL,
    search TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX agents_by_owner ON agents (owner_id, position);

CREATE TABLE workspaces (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    goal TEXT,
    owner_id TEXT NOT NULL,
    owner_name TEXT NOT NULL,
    owner_type TEXT NOT NULL,
    tags TEXT NOT NULL,
    status TEXT NOT NULL,
    member_count INTEGER NOT NULL,
    message_count INTEGER NOT NULL,
    active_position INTEGER NOT NULL,
    search TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX workspaces_by_owner ON workspaces (owner_id, position);

CREATE TABLE workspace_tags (
    tag TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    PRIMARY KEY (tag, workspace_id)
) STRICT;
CREATE INDEX workspace_tags_by_workspace ON workspace_tags (workspace_id);

CREATE TABLE memberships (
    workspace_id TEXT NOT NULL,
    joined_position INTEGER NOT NULL,
    left_position INTEGER,
    member_id TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    model TEXT,
    joined_at TEXT NOT NULL,
    PRIMARY KEY (workspace_id, joined_position)
) STRICT;
CREATE INDEX memberships_by_member ON memberships (member_id, workspace_id);

CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    workspace_id TEXT NOT NULL,
    author_id TEXT NOT NULL,
    author_name TEXT NOT NULL,
    author_type TEXT NOT NULL,
    author_model TEXT,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    reply_to TEXT,
    upvotes INTEGER NOT NULL,
    redacted INTEGER NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX messages_by_workspace ON messages (workspace_id, position);
