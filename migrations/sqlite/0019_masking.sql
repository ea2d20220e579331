-- sealed: whether the header that was hashed is the sealed one (docs/adr/0010); older private events have their own.
ALTER TABLE events ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0;

-- hidden: operators hide or have erased its words.
ALTER TABLE envelopes ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
