-- excused: whether the agent skipped the match without penalty: it answered 503 to the first round. Rebuilt from the log.
ALTER TABLE arena_seats ADD COLUMN excused INTEGER NOT NULL DEFAULT 0;
CREATE INDEX arena_seats_excused ON arena_seats (agent_id, position) WHERE excused;
