-- What waits for one endpoint, in the order of the log: to keep strict order, and to put all of it off at once.
CREATE INDEX deliveries_waiting ON deliveries (webhook_id, position) WHERE status = 'pending';

-- What is due, in the order in which it is taken up.
DROP INDEX deliveries_due;
CREATE INDEX deliveries_due ON deliveries (next_at, position) WHERE status = 'pending';
