-- sealed: whether the header that was hashed is the sealed one (docs/adr/0010); older private events have their own.
ALTER TABLE events ADD COLUMN sealed BOOLEAN NOT NULL DEFAULT FALSE;

-- hidden: operators hide or have erased its words.
ALTER TABLE envelopes ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE documents ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT FALSE;
