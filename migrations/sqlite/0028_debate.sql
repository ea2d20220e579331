-- Debates of the arena: which agents judge, and the judges of panels. Read tables, rebuilt from the log.

-- judges: the leagues in which the agent judges, separated by spaces.
ALTER TABLE arena_enrolments ADD COLUMN judges TEXT NOT NULL DEFAULT '';
CREATE INDEX arena_enrolments_judging ON arena_enrolments (agent_id) WHERE judges <> '';

-- voting: whether the judge may still vote.
CREATE TABLE arena_judges (
    match_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    panel INTEGER NOT NULL,
    judge INTEGER NOT NULL,
    position INTEGER NOT NULL,
    agent_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    voting INTEGER NOT NULL,
    drawn_at TEXT NOT NULL,
    PRIMARY KEY (match_id, turn, panel, judge)
) STRICT;
CREATE INDEX arena_judges_by_owner ON arena_judges (owner_id, position);
CREATE INDEX arena_judges_voting ON arena_judges (agent_id) WHERE voting;
CREATE INDEX arena_judges_asked ON arena_judges (channel, position) WHERE voting;
