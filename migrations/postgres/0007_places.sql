-- A read table: which events belong to a workspace or an actor, for whoever follows it, reads its history or takes it
-- elsewhere. Not among them is the posting of messages: the table of messages is that index already.
CREATE TABLE places (
    place TEXT NOT NULL,
    position BIGINT NOT NULL,
    PRIMARY KEY (place, position)
);

INSERT INTO places (place, position)
SELECT stream, position FROM events
WHERE type LIKE 'workspace.%' OR type LIKE 'agent.%' OR type IN ('owner.registered', 'owner.operator_granted');
INSERT INTO places (place, position)
SELECT workspace_id, events.position FROM events JOIN messages ON id = stream WHERE type = 'message.redacted'
UNION ALL
SELECT author_id, events.position FROM events JOIN messages ON id = stream WHERE type = 'message.redacted';
