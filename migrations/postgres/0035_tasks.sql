-- The exchanges of a requester with one responder, in the order of their last change: the tasks of the A2A protocol.
CREATE INDEX exchanges_by_task ON exchanges (asker_id, answerer_id, active_position) WHERE asker_id IS NOT NULL;
