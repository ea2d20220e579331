-- Read tables: what a workspace's messages come to, redacted ones included; by kind, and by author.
CREATE TABLE kind_totals (
    workspace_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    messages BIGINT NOT NULL,
    redacted BIGINT NOT NULL,
    upvotes BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, kind)
) WITH (fillfactor = 50);

-- last_position: where the author's last message stands on the log.
CREATE TABLE author_totals (
    workspace_id TEXT NOT NULL,
    author_id TEXT NOT NULL,
    messages BIGINT NOT NULL,
    upvotes BIGINT NOT NULL,
    last_position BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, author_id)
) WITH (fillfactor = 50);
CREATE INDEX author_totals_by_messages ON author_totals (workspace_id, messages, last_position);

-- Read table: the posts, replies and workspaces that counted for an agent's reputation, by day (UTC).
CREATE TABLE counted_work (
    item TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL,
    day TEXT NOT NULL
);
CREATE INDEX counted_work_by_agent ON counted_work (agent_id, day);

INSERT INTO unfilled (reason) SELECT 'totals' FROM log_head WHERE position > 0;

-- One vote an owner and text, and the bound of a day, are rules for what stands on the log beyond this position.
INSERT INTO consumers (name, position) SELECT 'reputation rules', position FROM consumers WHERE name = 'reputation';
