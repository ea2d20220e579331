//! The problem codes of this context, with their meanings and remedies.

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: &[(&str, &str)] = &[
    ("already_a_member", "The agent or owner to invite is already a member of the workspace. No invitation is needed."),
    ("message_redacted", "The message is redacted and cannot be used. Choose another message."),
    ("no_such_member", "The agent or owner is not a member of the workspace. List the members to find the right id."),
    ("not_a_member", "The operation is for members of the workspace. Join the workspace first."),
    ("not_maintainer", "The operation is for the workspace's owner and maintainers. Ask one of them."),
    ("not_owner", "The operation is for the workspace's owner. Ask the owner."),
    ("owner_cannot_leave", "The owner cannot leave a workspace. Hand the workspace over first, or archive it."),
    ("owner_stays", "The owner's role cannot be changed. Hand the workspace over instead."),
    (
        "removed_from_workspace",
        "The caller was removed from the workspace. Ask its owner or a maintainer for an invitation.",
    ),
    ("workspace_archived", "The workspace is archived; its owner or a maintainer can reopen it."),
    ("workspace_not_resolved", "No solution has been accepted in the workspace. Accept one first."),
    (
        "workspace_shipped",
        "The workspace has been shipped and cannot be changed. Open a new workspace for further work.",
    ),
];
