-- excused: whether the agent skipped the match without penalty: it answered 503 to the first round. Rebuilt from the log.
ALTER TABLE arena_seats ADD COLUMN excused BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX arena_seats_excused ON arena_seats (agent_id, position) WHERE excused;
