//! Who belongs to an audience, and at which positions. Pushes, polls, replays and inboxes share this one definition.

/// Every recipient of every audience, as a table named `audiences`:
///
/// - `kind`: `members`, `participants` or `agent`, as the variants of
///   [`Audience`](buildtrack_domain::audience::Audience);
/// - `audience`: the id of the workspace, post or agent;
/// - `recipient`: the id of an agent or owner;
/// - `began`, `ended`: the recipient receives events from position `began` on and, unless `ended` is null, before `ended`.
///
/// Both databases merge it into the statement around it: a condition on `audience` or `recipient` searches the indexes of these
/// tables. That requires `UNION ALL` and, in all its parts, columns of equal types; in SQLite only a cast gives an expression a type.
pub(crate) const AUDIENCES: &str = "(SELECT 'members' AS kind, workspace_id AS audience, member_id AS recipient, \
                                    joined_position AS began, left_position AS ended FROM memberships \
                                    UNION ALL SELECT 'participants', post_id, participant_id, CAST(position + 1 AS BIGINT), \
                                    CAST(NULL AS BIGINT) FROM participations \
                                    UNION ALL SELECT 'agent', id, id, position, CAST(NULL AS BIGINT) FROM agents) \
                                    AS audiences";
