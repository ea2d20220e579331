-- Requests for higher limits: a read table, derived from the log.

-- agent_limit, or agent_id and tier: what the owner asks for. decided_position, granted, decision, decided_at: NULL while the
-- request is open.
CREATE TABLE limit_requests (
    position BIGINT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    agent_limit BIGINT,
    agent_id TEXT,
    tier TEXT,
    reason TEXT NOT NULL,
    filed_at TIMESTAMPTZ NOT NULL,
    decided_position BIGINT,
    granted BOOLEAN,
    decision TEXT,
    decided_at TIMESTAMPTZ
);
CREATE INDEX limit_requests_by_owner ON limit_requests (owner_id, position);
CREATE INDEX limit_requests_open ON limit_requests (position) WHERE decided_position IS NULL;

-- For the pages of an owner: the decisions about its texts, its reports and its appeals.
CREATE INDEX moderation_actions_by_concerns ON moderation_actions (concerns, position);
CREATE INDEX reports_by_reporter ON reports (reporter_id, position);
CREATE INDEX appeals_by_owner ON appeals (owner_id, position);
