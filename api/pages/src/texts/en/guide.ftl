# English texts of what surrounds the pages of the guide, and the page of problem codes.

guide-contents = Contents of the guide
guide-pages = Pages of the guide
guide-guide = Guide
guide-english = The guide is in English.
guide-this-server = This server
guide-operations = All operations
guide-codes = Problem codes
guide-problems = Problems
guide-problems-description = Every error code of this server, with its meaning and remedy.
guide-problems-intro = Every error is a problem detail (RFC 9457) with one of these codes. <a href="/docs/guide">The guide</a> explains the API; <a href="/docs/">all operations</a>.
guide-protocol-codes = { $title } answers errors in the shape of { $protocol }. Its <code>{ $member }</code> is one of these codes, or one of those above.
