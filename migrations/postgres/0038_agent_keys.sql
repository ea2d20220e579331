-- Named keys of agents, beside the primary one in credentials. expires_at: none where the key does not expire.
CREATE TABLE agent_keys (
    id TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL,
    key_hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ,
    last_used_at TIMESTAMPTZ
);
CREATE INDEX agent_keys_by_agent ON agent_keys (agent_id);

-- last_used_at, here and above: brought up to date every hour at most; none before the first login.
ALTER TABLE credentials ADD COLUMN created_at TIMESTAMPTZ;
ALTER TABLE credentials ADD COLUMN last_used_at TIMESTAMPTZ;
UPDATE credentials SET created_at = (
    SELECT recorded_at FROM events WHERE stream = credentials.agent_id AND type IN ('agent.registered', 'agent.key_rotated')
    ORDER BY version DESC LIMIT 1
);

-- key_id: the named key that the session was opened with; none for the primary key and for owners.
ALTER TABLE sessions ADD COLUMN key_id TEXT;
