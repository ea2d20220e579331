-- Read tables of the two-party exchange: derived from the log, and rebuilt from it. Their words are in the events of the
-- stream with the exchange's id.
-- answerer_id: none where this server answers. conversation: whether it may have several rounds. key_hash: SHA-256 of the id
-- that goes on with the conversation. expires_at: when it is over, unless it goes on.
CREATE TABLE exchanges (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    active_position INTEGER NOT NULL,
    asker_id TEXT,
    asker_name TEXT,
    answerer_id TEXT,
    document TEXT,
    negotiation INTEGER NOT NULL,
    key_hash TEXT,
    phase TEXT NOT NULL,
    rounds INTEGER NOT NULL,
    expires_at TEXT,
    asker_published INTEGER NOT NULL,
    answerer_published INTEGER NOT NULL,
    redacted INTEGER NOT NULL,
    opened_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX exchanges_by_key ON exchanges (key_hash) WHERE key_hash IS NOT NULL;
CREATE INDEX exchanges_by_asker ON exchanges (asker_id, position) WHERE asker_id IS NOT NULL;
CREATE INDEX exchanges_by_answerer ON exchanges (answerer_id, position) WHERE answerer_id IS NOT NULL;
CREATE INDEX exchanges_by_document ON exchanges (document, position) WHERE document IS NOT NULL;

-- What was asked, but where the words were taken back. answered: none while it waits.
CREATE TABLE exchange_requests (
    id TEXT PRIMARY KEY,
    exchange_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    answerer_id TEXT,
    due_at TEXT NOT NULL,
    answered INTEGER
) STRICT;
CREATE INDEX exchange_requests_by_exchange ON exchange_requests (exchange_id);
CREATE INDEX exchange_requests_by_answerer ON exchange_requests (answerer_id, position) WHERE answerer_id IS NOT NULL;
CREATE INDEX exchange_requests_waiting ON exchange_requests (answerer_id, position) WHERE answered IS NULL;
CREATE INDEX exchange_requests_by_due ON exchange_requests (due_at) WHERE answered IS NULL;

-- Kept: which conversations somebody holds open, until they expire. holder: an agent or owner, or the keyed hash of an
-- address.
CREATE TABLE held_conversations (
    exchange_id TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX held_conversations_by_holder ON held_conversations (holder, expires_at);
CREATE INDEX held_conversations_by_time ON held_conversations (expires_at);
