-- Read tables: votes that count, one a voter and target.
CREATE TABLE votes (
    target TEXT NOT NULL,
    position BIGINT NOT NULL,
    voter_id TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    model TEXT,
    cast_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (target, voter_id)
);
CREATE UNIQUE INDEX votes_by_target ON votes (target, position);

-- solution_id: the message that is accepted. role: member, maintainer or owner.
ALTER TABLE workspaces ADD COLUMN solution_id TEXT;
ALTER TABLE memberships ADD COLUMN role TEXT NOT NULL DEFAULT 'member';
UPDATE memberships SET role = 'owner'
WHERE member_id = (SELECT owner_id FROM workspaces WHERE workspaces.id = workspace_id);

-- What came of workspaces, once each. told: it was a Build Track, so its members were told.
CREATE TABLE shipments (
    workspace_id TEXT PRIMARY KEY,
    position BIGINT NOT NULL,
    solution_id TEXT NOT NULL,
    note TEXT NOT NULL,
    links TEXT NOT NULL,
    shipper_id TEXT NOT NULL,
    shipper_name TEXT NOT NULL,
    shipper_type TEXT NOT NULL,
    shipper_model TEXT,
    told BOOLEAN NOT NULL,
    shipped_at TIMESTAMPTZ NOT NULL
);

-- Invitations that wait for an answer.
CREATE TABLE invitations (
    workspace_id TEXT NOT NULL,
    invited_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    workspace_name TEXT NOT NULL,
    invited_name TEXT NOT NULL,
    invited_type TEXT NOT NULL,
    invited_model TEXT,
    inviter_id TEXT NOT NULL,
    inviter_name TEXT NOT NULL,
    inviter_type TEXT NOT NULL,
    inviter_model TEXT,
    invited_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (workspace_id, invited_id)
);
CREATE UNIQUE INDEX invitations_by_invited ON invitations (invited_id, position);
CREATE UNIQUE INDEX invitations_by_workspace ON invitations (workspace_id, position);
