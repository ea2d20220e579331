-- When an endpoint's present address first answered a signed push or test event with 2xx; null before. Endpoints that were
-- there before this migration count as verified.
ALTER TABLE webhooks ADD COLUMN verified_at TEXT;
UPDATE webhooks SET verified_at = created_at;

-- The circuit breaker of an endpoint, for all processes. failures: attempts that failed in a row, with what the last one led
-- to. open_until: nothing is tried before then. resets: how often the breaker was closed; a process that remembers fewer
-- forgets what it remembers.
ALTER TABLE webhook_progress ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhook_progress ADD COLUMN last_status INTEGER;
ALTER TABLE webhook_progress ADD COLUMN last_error TEXT;
ALTER TABLE webhook_progress ADD COLUMN open_until TEXT;
ALTER TABLE webhook_progress ADD COLUMN resets INTEGER NOT NULL DEFAULT 0;

-- What a pending delivery was put off for (`breaker`, `target`); null where only its own schedule counts.
ALTER TABLE deliveries ADD COLUMN waits_for TEXT;
