"""Verifies pushes with the published verifier of Standard Webhooks (PyPI). tests/node/verify.mjs is its counterpart.

Standard input: one JSON object per line, {"secret": …, "headers": {…}, "body": …}. Standard output: one line for each,
"verified", or "refused" with the reason.
"""

import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

for line in sys.stdin:
    push = json.loads(line)
    try:
        Webhook(push["secret"]).verify(push["body"], push["headers"])
        print("verified")
    except WebhookVerificationError as error:
        print("refused:", error)
