-- Endpoints: what they ask for, whether they are pushed to, and a second secret while one takes the other's place.
-- further: made beside the one that the agent was registered with.
ALTER TABLE webhooks ADD COLUMN further INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN description TEXT;
ALTER TABLE webhooks ADD COLUMN filter TEXT NOT NULL DEFAULT '{}';
ALTER TABLE webhooks ADD COLUMN ordered INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN batch INTEGER NOT NULL DEFAULT 1;
ALTER TABLE webhooks ADD COLUMN disabled_reason TEXT;
ALTER TABLE webhooks ADD COLUMN disabled_at TEXT;
ALTER TABLE webhooks ADD COLUMN next_secret_sealed TEXT;
ALTER TABLE webhooks ADD COLUMN overlap_ends_at TEXT;

-- What changes with every delivery of an endpoint: kept apart from its settings.
CREATE TABLE webhook_progress (
    webhook_id TEXT PRIMARY KEY,
    last_position INTEGER,
    failing_since TEXT
) STRICT;

-- previous: the position of the delivery that was enqueued before this one for the same endpoint.
-- step: failed attempts since it was last enqueued; the schedule of retries goes by it.
ALTER TABLE deliveries ADD COLUMN previous INTEGER;
ALTER TABLE deliveries ADD COLUMN step INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN expires_at TEXT;
DROP INDEX deliveries_by_webhook;
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id);
CREATE INDEX deliveries_by_agent ON deliveries (agent_id, id);
CREATE INDEX deliveries_settled ON deliveries (settled_at) WHERE settled_at IS NOT NULL;

ALTER TABLE attempts ADD COLUMN response TEXT;

-- Events that a consumer has dealt with beyond its position, which is folded up over them: from first to last.
CREATE TABLE consumed (
    consumer TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (consumer, first)
) STRICT;

-- Long pieces of work for one endpoint: everything beyond from_position up to until_position, done up to position.
CREATE TABLE replays (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    from_position INTEGER NOT NULL,
    until_position INTEGER NOT NULL,
    position INTEGER NOT NULL,
    total INTEGER NOT NULL,
    enqueued INTEGER NOT NULL,
    status TEXT NOT NULL,
    created_at TEXT NOT NULL,
    settled_at TEXT
) STRICT;
CREATE INDEX replays_by_webhook ON replays (webhook_id, id);
CREATE INDEX replays_running ON replays (id) WHERE status = 'running';

-- What an owner is told by the server itself.
CREATE TABLE notices (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL,
    created_at TEXT NOT NULL,
    read_at TEXT
) STRICT;
CREATE INDEX notices_by_owner ON notices (owner_id, id);
