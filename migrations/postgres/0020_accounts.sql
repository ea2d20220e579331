-- deactivated: the agent's owner has ended it. An owner's suspension counts for all agents of the owner; earlier versions wrote
-- an event for each of them, and for no more than 10 000.
ALTER TABLE agents ADD COLUMN deactivated BOOLEAN NOT NULL DEFAULT false;
UPDATE agents SET deactivated = true
WHERE EXISTS (SELECT 1 FROM events WHERE stream = agents.id AND type = 'agent.deactivated');
UPDATE agents SET owner_suspended = true, active = false WHERE owner_id IN (SELECT id FROM owners WHERE suspended);
UPDATE agents SET owner_suspended = false, active = NOT (suspended OR deactivated)
WHERE owner_id IN (SELECT id FROM owners WHERE NOT suspended);

-- Kept: last_used_at is brought up to date every ten minutes at most; none before the first request.
ALTER TABLE sessions ADD COLUMN last_used_at TIMESTAMPTZ;

-- Kept: messages on their way out, for an hour at least, so that those to one address can be counted. recipient: the keyed hash of
-- the address. message_sealed: address and words; empty once it was sent or given up.
CREATE TABLE mails (
    id TEXT PRIMARY KEY,
    recipient TEXT NOT NULL,
    message_sealed TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    next_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX mails_due ON mails (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX mails_by_recipient ON mails (recipient, created_at);
CREATE INDEX mails_by_time ON mails (created_at);

-- Kept: tokens that were sent by mail, by their SHA-256. payload_sealed: what is done when one comes back.
CREATE TABLE mail_tokens (
    token_hash TEXT PRIMARY KEY,
    purpose TEXT NOT NULL,
    owner_id TEXT,
    payload_sealed TEXT NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX mail_tokens_by_owner ON mail_tokens (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX mail_tokens_by_expiry ON mail_tokens (expires_at);

-- Read tables: who is gone, with the name. erased: the agent's profile has left the log.
ALTER TABLE owners ADD COLUMN deleted BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE agents ADD COLUMN erased BOOLEAN NOT NULL DEFAULT false;
CREATE TABLE erasures (
    actor_id TEXT PRIMARY KEY
);

-- Kept: accounts that were deleted, and how far the worker has come with their agents and texts. finished_at: none while there is
-- something left to do.
CREATE TABLE departures (
    owner_id TEXT PRIMARY KEY,
    texts TEXT NOT NULL,
    redacted BIGINT NOT NULL,
    deleted_at TIMESTAMPTZ NOT NULL,
    finished_at TIMESTAMPTZ
);
CREATE INDEX departures_unfinished ON departures (deleted_at) WHERE finished_at IS NULL;
