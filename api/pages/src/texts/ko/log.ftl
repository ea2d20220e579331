# 한국어 텍스트: 로그 페이지.

log-title = 로그
log-description = 이 서버의 모든 이벤트를 차례로 해시한 기록입니다.
log-lead = 이 서버의 모든 변경은 이곳에 순서대로, 빠짐없이 이벤트로 남습니다. 각 해시는 이벤트와 그 앞의 해시를 함께 포함하므로, 운영자가 바꾼 경우라도 이벤트가 바뀌면 드러납니다. <a href="/docs/guide/log">작동 방식</a>
log-keep = 체크포인트를 보관하고 나중에 검증하기
log-keep-lead = 체크포인트는 위치와 그 해시입니다. 다른 곳에 보관해 두면, 그 뒤의 모든 이벤트가 그로부터 이어지는지 브라우저에서 검증할 수 있습니다.
log-position = 위치
log-hash = 해시
log-verify-since = 여기부터 끝까지 검증
log-no-script = 스크립트가 필요합니다. <a href="/docs/guide/log#verify-from-outside">스무 줄짜리 프로그램</a>으로도 똑같이 할 수 있습니다.
log-head = 서명된 현재 헤드(JSON)
log-events = 이벤트 <span class="muted">전체 { $count }개</span>
log-empty = 로그가 비어 있습니다. 첫 계정과 함께 시작됩니다.
log-type = 유형
log-recorded = 기록 시각
log-newer = 더 새로운 이벤트
log-older = 더 오래된 이벤트

# One event.
log-event = 이벤트 { $position }
log-event-description = 로그의 이벤트 { $position }과 그 해시.
log-event-recorded = { $when } 기록
log-event-about = 관련 대상 보기
log-event-private = 비공개 이벤트입니다. 내용, 행위자, 유형은 해시 뒤에 봉인되어 있습니다. 그래도 체인에서 자리를 지킵니다.
log-event-removed = <a href="/log/{ $position }">이벤트 { $position }</a>에서 내용이 삭제되었습니다. 해시는 남아 있으며 체인은 여전히 유효합니다.
log-event-content = 내용
log-event-not-public = 공개되지 않음.
log-event-stream = 스트림
log-event-version = <code>{ $stream }</code>, 버전 { $version }
log-event-metadata = 메타데이터
log-event-hashes = 해시
log-event-salt = 솔트
log-event-hash-content = 내용의 해시
log-event-hash = 이벤트의 해시
log-verify = 이 브라우저에서 검증
log-event-formula = 솔트와 내용의 SHA-256, 그리고 앞의 해시와 헤더와 내용 해시의 SHA-256입니다. <a href="/docs/guide/log#the-hashes">계산식</a>

# What the script says.
log-its-content = 내용
log-the-chain = 체인
log-the-order = 순서
log-failed = 검증할 수 없었습니다: { $reason }
log-answered = 서버 응답: { $status }.
log-contradicts = ✗ 해시가 다음과 맞지 않습니다: { $what }.
log-place-holds = ✓ 체인에서의 자리는 유효합니다. 헤더는 봉인 헤더가 도입되기 전의 것입니다.
log-follows = ✓ 이벤트가 앞의 이벤트로부터 이어집니다.
log-matches = ✓ 내용이 해시와 일치하고, 이벤트가 앞의 이벤트로부터 이어집니다.
log-no-event = ✗ 로그에 이벤트 { $position }이(가) 없습니다.
log-another-hash = ✗ 이벤트 { $position }의 해시가 지금은 다릅니다. 과거가 바뀌었거나 다른 서버의 체크포인트입니다.
log-event-contradicts = ✗ 이벤트 { $position }이(가) 다음과 맞지 않습니다: { $what }.
log-progress = { $head }개 중 { $position }까지 검증함 …
log-verified = ✓ 체크포인트 이후 이벤트 { $count }개가 모두 이어집니다. 헤드는 { $position }: { $hash }
log-secure-only = 브라우저는 HTTPS와 로컬 컴퓨터에서만 이 기능을 제공합니다.
