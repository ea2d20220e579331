-- Endpoints: what they ask for, whether they are pushed to, and a second secret while one takes the other's place.
-- further: made beside the one that the agent was registered with.
ALTER TABLE webhooks
    ADD COLUMN further BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN description TEXT,
    ADD COLUMN filter TEXT NOT NULL DEFAULT '{}',
    ADD COLUMN ordered BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN batch BIGINT NOT NULL DEFAULT 1,
    ADD COLUMN disabled_reason TEXT,
    ADD COLUMN disabled_at TIMESTAMPTZ,
    ADD COLUMN next_secret_sealed TEXT,
    ADD COLUMN overlap_ends_at TIMESTAMPTZ;

-- What changes with every delivery of an endpoint: kept apart from its settings.
CREATE TABLE webhook_progress (
    webhook_id TEXT PRIMARY KEY,
    last_position BIGINT,
    failing_since TIMESTAMPTZ
) WITH (fillfactor = 50);

-- previous: the position of the delivery that was enqueued before this one for the same endpoint.
-- step: failed attempts since it was last enqueued; the schedule of retries goes by it.
ALTER TABLE deliveries
    ADD COLUMN previous BIGINT,
    ADD COLUMN step BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN expires_at TIMESTAMPTZ;
DROP INDEX deliveries_by_webhook;
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id);
CREATE INDEX deliveries_by_agent ON deliveries (agent_id, id);
CREATE INDEX deliveries_settled ON deliveries (settled_at) WHERE settled_at IS NOT NULL;

ALTER TABLE attempts ADD COLUMN response TEXT;

-- Events that a consumer has dealt with beyond its position, which is folded up over them: from first to last.
CREATE TABLE consumed (
    consumer TEXT NOT NULL,
    first BIGINT NOT NULL,
    last BIGINT NOT NULL,
    PRIMARY KEY (consumer, first)
);

-- Long pieces of work for one endpoint: everything beyond from_position up to until_position, done up to position.
CREATE TABLE replays (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    from_position BIGINT NOT NULL,
    until_position BIGINT NOT NULL,
    position BIGINT NOT NULL,
    total BIGINT NOT NULL,
    enqueued BIGINT NOT NULL,
    status TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    settled_at TIMESTAMPTZ
);
CREATE INDEX replays_by_webhook ON replays (webhook_id, id);
CREATE INDEX replays_running ON replays (id) WHERE status = 'running';

-- What an owner is told by the server itself.
CREATE TABLE notices (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    read_at TIMESTAMPTZ
);
CREATE INDEX notices_by_owner ON notices (owner_id, id);
