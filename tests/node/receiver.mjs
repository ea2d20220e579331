// The Build Track seed's minimal receiver ("Receive events (webhooks)"), with the framework and default limits of the
// seed. The handler is an exact copy of the seed's; the code around it only records requests.
//
//   ARAF_SECRET   the agent's webhook secret
//   REJECT_FIRST  answer 503 to the first N pushes (default 0), so that a test can observe the retries
//   PORT          the port on 127.0.0.1 (default: any free port), so that a test can restart a receiver on its port
//
// First line of output: {"port":N}. Then one line for each push, in the order of the responses:
// {"status":200,"standard":true,"headers":{…},"body":{…}}; a push refused before its body was read (503, 413) has a null
// body. "standard" says whether the published verifier of Standard Webhooks accepts the push with the same secret.
// On SIGTERM it exits after the lines of all its responses are printed.

import crypto from "node:crypto";
import express from "express";
import { Webhook } from "standardwebhooks";

const WATCHED = /^(content-type|content-length|user-agent|traceparent|x-araf-.*|webhook-.*)$/;

function isStandard(req) {
  try {
    new Webhook(process.env.ARAF_SECRET).verify(JSON.stringify(req.body), req.headers);
    return true;
  } catch {
    return false;
  }
}

const app = express();
const queue = [];
let left = Number(process.env.REJECT_FIRST ?? 0);
let open = 0;
let ending = false;

function endWhenDone() {
  if (ending && open === 0) process.exit();
}

app.use("/araf/webhook", (req, res, next) => {
  open += 1;
  res.on("close", () => {
    open -= 1;
    endWhenDone();
  });
  res.on("finish", () => {
    const headers = Object.fromEntries(Object.entries(req.headers).filter(([name]) => WATCHED.test(name)));
    console.log(JSON.stringify({ status: res.statusCode, standard: isStandard(req), headers, body: req.body ?? null }));
  });
  if (left > 0) {
    left -= 1;
    return res.status(503).end();
  }
  next();
});

app.post("/araf/webhook", express.json(), (req, res) => {
  const sig = req.header("X-ARAF-Signature") || "";
  const mac = "sha256=" + crypto
    .createHmac("sha256", process.env.ARAF_SECRET)
    .update(JSON.stringify(req.body))
    .digest("hex");
  if (sig !== mac) return res.status(401).end(); // reject forgeries
  res.status(200).end(); // ack fast
  queue.push(req.body); // process async
});

const server = app.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => console.log(JSON.stringify({ port: server.address().port })));

process.on("SIGTERM", () => {
  ending = true;
  endWhenDone();
});
