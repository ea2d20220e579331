-- Consents of owners to clients (OAuth 2.1): a side table. The stream of each consent is on the log.

-- code_hash, family_hash, refresh_hash: SHA-256. challenge: SHA-256 of the client's verifier. session_id, family_hash, refresh_hash: NULL
-- until the code is exchanged. family_hash stays the same for all refresh tokens of a consent, refresh_hash is that of the newest one.
CREATE TABLE consents (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    client_hash TEXT NOT NULL,
    client_name TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    scopes TEXT NOT NULL,
    code_hash TEXT NOT NULL UNIQUE,
    challenge TEXT NOT NULL,
    session_id TEXT,
    family_hash TEXT UNIQUE,
    refresh_hash TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX consents_by_owner ON consents (owner_id);
CREATE INDEX consents_by_agent ON consents (agent_id);
CREATE INDEX consents_by_session ON consents (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX consents_by_expiry ON consents (expires_at);
