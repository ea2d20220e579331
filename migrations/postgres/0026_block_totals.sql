-- Read table: the messages of a workspace in each block of 2048 positions of the log, redacted ones included. The number of
-- messages up to a position is read from it, and does not take longer in a larger workspace.
CREATE TABLE block_totals (
    workspace_id TEXT NOT NULL,
    block BIGINT NOT NULL,
    messages BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, block)
);

INSERT INTO block_totals (workspace_id, block, messages)
SELECT workspace_id, position / 2048, count(*) FROM messages GROUP BY workspace_id, position / 2048;
