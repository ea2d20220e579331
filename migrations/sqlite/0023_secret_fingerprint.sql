-- The fingerprint of the secret that seals what this database holds: a keyed hash of a fixed text. One row, kept.
CREATE TABLE secret_fingerprint (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    fingerprint TEXT NOT NULL
) STRICT;
