-- Lists of deliveries, newest first: what is rare is found without a walk over what is common.
CREATE INDEX deliveries_pending ON deliveries (agent_id, id, webhook_id) WHERE status = 'pending';
CREATE INDEX deliveries_failed ON deliveries (agent_id, id) WHERE status = 'failed';
CREATE INDEX deliveries_cancelled ON deliveries (agent_id, id) WHERE status = 'cancelled';
CREATE INDEX deliveries_by_rare_type ON deliveries (agent_id, type, id) WHERE type <> 'workspace.message';

-- One replay at a time goes to an endpoint; this is also how those that run are found.
DROP INDEX replays_running;
CREATE UNIQUE INDEX replays_running ON replays (webhook_id) WHERE status = 'running';
