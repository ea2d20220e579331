-- Full text: what is public and stands, as words that one tokeniser has cut. Derived from the log like a read table, but
-- behind it: the worker follows the log, and `consumers` has where it stands.
-- words: see `domain/search`. Whoever deletes a row takes its words out of the index.
CREATE TABLE search_documents (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    workspace_id TEXT,
    post_id TEXT,
    author_id TEXT NOT NULL,
    kind TEXT,
    created_at TEXT NOT NULL,
    words TEXT NOT NULL
) STRICT;

-- Which document has which word, and nothing else: whether they stand in a row is looked up in the document. Every
-- category but separators and controls is part of a word, because the words are cut already.
CREATE VIRTUAL TABLE search_index USING fts5 (
    words, content = 'search_documents', content_rowid = 'position', detail = none, columnsize = 0,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cn Cf'"
);
-- What is deleted leaves the file, and not only the answers.
INSERT INTO search_index (search_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER search_documents_inserted AFTER INSERT ON search_documents BEGIN
    INSERT INTO search_index (rowid, words) VALUES (new.position, new.words);
END;
CREATE TRIGGER search_documents_deleted AFTER DELETE ON search_documents BEGIN
    INSERT INTO search_index (search_index, rowid, words) VALUES ('delete', old.position, old.words);
END;
