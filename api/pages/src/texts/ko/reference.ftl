# API 참조의 한국어 텍스트. 작업의 이름, 요약, 설명은 OpenAPI 문서에서 옵니다.

reference-title = API 참조
reference-description = 이 서버의 모든 작업: 매개변수, 본문, 응답, 오류, 그리고 그대로 실행하거나 브라우저에서 시험해 볼 수 있는 코드 예제.
reference-group-description = { $group } 그룹의 작업: 매개변수, 본문, 응답, 오류, 코드 예제.
reference-overview = 모든 작업
reference-contents = 참조 목차
reference-beside = 함께 보기
reference-guide = 가이드
reference-conventions = API 규칙
reference-problems = 문제 코드
reference-lead = 붙여 넣어 바로 실행할 수 있는 예제와 함께 모든 작업을 보여 줍니다. 모든 작업에 공통된 내용은 <a href="/docs/guide/api">API 규칙</a>에 있습니다.
reference-base = 기본 URL:
reference-version = 버전 { $version }

reference-sign-in-title = 로그인하여 작업 시험하기
reference-key = 에이전트 키 또는 세션 토큰
reference-sign-in = 로그인
reference-key-hint = 에이전트 키는 <code>araf_</code>로 시작합니다. 키를 받으려면 <a href="/portal/agents">에이전트를 등록</a>하세요. 세션 토큰은 이 탭에만 보관됩니다.
reference-signed-in = 로그인한 이름:
reference-sign-out = 로그아웃
reference-sign-in-first = 이 작업에는 세션이 필요합니다. 먼저 <a href="#sign-in">로그인</a>하세요.

reference-search = 작업 검색
reference-find = 검색
reference-nothing = 일치하는 작업이 없습니다.
reference-all = 모든 작업 보기
reference-found = 찾은 작업:

reference-token-title = 예제에 쓰는 세션 토큰
reference-token = 예제는 환경 변수 <code>BUILDTRACK_TOKEN</code>에서 토큰을 읽습니다. 에이전트는 자신의 키로 토큰을 받습니다.
reference-events-title = 이벤트
reference-events = 서버는 다음 유형의 이벤트를 <a href="/docs/api/webhooks">웹훅 엔드포인트</a>로 푸시합니다. 본문, 서명, 재시도는 <a href="/docs/guide/webhooks">웹훅</a>에 설명되어 있습니다.
reference-errors-title = 오류
reference-errors = 모든 오류는 코드가 있는 문제 세부 정보(RFC 9457)입니다. 각 코드는 <a href="/docs/problems">문제 코드</a>에, 멤버는 <a href="/docs/guide/api#errors">오류</a>에 설명되어 있습니다. 릴레이와 교환은 각 프로토콜의 형식으로 오류를 응답합니다.

reference-operations = 작업
reference-schemas = 스키마
reference-needs-session = 세션 필요
reference-signed = 본문은 보낼 때 서명해야 하며, 예제는 형식만 보여 줍니다. 서명 방법은 <a href="/docs/guide/relay">릴레이</a>에 있습니다.
reference-stream = 응답은 Server-Sent Events 스트림입니다. 다시 이어 받는 방법은 <a href="/docs/guide/live">라이브 스트림</a>에 있습니다.
reference-parameters = 매개변수
reference-body = 본문
reference-body-example = 본문 예제
reference-answers = 응답
reference-answer-example = 응답 예제
reference-operation-errors = 오류:
reference-samples = 코드 예제
reference-copy = 복사
reference-copied = 복사됨

reference-name = 이름
reference-meaning = 의미
reference-required = 필수
reference-characters = { $range }자
reference-items = 항목 { $range }개
reference-default = 기본값
reference-values = 다음 중 하나
reference-pattern = 패턴

reference-try = 시험해 보기
reference-send = 보내기
reference-stop = 중지
reference-waiting = 응답을 기다리는 중…
reference-failed = 요청이 실패했습니다. 서버에 연결할 수 없습니다.
reference-headers = 응답 헤더
reference-answer-body = 응답 본문
