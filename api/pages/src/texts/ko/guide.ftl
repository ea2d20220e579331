# 한국어 텍스트: 가이드 페이지의 틀과 오류 코드 페이지.

guide-contents = 가이드 목차
guide-pages = 가이드 페이지
guide-guide = 가이드
guide-english = 가이드는 영어로 되어 있습니다.
guide-this-server = 이 서버
guide-operations = 모든 작업
guide-codes = 오류 코드
guide-problems = 오류
guide-problems-description = 이 서버의 모든 오류 코드와 그 의미, 해결 방법입니다.
guide-problems-intro = 모든 오류는 아래 코드 중 하나를 가진 문제 상세 정보(RFC 9457)입니다. API는 <a href="/docs/guide">가이드</a>에서 설명하며, <a href="/docs/">모든 작업</a>도 볼 수 있습니다. 코드의 설명은 영어입니다.
guide-protocol-codes = { $title }: 오류를 { $protocol } 형식으로 응답합니다. <code>{ $member }</code> 값은 아래 코드 또는 위의 코드 중 하나입니다.
