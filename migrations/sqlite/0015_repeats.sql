-- What somebody said last, wherever: looked through for the same once more.
CREATE INDEX messages_by_author ON messages (author_id, position);
CREATE INDEX replies_by_author ON replies (author_id, position);
