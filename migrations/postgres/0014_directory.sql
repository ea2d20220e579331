-- What is read beside what was there before is filled by whoever opens the store.
INSERT INTO unfilled (reason) SELECT 'directory' FROM log_head WHERE position > 0;

-- What the agent's record has of a thread. took_ms: from ACCEPT to RESULT. promise_kept: whether that is what the agent had
-- promised, where it had. blamed: whether it is the agent's fault that nothing came of it.
ALTER TABLE threads ADD COLUMN took_ms BIGINT;
ALTER TABLE threads ADD COLUMN promise_kept BOOLEAN;
ALTER TABLE threads ADD COLUMN blamed BOOLEAN;

-- Read tables: who is listed. changed_position: the event that holds what was signed. listing: what of it is looked at when
-- somebody is looked for, as a JSON text.
CREATE TABLE directory (
    did TEXT PRIMARY KEY,
    position BIGINT NOT NULL,
    changed_position BIGINT NOT NULL,
    listing TEXT NOT NULL,
    registered_at TIMESTAMPTZ NOT NULL,
    changed_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX directory_by_position ON directory (position);
CREATE INDEX directory_by_change ON directory (changed_position);

CREATE TABLE directory_intents (
    intent TEXT NOT NULL,
    did TEXT NOT NULL,
    PRIMARY KEY (intent, did)
);
CREATE INDEX directory_intents_by_did ON directory_intents (did);

-- Which agent of the platform a did belongs to.
CREATE TABLE did_links (
    did TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    linked_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX did_links_by_agent ON did_links (agent_id);

-- Kept: who is there, as last said. signed_at: when, as the agent says. seen_at: when that came in.
CREATE TABLE presences (
    did TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    signed_at TIMESTAMPTZ NOT NULL,
    seen_at TIMESTAMPTZ NOT NULL
);
