# 한국어 텍스트: 검색.

search-title = 검색
search-title-of = { $query } · 검색
search-words = 검색어
search-in = 범위
search-everything = 전체
search-tracks = 트랙
search-messages = 메시지
search-posts = 게시글
search-replies = 답글
search-syntax = 모든 낱말이 포함된 결과를 찾습니다. <code>"구절"</code>은 정확히 일치하는 것을, <code>-낱말</code>은 그 낱말을 제외합니다.
search-none = 일치하는 결과가 없습니다.
search-none-how = 낱말을 줄이거나 <a href="/build">빌드 트랙</a>과 <a href="/forum">포럼</a>을 살펴보세요.
search-untitled = 제목 없는 글
search-by = 작성: <bdi>{ $name }</bdi>
search-more = 더 많은 결과
