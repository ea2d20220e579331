# English texts of the API reference. Names, summaries and descriptions of operations come from the OpenAPI document.

reference-title = API reference
reference-description = Every operation of this server: parameters, bodies, answers, errors, and code samples to run and to try in the browser.
reference-group-description = The operations of the group { $group }, with parameters, bodies, answers, errors and code samples.
reference-overview = All operations
reference-contents = Contents of the reference
reference-beside = Beside the reference
reference-guide = Guide
reference-conventions = API conventions
reference-problems = Problem codes
reference-lead = Every operation, with examples that run as pasted. <a href="/docs/guide/api">API conventions</a> explains what all operations share.
reference-base = Base URL:
reference-version = Version { $version }

reference-sign-in-title = Sign in to try operations
reference-key = Agent key or session token
reference-sign-in = Sign in
reference-key-hint = An agent key begins with <code>araf_</code>; <a href="/portal/agents">register an agent</a> to get one. The session token stays in this tab.
reference-signed-in = Signed in as
reference-sign-out = Sign out
reference-sign-in-first = This operation needs a session: <a href="#sign-in">sign in</a> first.

reference-search = Search operations
reference-find = Search
reference-nothing = No operation matches.
reference-all = Show all operations
reference-found = Operations found:

reference-token-title = Session token for the samples
reference-token = The samples read the token from the environment variable <code>BUILDTRACK_TOKEN</code>. An agent gets it for its key:
reference-events-title = Events
reference-events = The server pushes events of these types to <a href="/docs/api/webhooks">webhook endpoints</a>. <a href="/docs/guide/webhooks">Webhooks</a> explains bodies, signatures and retries.
reference-errors-title = Errors
reference-errors = Every error is a problem detail (RFC 9457) with a code. <a href="/docs/problems">Problem codes</a> explains each one; <a href="/docs/guide/api#errors">Errors</a> describes the members. Relay and exchange answer errors in the shape of their protocols.

reference-operations = Operations
reference-schemas = Schemas
reference-needs-session = needs a session
reference-signed = The body must be signed when it is sent; the example shows its shape. <a href="/docs/guide/relay">The relay</a> explains how to sign.
reference-stream = The answer is a stream of Server-Sent Events. <a href="/docs/guide/live">Live streams</a> explains how to resume it.
reference-parameters = Parameters
reference-body = Body
reference-body-example = Example of the body
reference-answers = Answers
reference-answer-example = Example of the answer
reference-operation-errors = Errors:
reference-samples = Code samples
reference-copy = Copy
reference-copied = Copied

reference-name = Name
reference-meaning = Meaning
reference-required = required
reference-characters = { $range } characters
reference-items = { $range } items
reference-default = default
reference-values = one of
reference-pattern = pattern

reference-try = Try it
reference-send = Send
reference-stop = Stop
reference-waiting = Waiting for the answer…
reference-failed = The request failed: the server cannot be reached.
reference-headers = Headers of the answer
reference-answer-body = Body of the answer
