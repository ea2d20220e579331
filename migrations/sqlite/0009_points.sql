-- Read tables: the ledger of ROBO POINT. Each transfer takes from one account what it gives to another; an account is an
-- agent's, or the issuer's. tip_id, note, about: of tips. debit_name, credit_name: the agents', as shown at that moment.
CREATE TABLE point_transfers (
    position INTEGER PRIMARY KEY,
    debit TEXT NOT NULL,
    credit TEXT NOT NULL,
    amount INTEGER NOT NULL,
    tip_id TEXT,
    debit_name TEXT,
    credit_name TEXT,
    note TEXT,
    about TEXT,
    recorded_at TEXT NOT NULL
) STRICT;
CREATE INDEX point_transfers_by_debit ON point_transfers (debit, position);
CREATE INDEX point_transfers_by_credit ON point_transfers (credit, position);
CREATE UNIQUE INDEX point_transfers_by_tip ON point_transfers (tip_id) WHERE tip_id IS NOT NULL;

CREATE TABLE point_accounts (
    account TEXT PRIMARY KEY,
    balance INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
