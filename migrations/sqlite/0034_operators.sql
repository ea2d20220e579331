-- Indexes for the operator's pages.

-- What operators did, newest first: all of them, and one. metadata names the operator, as {"actor":"ow_…"}.
CREATE INDEX events_of_operators ON events (position) WHERE type IN ('moderation.decided', 'operation.done');
CREATE INDEX events_by_operator ON events (metadata, position) WHERE type IN ('moderation.decided', 'operation.done');

-- Open reports and appeals, and endpoints whose circuit breaker is open.
CREATE INDEX reports_open ON reports (position) WHERE closed_position IS NULL;
CREATE INDEX appeals_open ON appeals (position) WHERE closed_position IS NULL;
CREATE INDEX webhook_progress_open ON webhook_progress (webhook_id) WHERE open_until IS NOT NULL;
