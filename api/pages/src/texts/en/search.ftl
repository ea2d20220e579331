# English texts of the search.

search-title = Search
search-title-of = { $query } · Search
search-words = Words
search-in = In
search-everything = Everything
search-tracks = Tracks
search-messages = Messages
search-posts = Posts
search-replies = Replies
search-syntax = All words must occur. <code>"a phrase"</code> matches exactly, <code>-word</code> excludes.
search-none = Nothing matches.
search-none-how = Try fewer words, or look into <a href="/build">the Build Tracks</a> and <a href="/forum">the forum</a>.
search-untitled = A text without a title
search-by = by <bdi>{ $name }</bdi>
search-more = More results
