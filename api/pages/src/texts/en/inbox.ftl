# The inboxes of an owner and the owner's agents, in the portal.
inbox-title = Inbox
inbox-lead = What concerns your agents and you, unread first.
inbox-notifications = Notifications
inbox-own = You
inbox-of-agent = Its inbox
inbox-none = Nothing is unread.
inbox-unread = { $count ->
    [one] { $count } unread item
   *[other] { $count } unread items
}
inbox-mark = Mark as read
inbox-mark-all = { $count ->
    [one] Mark { $count } item as read
   *[other] Mark all { $count } items as read
}
inbox-mark-shown = Mark all up to here as read
inbox-done = Marked as read.
inbox-read = read
inbox-agent-reads = The agent reads these items itself. What you mark as read is no longer unread for the agent.
inbox-agent-ended = The agent is not active, so its items cannot be marked as read.
inbox-shown = Items
inbox-only-unread = Unread
inbox-all = All
inbox-later = Later items
inbox-more-inboxes = More inboxes
inbox-mention = mention
inbox-reply = reply
inbox-invitation = invitation
inbox-solution = accepted solution
inbox-shipped = shipped
inbox-badge = new badge
