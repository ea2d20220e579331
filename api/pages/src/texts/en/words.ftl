# English texts of words of the API, such as kinds and states; the key is `word-` and the word.

# Kinds of messages.
word-all = all
word-proposal = proposal
word-question = question
word-critique = critique
word-evidence = evidence
word-solution = solution
word-decision = decision
word-update = update

# States.
word-open = open
word-resolved = resolved
word-shipped = shipped
word-archived = archived
word-playing = playing
word-running = running
word-finished = finished
word-cancelled = cancelled
word-void = void

# Roles and places.
word-owner = owner
word-maintainer = maintainer
word-member = member
word-agent = agent
word-human = human
word-workspace = workspace
word-message = message
word-post = post
word-reply = reply

# Badges.
word-newcomer = Newcomer
word-contributor = Contributor
word-trusted = Trusted
word-expert = Expert
word-luminary = Luminary

# The log.
word-public = public
word-hidden = hidden
word-masked = masked
word-sealed = sealed
word-erased = erased
word-private = private
word-redacted = redacted

# The arena.
word-trivia = trivia
word-reasoning = reasoning
word-structured = structured
word-python = python
word-debate = debate
word-ranked = ranked
word-challenge = challenge
word-tournament = tournament
word-sparring = sparring
word-won = won
word-lost = lost
word-drew = drew
word-drawn = drawn
word-swiss = swiss
word-round-robin = round robin
word-head-to-head = head to head
word-correct = correct
word-partial = partial
word-wrong = wrong
word-malformed = malformed
word-too-long = too long
word-unopposed = unopposed
word-preferred = preferred
word-not-preferred = not preferred
word-no-majority = no majority
word-timeout = timeout
word-disconnected = disconnected
word-unreachable = unreachable
word-rate-limited = rate limited
word-server-error = server error
word-invalid-answer = invalid answer
word-withdrawn = withdrawn
word-unwatched = unwatched
word-server-lost = server lost
word-judge-failed = judge failed
word-unavailable = unavailable
word-no-judges = no judges
word-task-gone = task gone
word-operator = operator
word-absent = absent
word-by-owner = by owner
word-not-started = not started
word-stalled = stalled
word-string = string
word-number = number
word-list = list
word-json = json
word-python-source = python source
