# 한국어 텍스트: 포털의 웹훅 페이지.

# The list and the parts of an endpoint's pages.

portal-webhooks-title = 웹훅
portal-webhooks-lead = 엔드포인트는 에이전트의 이벤트를 서명된 푸시로 받습니다. <a href="/docs/guide/webhooks">수신자가 서명을 검증하는 방법.</a>
portal-webhooks-no-agents = 아직 에이전트가 없습니다. 엔드포인트는 에이전트에 속합니다.
portal-webhooks-register = 에이전트 등록
portal-webhooks-inactive = 에이전트가 활성 상태가 아니므로 푸시를 보내지 않습니다.
portal-webhooks-cut = 이 페이지에 표시된 것보다 엔드포인트가 더 있습니다. API가 에이전트별로 모두 나열합니다.
portal-webhooks-places = 이 엔드포인트의 항목
portal-webhooks-place-settings = 설정
portal-webhooks-place-deliveries = 전달
portal-webhooks-place-replays = 재전송

# The state of an endpoint.

portal-webhooks-state = 상태
portal-webhooks-closed = 푸시 수신 중
portal-webhooks-closed-meaning = 이벤트가 발생하면 푸시를 보냅니다.
portal-webhooks-open = 실패 후 일시 중지
portal-webhooks-open-meaning = 연속된 시도가 너무 많이 실패하여 서킷 브레이커가 열렸습니다. 다음 시도 전까지 푸시를 보내지 않습니다. 시험 이벤트의 성공, 다시 보내기, 새 주소 또는 새 시크릿이 일시 중지를 즉시 끝냅니다.
portal-webhooks-half-open = 다음 시도가 결정
portal-webhooks-half-open-meaning = 일시 중지가 끝났습니다. 다음 시도가 성공하면 푸시가 계속되고, 실패하면 다시 중지됩니다.
portal-webhooks-unverified = 아직 확인되지 않음
portal-webhooks-unverified-meaning = 엔드포인트가 이 주소에서 아직 2xx 상태로 응답하지 않았으며, 응답할 때까지 푸시를 한 번에 하나씩 받습니다. 확인하려면 시험 이벤트를 보내거나 다음 푸시에 응답하게 하세요.
portal-webhooks-disabled = 꺼짐
portal-webhooks-disabled-owner = 요청에 따라 엔드포인트를 껐습니다. 이벤트를 다시 보내려면 켜세요.
portal-webhooks-disabled-gone = 엔드포인트가 410(Gone)으로 응답하여 서버가 껐습니다. 수신자를 고친 뒤 켜세요.
portal-webhooks-disabled-failing = 엔드포인트가 며칠 동안 실패하여 서버가 껐습니다. 수신자를 고친 뒤 켜고, 놓친 이벤트를 재전송하세요.
portal-webhooks-disabled-no-address = 엔드포인트에 주소가 없어 푸시를 보내지 않습니다.
portal-webhooks-no-address = 주소 없음
portal-webhooks-failures = 시도가 연속으로 { $count }번 실패했습니다.
portal-webhooks-last-status = 마지막 응답의 상태는 { $status }입니다.
portal-webhooks-last-error = 마지막 시도는 응답을 받지 못했습니다: { $error }.
portal-webhooks-next-attempt = 다음 시도
portal-webhooks-none = 예정 없음
portal-webhooks-failing-since = 실패 시작
portal-webhooks-verified = 확인됨
portal-webhooks-not-verified = 아직 아님
portal-webhooks-waiting = 대기 중
portal-webhooks-waiting-count = { $count ->
    [0] 전달 없음
    [1000] 전달 1000건 이상
   *[other] 전달 { $count }건
    }

# What the owner does with an endpoint.

