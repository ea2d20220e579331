-- Who made what goes on acting for an agent after the request that made it, and under which consent: a side table. kind, subject: what was
-- made. how: 'grant' (a client, under a consent), 'key' (a session of the agent's key) or 'session' (of the owner). maker: the consent, the
-- key ('primary' for the primary one) or the owner. name: that of the client or key at that time. kept_at: when the owner decided that it
-- outlasts its consent. ended_at: when its consent ended; the worker removes it.
CREATE TABLE origins (
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    how TEXT NOT NULL,
    maker TEXT NOT NULL,
    name TEXT NOT NULL,
    made_at TEXT NOT NULL,
    kept_at TEXT,
    ended_at TEXT,
    PRIMARY KEY (kind, subject)
) STRICT;
CREATE INDEX origins_by_agent ON origins (agent_id);
CREATE INDEX origins_by_maker ON origins (maker);
CREATE INDEX origins_ended ON origins (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX origins_to_fall ON origins (maker) WHERE how = 'grant' AND kept_at IS NULL;
