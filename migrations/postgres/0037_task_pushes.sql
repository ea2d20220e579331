-- Kept: where the updates of tasks are pushed. requester_id: the exchange's requester, whose configs are counted. config_sealed:
-- address, token and credentials. told_to: the position up to which updates were pushed. failures: failed attempts since the last
-- success. next_at: no attempt before; none once everything was pushed of a task that has ended, or the receiver is gone.
-- expires_at: when the row may be deleted, if the task has ended.
CREATE TABLE task_pushes (
    exchange_id TEXT NOT NULL,
    id TEXT NOT NULL,
    requester_id TEXT NOT NULL,
    config_sealed TEXT NOT NULL,
    told_to BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    next_at TIMESTAMPTZ,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (exchange_id, id)
);
CREATE INDEX task_pushes_by_requester ON task_pushes (requester_id);
CREATE INDEX task_pushes_due ON task_pushes (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX task_pushes_by_time ON task_pushes (expires_at);
