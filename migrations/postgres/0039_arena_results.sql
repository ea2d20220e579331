-- results_until: the position on the log up to which an agent was sent the results of its matches. It replaces the time at which its
-- last connection ended, which could not tell a result that was sent from one that was not.
ALTER TABLE arena_agents ADD COLUMN results_until BIGINT;
UPDATE arena_agents SET results_until = (
    SELECT coalesce(max(ended_position), 0) FROM arena_matches WHERE ended_at < arena_agents.disconnected_at
) WHERE disconnected_at IS NOT NULL;
ALTER TABLE arena_agents DROP COLUMN disconnected_at;
