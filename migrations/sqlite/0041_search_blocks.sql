-- The full-text index finds the texts of one block of 16 384 positions of the log at a time: each word carries the block's number
-- (`17:word`), as do the author, the type, the workspace and the kind (`17:=message`; no word contains these signs). A search
-- walks the blocks and stops once it has enough, so that a word of every text costs no more than a rare one. The index of a
-- million short texts is built in 5 to 10 seconds.
DROP TRIGGER search_documents_inserted;
DROP TRIGGER search_documents_deleted;
DROP TABLE search_index;

-- One space stands before and one after each word.
CREATE VIEW search_tokens (position, words) AS SELECT position,
    (position >> 14) || ':' || replace(trim(replace(words, char(10), '')), '  ', ' ' || (position >> 14) || ':')
    || ' ' || (position >> 14) || ':=' || type || coalesce(' ' || (position >> 14) || ':=' || workspace_id, '')
    || ' ' || (position >> 14) || ':=' || author_id || coalesce(' ' || (position >> 14) || ':=' || kind, '')
FROM search_documents;

CREATE VIRTUAL TABLE search_index USING fts5 (
    words, content = 'search_tokens', content_rowid = 'position', detail = none, columnsize = 0,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cn Cf'"
);
INSERT INTO search_index (search_index) VALUES ('rebuild');
-- What is deleted leaves the file, and not only the answers.
INSERT INTO search_index (search_index, rank) VALUES ('secure-delete', 1);
-- `secure-delete` needs version 5 of the index's format. In SQLite 3.46.0 the command 'delete', which the trigger uses, does not set
-- it; deleting a row does. ('rebuild' sets it back.)
INSERT INTO search_documents (position, id, type, author_id, created_at, words) VALUES (0, '', '', '', '', '');
INSERT INTO search_index (rowid, words) SELECT position, words FROM search_tokens WHERE position = 0;
DELETE FROM search_index WHERE rowid = 0;
DELETE FROM search_documents WHERE position = 0;

CREATE TRIGGER search_documents_inserted AFTER INSERT ON search_documents BEGIN
    INSERT INTO search_index (rowid, words) SELECT position, words FROM search_tokens WHERE position = new.position;
END;
CREATE TRIGGER search_documents_deleted BEFORE DELETE ON search_documents BEGIN
    INSERT INTO search_index (search_index, rowid, words)
    SELECT 'delete', position, words FROM search_tokens WHERE position = old.position;
END;
