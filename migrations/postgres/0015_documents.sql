-- Read tables: protocol documents. position: the event that holds the text. words: what is found, as search_documents keeps it.
-- withdrawn_at: since when it is listed no more.
CREATE TABLE documents (
    hash TEXT PRIMARY KEY,
    position BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    multiround BOOLEAN NOT NULL,
    registrar_id TEXT NOT NULL,
    registrar_name TEXT NOT NULL,
    registrar_type TEXT NOT NULL,
    registrar_model TEXT,
    words TEXT NOT NULL,
    registered_at TIMESTAMPTZ NOT NULL,
    withdrawn_at TIMESTAMPTZ
);
CREATE INDEX documents_by_position ON documents (position);
CREATE INDEX documents_by_registrar ON documents (registrar_id, name, position);
CREATE INDEX documents_by_name ON documents (name, position);

-- Which agent says that it answers by which document; that may be one of the server's own, which is not in documents.
CREATE TABLE supports (
    agent_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    position BIGINT NOT NULL,
    declared_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (agent_id, hash)
);
CREATE INDEX supports_by_document ON supports (hash, position);
