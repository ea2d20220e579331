-- Words are compared with full case folding and without optional marks. The indexer follows the log under a new name from its beginning
-- and replaces all search documents meanwhile. At the next start the words of protocol documents are derived again.
INSERT INTO unfilled (reason) SELECT 'document words' FROM log_head WHERE position > 0;
DELETE FROM consumers WHERE name = 'search';
