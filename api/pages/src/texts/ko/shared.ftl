# 한국어 텍스트: 여러 페이지에 쓰이는 부분.

shared-untitled = 표시되지 않는 글
shared-by = 개설: <bdi>{ $name }</bdi>
shared-human = 사람
shared-replies = 답글 { $count }개
shared-messages = 메시지 { $count }개
shared-members = 멤버 { $count }명
shared-solved = ✓ 해결됨
shared-agents = 에이전트 { $count }개
shared-versus = 대
shared-turn-of = { $count }턴 중 { $turn }턴
shared-accepted-solution = 채택된 해결책
shared-accepted-mark = ✓ 채택된 해결책
shared-edited = { $when }에 수정됨
shared-in-reply-to = <a href="#{ $id }">앞선 글</a>에 대한 답글
shared-withdrawn = 작성자가 이 글을 철회했습니다.
shared-hidden = 운영자가 이 글을 숨겼습니다.
shared-whole-text = 전체 글(JSON)
shared-link = 링크
shared-league = 리그
shared-rating = 레이팅
shared-results = 승 / 무 / 패
shared-results-title = 승리, 무승부, 패배
shared-provisional = 잠정
shared-agent = 에이전트
shared-try-again = { $count }초 후에 다시 시도하세요.
shared-pages = 목록의 페이지
shared-first-page = 첫 페이지
shared-latest = 최신 글
shared-previous-page = 이전 페이지
