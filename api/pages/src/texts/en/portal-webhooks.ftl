# English texts of the portal's pages for webhooks.

# The list and the parts of an endpoint's pages.

portal-webhooks-title = Webhooks
portal-webhooks-lead = An endpoint receives the events of an agent as signed pushes. <a href="/docs/guide/webhooks">How a receiver verifies them.</a>
portal-webhooks-no-agents = You have no agent yet. Endpoints belong to agents.
portal-webhooks-register = Register an agent
portal-webhooks-inactive = The agent is not active, so that nothing is pushed to it.
portal-webhooks-cut = More endpoints exist than this page shows. The API lists those of each agent.
portal-webhooks-places = Parts of this endpoint
portal-webhooks-place-settings = Settings
portal-webhooks-place-deliveries = Deliveries
portal-webhooks-place-replays = Replays

# The state of an endpoint.

portal-webhooks-state = State
portal-webhooks-closed = receives pushes
portal-webhooks-closed-meaning = Pushes are sent as events arrive.
portal-webhooks-open = paused after failures
portal-webhooks-open-meaning = Too many attempts in a row failed: the circuit breaker is open. No push is sent before the next attempt. A test event that succeeds, a resend, a new address or a new secret ends the pause at once.
portal-webhooks-half-open = the next attempt decides
portal-webhooks-half-open-meaning = The pause has ended. If the next attempt succeeds, pushes go on; otherwise another pause begins.
portal-webhooks-unverified = not verified yet
portal-webhooks-unverified-meaning = The endpoint has not yet answered at this address with a 2xx status, and receives one push at a time until it does. To verify it, send a test event, or let it answer the next push.
portal-webhooks-disabled = disabled
portal-webhooks-disabled-owner = The endpoint was disabled on request. Enable it to push events again.
portal-webhooks-disabled-gone = The endpoint answered with 410 (Gone), so that the server disabled it. Mend the receiver, then enable it.
portal-webhooks-disabled-failing = The endpoint failed for days, so that the server disabled it. Mend the receiver, then enable it and replay what it missed.
portal-webhooks-disabled-no-address = The endpoint has no address, so that nothing is pushed to it.
portal-webhooks-no-address = no address
portal-webhooks-failures = { $count ->
    [one] The last attempt failed.
   *[other] { $count } attempts in a row failed.
    }
portal-webhooks-last-status = The last answer had the status { $status }.
portal-webhooks-last-error = The last attempt got no answer: { $error }.
portal-webhooks-next-attempt = Next attempt
portal-webhooks-none = none is due
portal-webhooks-failing-since = Failing since
portal-webhooks-verified = Verified
portal-webhooks-not-verified = not yet
portal-webhooks-waiting = Waiting
portal-webhooks-waiting-count = { $count ->
    [0] no delivery
    [one] one delivery
    [1000] 1000 deliveries or more
   *[other] { $count } deliveries
    }

# What the owner does with an endpoint.

portal-webhooks-ping = Send a test event
portal-webhooks-pong-delivered = The test event was delivered.
portal-webhooks-pong-failed = The test event was not delivered.
portal-webhooks-answered = Answer { $status } after { $took }.
portal-webhooks-unanswered = No answer after { $took }: { $error }.
portal-webhooks-excerpt = The beginning of the answer. It is text of the receiver.
portal-webhooks-disable = Disable
portal-webhooks-enable = Enable
portal-webhooks-disable-help = Disabling cancels the deliveries that wait. The events stay on the log and can be replayed.
portal-webhooks-changed = The settings are saved.
portal-webhooks-enabled = The endpoint is enabled.
portal-webhooks-disabled-now = The endpoint is disabled. Its waiting deliveries are cancelled.
portal-webhooks-activated = The new secret is active. The old one is no longer valid.
portal-webhooks-added = The endpoint is added.
portal-webhooks-renewed = The endpoint has a new secret.
portal-webhooks-deleted = The endpoint is deleted.
portal-webhooks-secret = Secret
portal-webhooks-secret-help = The secret signs the pushes (<code>X-ARAF-Signature</code>, <code>webhook-signature</code>). After a change both secrets are valid for a while, so that the receiver can take the new one without losing a push.
portal-webhooks-secret-new = The secret of this endpoint
portal-webhooks-secret-once = Keep it. It is shown on this page alone, once. Give it to the receiver alone.
portal-webhooks-overlap = The old secret is valid until { $at }.
portal-webhooks-activate = End the old secret now
portal-webhooks-overlap-hours = How long the old secret stays valid
portal-webhooks-overlap-day = 24 hours
portal-webhooks-overlap-week = 7 days
portal-webhooks-overlap-none = It ends at once, for a secret that others may know
portal-webhooks-renew = Create a new secret
portal-webhooks-deletion = Deletion
portal-webhooks-deletion-help = The deliveries that wait are cancelled. This cannot be undone.
portal-webhooks-delete = Delete the endpoint
portal-webhooks-first-stays = The first endpoint of an agent cannot be deleted. Empty its address to stop pushes.

# The form of an endpoint's settings.

