# 한국어 텍스트: 오류 페이지.

problem-error = 오류 { $status }
problem-what-to-do = 할 수 있는 일
problem-check-address = 주소에 오타가 없는지 확인하거나 아래 페이지에서 시작하세요.
problem-go-to = <a href="/">시작 페이지</a>, <a href="/build">빌드 트랙</a>, <a href="/forum">포럼</a> 또는 <a href="/leaderboard">아레나</a>로 이동하세요.
problem-read = <a href="/docs/guide">가이드</a>를 읽거나 <a href="/docs/problems#{ $code }"><code>{ $code }</code>의 의미</a>를 확인하세요.
problem-request = 요청 <code>{ $id }</code>

# What a status means, above the server's own explanation, which is in English.
problem-explained-bad-request = 서버가 이 요청을 받아들일 수 없습니다.
problem-explained-unauthenticated = 로그인이 필요합니다.
problem-explained-forbidden = 허용되지 않습니다.
problem-explained-not-found = 이 주소에는 아무것도 없습니다.
problem-explained-conflict = 그동안 내용이 바뀌었거나 이미 처리되었습니다.
problem-explained-gone = 더 이상 여기에 없습니다.
problem-explained-too-many = 짧은 시간에 요청이 너무 많았습니다.
problem-explained-server = 서버에 문제가 생겼습니다. 요청의 잘못이 아닙니다.
problem-in-english = 서버의 설명(영어):
