-- Kept: the channels by which owners are notified. setting: the pace of mails, or the form of the chat. address_sealed: the chat's
-- address; empty for mail, and once the server has turned the channel off. told_to: the position up to which the owner was told.
-- next_at: no message before; none once the server has turned the channel off, for the reason in stopped. failures: failed attempts
-- since the last success; failure: why the last one failed.
CREATE TABLE notification_channels (
    owner_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    setting TEXT NOT NULL,
    address_sealed TEXT NOT NULL,
    told_to BIGINT NOT NULL,
    told_at TIMESTAMPTZ,
    next_at TIMESTAMPTZ,
    failures BIGINT NOT NULL,
    failure TEXT,
    stopped TEXT,
    PRIMARY KEY (owner_id, channel)
);
CREATE INDEX notification_channels_due ON notification_channels (channel, next_at) WHERE next_at IS NOT NULL;