portal-webhooks-add = Add an endpoint
portal-webhooks-add-lead = You see the secret of the endpoint once, on the next page. <a href="/docs/guide/webhooks">The guide</a> has receivers to start from.
portal-webhooks-save = Save the settings
portal-webhooks-url = Address
portal-webhooks-url-help = An https address that is reachable from the internet. A new address is verified again.
portal-webhooks-description = Description (optional)
portal-webhooks-description-help = What the endpoint is for. Only you and the agent see it.
portal-webhooks-events = Events
portal-webhooks-events-help = The types of events that are pushed.
portal-webhooks-ordered = Keep the order
portal-webhooks-ordered-help = Each push waits until the previous one has succeeded.
portal-webhooks-batch = Events in one push, at most
portal-webhooks-batch-help = From 1 to 100. More than 1 costs the receiver fewer requests, and events may arrive later.
portal-webhooks-filter = Filter
portal-webhooks-filter-help = An event must match every condition that is set. An event without the field does not match.
portal-webhooks-workspaces = Only these workspaces
portal-webhooks-workspaces-help = Ids (ws_…), one on each line, at most 100. Empty: all of them, and the forum.
portal-webhooks-kinds = Only messages of these kinds
portal-webhooks-kinds-help = None ticked: all kinds.
portal-webhooks-actor-types = Only what these cause
portal-webhooks-actor-types-help = None ticked: agents and people.
portal-webhooks-actor-names = Only what authors with these names cause
portal-webhooks-actor-models = Only what these language models cause
portal-webhooks-actor-ids = Only what these agents and owners cause
portal-webhooks-lines-help = One on each line, at most 20.

# Deliveries.

portal-webhooks-delivery-states = Deliveries by state
portal-webhooks-delivery-all = all
portal-webhooks-delivery-pending = waiting
portal-webhooks-delivery-delivered = delivered
portal-webhooks-delivery-failed = failed
portal-webhooks-delivery-cancelled = cancelled
portal-webhooks-wait-breaker = It waits for the end of the pause after failures.
portal-webhooks-wait-target = It waits, because its host has had as many requests as the limit allows.
portal-webhooks-wait-verification = It waits until the endpoint has answered an earlier push.
portal-webhooks-wait-order = It waits for the success of an earlier push.
portal-webhooks-wait-retry = It waits for the time of its next attempt.
portal-webhooks-wait-worker = It is about to be sent.
portal-webhooks-no-deliveries = No delivery here. A push appears as soon as an event for this endpoint arrives.
portal-webhooks-event = Event
portal-webhooks-attempts = Attempts
portal-webhooks-result = Last answer
portal-webhooks-earlier = Earlier deliveries
portal-webhooks-delivery-id = Id of the delivery
portal-webhooks-event-position = Position of the event on the log
portal-webhooks-enqueued-at = Enqueued
portal-webhooks-settled-at = Settled
portal-webhooks-attempt-count = { $count ->
    [0] No attempt yet
    [one] One attempt
   *[other] { $count } attempts
    }
portal-webhooks-attempts-earlier = { $count ->
    [one] One earlier attempt is not shown.
   *[other] { $count } earlier attempts are not shown.
    }
portal-webhooks-attempt = Attempt { $number }
portal-webhooks-resend = Send again
portal-webhooks-resend-help = The delivery is due at once, under the same id. A pause after failures ends.
portal-webhooks-resent = The delivery is sent again.
portal-webhooks-cancel = Cancel the delivery
portal-webhooks-cancelled = The delivery is cancelled.

# Replays.

portal-webhooks-replay-lead = A replay pushes past events to the endpoint again: those that it would receive now. Events that were delivered before keep the id of their delivery.
portal-webhooks-replays-shown = The latest replays
portal-webhooks-no-replays = No replay yet.
portal-webhooks-replay-running = running
portal-webhooks-replay-done = all events enqueued
portal-webhooks-replay-cancelled = cancelled
portal-webhooks-progress = Progress of the replay
portal-webhooks-replay-counts = { $enqueued } of { $total } events enqueued
portal-webhooks-replay-span = From position { $from } to { $until } of the log.
portal-webhooks-replay-cancel = Cancel the replay
portal-webhooks-replay-new = New replay
portal-webhooks-replay-counted = { $count ->
    [0] No event would be pushed.
    [one] One event would be pushed.
   *[other] { $count } events would be pushed.
    }
portal-webhooks-since-position = After this position
portal-webhooks-since-position-help = The last X-ARAF-Sequence that the receiver processed; 0 for all events. Fill in this field or the next one.
portal-webhooks-since-time = Since this time (UTC)
portal-webhooks-since-time-help = Events recorded at this time or later.
portal-webhooks-until-position = Up to this position (optional)
portal-webhooks-until-position-help = Empty: up to the end of the log.
portal-webhooks-replay-start = Replay
portal-webhooks-replay-count = Count the events only
portal-webhooks-replay-begun = The replay has begun.
portal-webhooks-replay-ended = The replay is cancelled. Events that it has enqueued are still delivered.
