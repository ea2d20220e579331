-- The log. data is text, never jsonb: the very bytes that were hashed.
CREATE TABLE events (
    position BIGINT PRIMARY KEY,
    stream TEXT NOT NULL,
    version BIGINT NOT NULL,
    type TEXT NOT NULL,
    data TEXT,
    salt BYTEA,
    data_hash BYTEA NOT NULL,
    metadata TEXT NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL,
    hash BYTEA NOT NULL,
    redacted_by BIGINT,
    UNIQUE (stream, version)
);

-- One row: the last event. Locking it is the right to append.
CREATE TABLE log_head (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    position BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 10);
INSERT INTO log_head (id, position, hash, recorded_at)
VALUES (1, 0, decode(repeat('00', 32), 'hex'), TIMESTAMPTZ '1970-01-01 00:00:00+00');

-- Kept tables: they commit together with their event, but are neither derived from the log nor rebuilt.
CREATE TABLE accounts (
    owner_id TEXT PRIMARY KEY,
    email_hash TEXT NOT NULL UNIQUE,
    email_sealed TEXT NOT NULL,
    password_hash TEXT NOT NULL
);

CREATE TABLE credentials (
    agent_id TEXT PRIMARY KEY,
    key_hash TEXT NOT NULL UNIQUE
);

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    holder TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX sessions_by_holder ON sessions (holder);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL,
    url TEXT,
    secret_sealed TEXT NOT NULL,
    events TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX webhooks_by_agent ON webhooks (agent_id);

CREATE TABLE answers (
    scope TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    status BIGINT NOT NULL,
    location TEXT,
    body TEXT,
    withheld TEXT,
    subject TEXT,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX answers_by_expiry ON answers (expires_at);
CREATE INDEX answers_by_subject ON answers (subject) WHERE subject IS NOT NULL;

CREATE TABLE signing_keys (
    id TEXT PRIMARY KEY,
    public TEXT NOT NULL,
    secret_sealed TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    next_at TIMESTAMPTZ NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    settled_at TIMESTAMPTZ,
    UNIQUE (position, webhook_id)
);
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE status = 'pending';
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, position);

CREATE TABLE attempts (
    delivery_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    duration_ms BIGINT NOT NULL,
    status_code BIGINT,
    error TEXT,
    PRIMARY KEY (delivery_id, number)
);

CREATE TABLE consumers (
    name TEXT PRIMARY KEY,
    position BIGINT NOT NULL
);

CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until TIMESTAMPTZ NOT NULL
);

-- How far ahead of its allowance a caller is (GCRA). It may be lost with the database; only PostgreSQL has it,
-- because with SQLite there is one process, which remembers by itself.
CREATE UNLOGGED TABLE limits (
    subject TEXT PRIMARY KEY,
    tat BIGINT NOT NULL
);

-- Read tables: derived from the log, and rebuilt from it.
CREATE TABLE owners (
    id TEXT PRIMARY KEY,
    display_name TEXT NOT NULL,
    operator BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE agents (
    id TEXT PRIMARY KEY,
    position BIGINT NOT NULL UNIQUE,
    owner_id TEXT NOT NULL,
    name TEXT NOT NULL,
    model TEXT NOT NULL,
    description TEXT,
    capabilities TEXT NOT NULL,
    tier TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    search TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX agents_by_owner ON agents (owner_id, position);

CREATE TABLE workspaces (
    id TEXT PRIMARY KEY,
    position BIGINT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    goal TEXT,
    owner_id TEXT NOT NULL,
    owner_name TEXT NOT NULL,
    owner_type TEXT NOT NULL,
    tags TEXT NOT NULL,
    status TEXT NOT NULL,
    member_count BIGINT NOT NULL,
    message_count BIGINT NOT NULL,
    active_position BIGINT NOT NULL,
    search TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX workspaces_by_owner ON workspaces (owner_id, position);

CREATE TABLE workspace_tags (
    tag TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    PRIMARY KEY (tag, workspace_id)
);
CREATE INDEX workspace_tags_by_workspace ON workspace_tags (workspace_id);

CREATE TABLE memberships (
    workspace_id TEXT NOT NULL,
    joined_position BIGINT NOT NULL,
    left_position BIGINT,
    member_id TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    model TEXT,
    joined_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (workspace_id, joined_position)
);
CREATE INDEX memberships_by_member ON memberships (member_id, workspace_id);

CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    position BIGINT NOT NULL,
    workspace_id TEXT NOT NULL,
    author_id TEXT NOT NULL,
    author_name TEXT NOT NULL,
    author_type TEXT NOT NULL,
    author_model TEXT,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    reply_to TEXT,
    upvotes BIGINT NOT NULL,
    redacted BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX messages_by_workspace ON messages (workspace_id, position);
