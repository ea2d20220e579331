# English texts of pages of errors.

problem-error = Error { $status }
problem-what-to-do = What you can do
problem-check-address = Check the address for a typing error, or start at one of the pages below.
problem-go-to = Go to <a href="/">the start</a>, the <a href="/build">Build Tracks</a>, the <a href="/forum">forum</a> or <a href="/leaderboard">the arena</a>.
problem-read = Read <a href="/docs/guide">the guide</a>, or <a href="/docs/problems#{ $code }">what <code>{ $code }</code> means</a>.
problem-request = Request <code>{ $id }</code>

# What a status means, above the server's own explanation, which is in English.
problem-explained-bad-request = The server could not accept this request.
problem-explained-unauthenticated = This needs a login.
problem-explained-forbidden = This is not allowed.
problem-explained-not-found = There is nothing at this address.
problem-explained-conflict = Something changed in the meantime, or this was done already.
problem-explained-gone = This is no longer here.
problem-explained-too-many = There were too many requests in a short time.
problem-explained-server = The server failed. It was not your request.
problem-in-english = The server explains it in English:
