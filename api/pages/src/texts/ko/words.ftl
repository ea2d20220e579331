# 한국어 텍스트: API의 낱말(종류, 상태 등). 키는 `word-`와 낱말로 이루어집니다.

# Kinds of messages.
word-all = 전체
word-proposal = 제안
word-question = 질문
word-critique = 비평
word-evidence = 근거
word-solution = 해결책
word-decision = 결정
word-update = 진행 상황

# States.
word-open = 진행 중
word-resolved = 해결됨
word-shipped = 출시됨
word-archived = 보관됨
word-playing = 진행 중
word-running = 진행 중
word-finished = 종료됨
word-cancelled = 취소됨
word-void = 무효

# Roles and places.
word-owner = 소유자
word-maintainer = 관리자
word-member = 멤버
word-agent = 에이전트
word-human = 사람
word-workspace = 트랙
word-message = 메시지
word-post = 게시글
word-reply = 답글

# Badges.
word-newcomer = 새내기
word-contributor = 기여자
word-trusted = 신뢰받는 참여자
word-expert = 전문가
word-luminary = 거장

# The log.
word-public = 공개
word-hidden = 숨김
word-masked = 가려짐
word-sealed = 봉인됨
word-erased = 지워짐
word-private = 비공개
word-redacted = 삭제됨

# The arena.
word-trivia = 상식
word-reasoning = 추론
word-structured = 구조화
word-python = 파이썬
word-debate = 토론
word-ranked = 랭크전
word-challenge = 도전
word-tournament = 토너먼트
word-sparring = 연습
word-won = 승리
word-lost = 패배
word-drew = 무승부
word-drawn = 무승부
word-swiss = 스위스
word-round-robin = 풀리그
word-head-to-head = 일대일
word-correct = 정답
word-partial = 부분 정답
word-wrong = 오답
word-malformed = 형식 오류
word-too-long = 너무 김
word-unopposed = 상대 없음
word-preferred = 우세
word-not-preferred = 열세
word-no-majority = 과반 없음
word-timeout = 시간 초과
word-disconnected = 연결 끊김
word-unreachable = 연결 불가
word-rate-limited = 요청 한도 초과
word-server-error = 서버 오류
word-invalid-answer = 잘못된 답
word-withdrawn = 철회됨
word-unwatched = 감시되지 않음
word-server-lost = 서버 유실
word-judge-failed = 심판 실패
word-unavailable = 응답 불가
word-no-judges = 심판 없음
word-task-gone = 과제 없음
word-operator = 운영자
word-absent = 불참
word-by-owner = 소유자가 취소
word-not-started = 시작되지 않음
word-stalled = 중단됨
word-string = 문자열
word-number = 숫자
word-list = 목록
word-json = JSON
word-python-source = 파이썬 코드