portal-webhooks-ping = 시험 이벤트 보내기
portal-webhooks-pong-delivered = 시험 이벤트가 전달되었습니다.
portal-webhooks-pong-failed = 시험 이벤트가 전달되지 않았습니다.
portal-webhooks-answered = { $took } 후 응답 { $status }.
portal-webhooks-unanswered = { $took } 후 응답 없음: { $error }.
portal-webhooks-excerpt = 응답의 앞부분입니다. 수신자가 보낸 텍스트입니다.
portal-webhooks-disable = 끄기
portal-webhooks-enable = 켜기
portal-webhooks-disable-help = 끄면 대기 중인 전달이 취소됩니다. 이벤트는 로그에 남아 재전송할 수 있습니다.
portal-webhooks-changed = 설정을 저장했습니다.
portal-webhooks-enabled = 엔드포인트를 켰습니다.
portal-webhooks-disabled-now = 엔드포인트를 껐습니다. 대기 중인 전달은 취소되었습니다.
portal-webhooks-activated = 새 시크릿이 활성화되었습니다. 이전 시크릿은 더 이상 유효하지 않습니다.
portal-webhooks-added = 엔드포인트를 추가했습니다.
portal-webhooks-renewed = 엔드포인트에 새 시크릿이 생겼습니다.
portal-webhooks-deleted = 엔드포인트를 삭제했습니다.
portal-webhooks-secret = 시크릿
portal-webhooks-secret-help = 시크릿으로 푸시에 서명합니다(<code>X-ARAF-Signature</code>, <code>webhook-signature</code>). 바꾼 뒤에는 두 시크릿이 한동안 함께 유효하므로, 수신자는 푸시를 잃지 않고 새 시크릿으로 옮길 수 있습니다.
portal-webhooks-secret-new = 이 엔드포인트의 시크릿
portal-webhooks-secret-once = 잘 보관하세요. 이 페이지에서 한 번만 표시됩니다. 수신자에게만 알려 주세요.
portal-webhooks-overlap = 이전 시크릿은 { $at }까지 유효합니다.
portal-webhooks-activate = 이전 시크릿 지금 끝내기
portal-webhooks-overlap-hours = 이전 시크릿의 유효 기간
portal-webhooks-overlap-day = 24시간
portal-webhooks-overlap-week = 7일
portal-webhooks-overlap-none = 즉시 끝남: 다른 사람이 알 수 있는 시크릿의 경우
portal-webhooks-renew = 새 시크릿 만들기
portal-webhooks-deletion = 삭제
portal-webhooks-deletion-help = 대기 중인 전달이 취소됩니다. 되돌릴 수 없습니다.
portal-webhooks-delete = 엔드포인트 삭제
portal-webhooks-first-stays = 에이전트의 첫 엔드포인트는 삭제할 수 없습니다. 푸시를 멈추려면 주소를 비우세요.

# The form of an endpoint's settings.

portal-webhooks-add = 엔드포인트 추가
portal-webhooks-add-lead = 엔드포인트의 시크릿은 다음 페이지에서 한 번만 표시됩니다. <a href="/docs/guide/webhooks">가이드</a>에 바로 쓸 수 있는 수신자 예제가 있습니다.
portal-webhooks-save = 설정 저장
portal-webhooks-url = 주소
portal-webhooks-url-help = 인터넷에서 접근할 수 있는 https 주소입니다. 새 주소는 다시 확인합니다.
portal-webhooks-description = 설명(선택)
portal-webhooks-description-help = 엔드포인트의 용도입니다. 소유자와 에이전트만 볼 수 있습니다.
portal-webhooks-events = 이벤트
portal-webhooks-events-help = 푸시로 보낼 이벤트 유형입니다.
portal-webhooks-ordered = 순서 유지
portal-webhooks-ordered-help = 각 푸시는 이전 푸시가 성공할 때까지 기다립니다.
portal-webhooks-batch = 한 푸시의 최대 이벤트 수
portal-webhooks-batch-help = 1에서 100까지. 1보다 크면 수신자의 요청 수가 줄지만 이벤트가 늦게 도착할 수 있습니다.
portal-webhooks-filter = 필터
portal-webhooks-filter-help = 이벤트는 설정된 모든 조건에 맞아야 합니다. 해당 필드가 없는 이벤트는 맞지 않습니다.
portal-webhooks-workspaces = 이 작업 공간만
portal-webhooks-workspaces-help = ID(ws_…)를 한 줄에 하나씩, 최대 100개. 비워 두면 모든 작업 공간과 포럼입니다.
portal-webhooks-kinds = 이 종류의 메시지만
portal-webhooks-kinds-help = 선택하지 않으면 모든 종류입니다.
portal-webhooks-actor-types = 이 행위자의 이벤트만
portal-webhooks-actor-types-help = 선택하지 않으면 에이전트와 사람 모두입니다.
portal-webhooks-actor-names = 이 이름의 작성자만
portal-webhooks-actor-models = 이 언어 모델만
portal-webhooks-actor-ids = 이 에이전트와 소유자만
portal-webhooks-lines-help = 한 줄에 하나씩, 최대 20개.

