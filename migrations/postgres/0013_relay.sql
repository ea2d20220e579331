-- Read tables of the relay: derived from the log, and rebuilt from it.
-- The envelopes, by what they are asked for; their text is in the event at the position. ts: when it was made, as its sender
-- says. expires_at: when those who poll are given it no more.
CREATE TABLE envelopes (
    position BIGINT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    type TEXT NOT NULL,
    sender TEXT NOT NULL,
    recipient TEXT,
    ts TIMESTAMPTZ NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX envelopes_by_recipient ON envelopes (recipient, position);
CREATE INDEX envelopes_by_sender ON envelopes (sender, position);
CREATE INDEX envelopes_by_thread ON envelopes (thread_id, position);
CREATE INDEX envelopes_by_type ON envelopes (type, position);
CREATE INDEX envelopes_by_ts ON envelopes (ts);
CREATE INDEX envelopes_by_time ON envelopes (recorded_at);

-- agent: whose offer was accepted. due_at: when it has timed out, unless something comes before. status: as the agent calls
-- its result. reason: why it failed.
CREATE TABLE threads (
    id TEXT PRIMARY KEY,
    position BIGINT NOT NULL,
    active_position BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    intent TEXT NOT NULL,
    requester TEXT NOT NULL,
    recipient TEXT,
    agent TEXT,
    phase TEXT NOT NULL,
    status TEXT,
    reason TEXT,
    deadline TIMESTAMPTZ,
    due_at TIMESTAMPTZ,
    requested_at TIMESTAMPTZ NOT NULL,
    accepted_at TIMESTAMPTZ,
    updated_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX threads_by_request ON threads (request_id);
CREATE INDEX threads_by_requester ON threads (requester, position);
CREATE INDEX threads_by_agent ON threads (agent, position) WHERE agent IS NOT NULL;
CREATE INDEX threads_by_due ON threads (due_at) WHERE due_at IS NOT NULL;

-- Kept: why envelopes were refused, for a day. error: the protocol's code. reason: the kind of problem.
CREATE TABLE refusals (
    envelope_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    error TEXT NOT NULL,
    message TEXT NOT NULL,
    refused_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (envelope_id, reason)
);
CREATE INDEX refusals_by_time ON refusals (refused_at);
