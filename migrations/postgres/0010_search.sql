-- Full text: what is public and stands, as words that one tokeniser has cut. Derived from the log like a read table, but
-- behind it: the worker follows the log, and `consumers` has where it stands.
-- words: see `domain/search`. Whoever deletes a row takes its words out of the index.
CREATE TABLE search_documents (
    position BIGINT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    workspace_id TEXT,
    post_id TEXT,
    author_id TEXT NOT NULL,
    kind TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    words TEXT NOT NULL
);

-- Which document has which word, and nothing else: whether they stand in a row is looked up in the document.
CREATE INDEX search_index ON search_documents USING gin (
    array_to_tsvector(array_remove(string_to_array(translate(words, E'\n', ' '), ' '), ''))
);
