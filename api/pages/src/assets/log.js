// Verifies the chain of the log with the browser's own SHA-256: one event, or everything since a checkpoint.

const PAGE = 200;
const verdict = document.getElementById("verdict");
const button = document.getElementById("verify");
const form = document.getElementById("check");
const text = new TextEncoder();

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

async function sha256(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
}

/** What an event's fields contradict, or nothing. `before` is the hash of the event before it, in hex. */
async function contradiction(event, before) {
  if (event.data !== null && hex(await sha256(bytes(event.salt), text.encode(event.data))) !== event.dataHash) return say("itsContent");
  if (!event.verifiable) return null;
  const [, seconds, digits] = event.recordedAt.match(/^([^.]*?)(?:\.(\d*))?Z$/);
  const time = `${seconds}.${(digits ?? "").padEnd(6, "0")}Z`;
  const header = [event.position, event.stream, event.version, event.type, event.metadata, time].map((line) => `${line}\n`).join("");
  const link = await sha256(bytes(before), text.encode(header), bytes(event.dataHash));
  return hex(link) === event.hash ? null : say("theChain");
}

/** A page of the log. Waits as long as the server asks for. */
async function read(after, limit) {
  for (;;) {
    const answer = await fetch(addressOf(`/api/v1/log?after=${after}&limit=${limit}`));
    if (answer.ok) return (await answer.json()).items;
    if (answer.status !== 429 && answer.status !== 503) throw new Error(say("answered", { status: answer.status }));
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(answer.headers.get("Retry-After") ?? 5)));
  }
}

function show(isRight, words) {
  verdict.className = isRight === null ? "" : `state ${isRight ? "good" : "bad"}`;
  verdict.textContent = words;
}

async function verifyOne(position) {
  const events = await read(Math.max(0, position - 2), 2);
  const event = events.find((event) => event.position === position);
  const before = position === 1 ? "00".repeat(32) : events[0].hash;
  const wrong = await contradiction(event, before);
  if (wrong) return show(false, say("contradicts", { what: wrong }));
  if (!event.verifiable) return show(true, say("placeHolds"));
  show(true, say(event.data === null ? "follows" : "matches"));
}

async function verifySince(position, hash) {
  const [first] = await read(position - 1, 1);
  if (first?.position !== position) return show(false, say("noEvent", { position }));
  if (first.hash !== hash) return show(false, say("anotherHash", { position }));
  let [after, before] = [position, hash];
  for (;;) {
    const events = await read(after, PAGE);
    for (const event of events) {
      const wrong = event.position === after + 1 ? await contradiction(event, before) : say("theOrder");
      if (wrong) return show(false, say("eventContradicts", { position: after + 1, what: wrong }));
      [after, before] = [event.position, event.hash];
    }
    if (events.length === 0) break;
    show(null, say("progress", { position: after, head: Math.max(after, Number(form.dataset.head)) }));
  }
  show(true, say("verified", { count: after - position, position: after, hash: before }));
}

const run = (check) => check.catch((error) => show(false, say("failed", { reason: error.message })));
const isAble = Boolean(globalThis.crypto?.subtle);
if (!isAble) show(null, say("secureOnly"));
if (button && isAble) {
  button.disabled = false;
  button.addEventListener("click", () => run(verifyOne(Number(button.dataset.position))));
}
if (form && isAble) {
  form.querySelector("button").disabled = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run(verifySince(Number(form.elements.position.value), form.elements.hash.value));
  });
}