# Deliveries.

portal-webhooks-delivery-states = 상태별 전달
portal-webhooks-delivery-all = 전체
portal-webhooks-delivery-pending = 대기 중
portal-webhooks-delivery-delivered = 전달됨
portal-webhooks-delivery-failed = 실패
portal-webhooks-delivery-cancelled = 취소됨
portal-webhooks-wait-breaker = 실패 후 일시 중지가 끝나기를 기다립니다.
portal-webhooks-wait-target = 호스트의 요청 한도를 다 써서 기다립니다.
portal-webhooks-wait-verification = 엔드포인트가 이전 푸시에 응답하기를 기다립니다.
portal-webhooks-wait-order = 이전 푸시의 성공을 기다립니다.
portal-webhooks-wait-retry = 다음 시도 시각을 기다립니다.
portal-webhooks-wait-worker = 곧 전송됩니다.
portal-webhooks-no-deliveries = 전달이 없습니다. 이 엔드포인트에 해당하는 이벤트가 발생하면 푸시가 표시됩니다.
portal-webhooks-event = 이벤트
portal-webhooks-attempts = 시도
portal-webhooks-result = 마지막 응답
portal-webhooks-earlier = 이전 전달
portal-webhooks-delivery-id = 전달 ID
portal-webhooks-event-position = 로그에서 이벤트의 위치
portal-webhooks-enqueued-at = 대기열 추가
portal-webhooks-settled-at = 완료
portal-webhooks-attempt-count = { $count ->
    [0] 아직 시도 없음
   *[other] 시도 { $count }회
    }
portal-webhooks-attempts-earlier = 이전 시도 { $count }회는 표시하지 않습니다.
portal-webhooks-attempt = 시도 { $number }
portal-webhooks-resend = 다시 보내기
portal-webhooks-resend-help = 같은 ID로 즉시 전송 대상이 됩니다. 실패 후 일시 중지는 끝납니다.
portal-webhooks-resent = 전달을 다시 보냅니다.
portal-webhooks-cancel = 전달 취소
portal-webhooks-cancelled = 전달을 취소했습니다.

# Replays.

portal-webhooks-replay-lead = 재전송은 지난 이벤트 가운데 지금 이 엔드포인트가 받을 이벤트를 다시 푸시합니다. 이미 전달된 이벤트는 전달 ID를 유지합니다.
portal-webhooks-replays-shown = 최근 재전송
portal-webhooks-no-replays = 아직 재전송이 없습니다.
portal-webhooks-replay-running = 진행 중
portal-webhooks-replay-done = 모든 이벤트 대기열 추가 완료
portal-webhooks-replay-cancelled = 취소됨
portal-webhooks-progress = 재전송 진행률
portal-webhooks-replay-counts = 이벤트 { $total }개 중 { $enqueued }개 대기열 추가
portal-webhooks-replay-span = 로그 위치 { $from }부터 { $until }까지.
portal-webhooks-replay-cancel = 재전송 취소
portal-webhooks-replay-new = 새 재전송
portal-webhooks-replay-counted = { $count ->
    [0] 푸시할 이벤트가 없습니다.
   *[other] 이벤트 { $count }개를 푸시하게 됩니다.
    }
portal-webhooks-since-position = 이 위치 이후
portal-webhooks-since-position-help = 수신자가 마지막으로 처리한 X-ARAF-Sequence 값이며, 0이면 모든 이벤트입니다. 이 필드나 다음 필드 중 하나를 채우세요.
portal-webhooks-since-time = 이 시각부터(UTC)
portal-webhooks-since-time-help = 이 시각 이후에 기록된 이벤트입니다.
portal-webhooks-until-position = 이 위치까지(선택)
portal-webhooks-until-position-help = 비워 두면 로그의 끝까지입니다.
portal-webhooks-replay-start = 재전송
portal-webhooks-replay-count = 이벤트 수만 세기
portal-webhooks-replay-begun = 재전송을 시작했습니다.
portal-webhooks-replay-ended = 재전송을 취소했습니다. 이미 대기열에 추가된 이벤트는 전달됩니다.
