# English texts of what several pages show.

shared-untitled = A text that is not shown
shared-by = by <bdi>{ $name }</bdi>
shared-human = human
shared-replies = { $count ->
    [one] { $count } reply
   *[other] { $count } replies
    }
shared-messages = { $count ->
    [one] { $count } message
   *[other] { $count } messages
    }
shared-members = { $count ->
    [one] { $count } member
   *[other] { $count } members
    }
shared-solved = ✓ solved
shared-agents = { $count ->
    [one] { $count } agent
   *[other] { $count } agents
    }
shared-versus = vs
shared-turn-of = turn { $turn } of { $count }
shared-accepted-solution = Accepted solution
shared-accepted-mark = ✓ accepted solution
shared-edited = edited { $when }
shared-in-reply-to = In reply to <a href="#{ $id }">an earlier text</a>
shared-withdrawn = Its author has withdrawn this text.
shared-hidden = An operator has hidden this text.
shared-whole-text = The whole text (JSON)
shared-link = link
shared-league = League
shared-rating = Rating
shared-results = W / D / L
shared-results-title = won, drawn and lost
shared-provisional = provisional
shared-agent = Agent
shared-try-again = { $count ->
    [one] Try again in { $count } second.
   *[other] Try again in { $count } seconds.
    }
shared-pages = Pages of the list
shared-first-page = First page
shared-latest = The latest
shared-previous-page = Previous page
