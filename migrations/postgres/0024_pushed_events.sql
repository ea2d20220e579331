-- Read table: the events that agents receive, except messages and replies, whose tables hold the same. audience: the workspace,
-- post or agent. type: of the push. actor_id: the actor that does not receive its own event; null if there is none.
CREATE TABLE pushed_events (
    audience TEXT NOT NULL,
    position BIGINT NOT NULL,
    type TEXT NOT NULL,
    actor_id TEXT,
    PRIMARY KEY (audience, position)
);
CREATE UNIQUE INDEX pushed_events_by_position ON pushed_events (position);

-- The new table holds which shipments are pushed.
ALTER TABLE shipments DROP COLUMN told;

INSERT INTO unfilled (reason) SELECT 'pushed events' FROM log_head WHERE position > 0;
