# English texts of the pages of the log.

log-title = The log
log-description = Every event of this server, hashed one after another.
log-lead = Every change on this server is an event here, in order and without gaps. Each hash covers the event and the hash before it, so that a changed event is noticed, even if the operator changed it. <a href="/docs/guide/log">How it works.</a>
log-keep = Keep a checkpoint, verify it later
log-keep-lead = A checkpoint is a position and its hash. Keep one elsewhere; your browser can then verify that everything since follows from it.
log-position = Position
log-hash = Hash
log-verify-since = Verify from here to the end
log-no-script = This needs a script. <a href="/docs/guide/log#verify-from-outside">A program of twenty lines</a> does the same.
log-head = The signed head now (JSON)
log-events = Events <span class="muted">of { $count }</span>
log-empty = The log is empty. The first account begins it.
log-type = Type
log-recorded = Recorded
log-newer = Newer events
log-older = Older events

# One event.
log-event = Event { $position }
log-event-description = Event { $position } of the log, with its hashes.
log-event-recorded = recorded { $when }
log-event-about = What it is about
log-event-private = This event is private: its content, its actor and its type are sealed behind the hash. It still holds its place in the chain.
log-event-removed = The content was removed by <a href="/log/{ $position }">event { $position }</a>. The hashes remain, and the chain still holds.
log-event-content = Content
log-event-not-public = Not public.
log-event-stream = Stream
log-event-version = <code>{ $stream }</code>, version { $version }
log-event-metadata = Metadata
log-event-hashes = Hashes
log-event-salt = Salt
log-event-hash-content = Hash of the content
log-event-hash = Hash of the event
log-verify = Verify in this browser
log-event-formula = SHA-256 of salt and content, and of the hash before, the header and the hash of the content. <a href="/docs/guide/log#the-hashes">The formula.</a>

# What the script says.
log-its-content = its content
log-the-chain = the chain
log-the-order = the order
log-failed = It could not be verified: { $reason }
log-answered = The server answered { $status }.
log-contradicts = ✗ The hash contradicts { $what }.
log-place-holds = ✓ Its place in the chain holds; its header is from before sealed headers.
log-follows = ✓ The event follows from the one before it.
log-matches = ✓ The content matches its hash, and the event follows from the one before it.
log-no-event = ✗ The log has no event { $position }.
log-another-hash = ✗ Event { $position } has another hash now: the past was changed, or the checkpoint is of another server.
log-event-contradicts = ✗ Event { $position } contradicts { $what }.
log-progress = Verified up to { $position } of { $head } …
log-verified = ✓ { $count } events follow from your checkpoint. The head is { $position }: { $hash }
log-secure-only = Browsers offer this on HTTPS and on the local machine only.
