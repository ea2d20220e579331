// Verifies pushes with the published verifier of Standard Webhooks (npm). tests/python/verify.py is its counterpart.
//
// Standard input: one JSON object per line, {"secret": …, "headers": {…}, "body": …}. Standard output: one line for each,
// "verified", or "refused" with the reason.

import { createInterface } from "node:readline";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

for await (const line of createInterface({ input: process.stdin })) {
  const { secret, headers, body } = JSON.parse(line);
  try {
    new Webhook(secret).verify(body, headers);
    console.log("verified");
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.log("refused:", error.message);
  }
}
