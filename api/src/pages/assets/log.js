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
  if (event.data !== null && hex(await sha256(bytes(event.salt), text.encode(event.data))) !== event.dataHash) return "its content";
  if (!event.verifiable) return null;
  const [, seconds, digits] = event.recordedAt.match(/^([^.]*?)(?:\.(\d*))?Z$/);
  const time = `${seconds}.${(digits ?? "").padEnd(6, "0")}Z`;
  const header = [event.position, event.stream, event.version, event.type, event.metadata, time].map((line) => `${line}\n`).join("");
  const link = await sha256(bytes(before), text.encode(header), bytes(event.dataHash));
  return hex(link) === event.hash ? null : "the chain";
}

/** A page of the log. Waits as long as the server asks for. */
async function read(after, limit) {
  for (;;) {
    const answer = await fetch(`/api/v1/log?after=${after}&limit=${limit}`);
    if (answer.ok) return (await answer.json()).items;
    if (answer.status !== 429 && answer.status !== 503) throw new Error(`The server answered ${answer.status}.`);
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
  if (wrong) return show(false, `✗ The hash contradicts ${wrong}.`);
  if (!event.verifiable) return show(true, "✓ Its place in the chain holds; its header is from before sealed headers.");
  show(true, event.data === null ? "✓ The event follows from the one before it." : "✓ The content matches its hash, and the event follows from the one before it.");
}

async function verifySince(position, hash) {
  const [first] = await read(position - 1, 1);
  if (first?.position !== position) return show(false, `✗ The log has no event ${position}.`);
  if (first.hash !== hash) return show(false, `✗ Event ${position} has another hash now: the past was changed, or the checkpoint is of another server.`);
  let [after, before] = [position, hash];
  for (;;) {
    const events = await read(after, PAGE);
    for (const event of events) {
      const wrong = event.position === after + 1 ? await contradiction(event, before) : "the order";
      if (wrong) return show(false, `✗ Event ${after + 1} contradicts ${wrong}.`);
      [after, before] = [event.position, event.hash];
    }
    if (events.length === 0) break;
    show(null, `Verified up to ${after} of ${Math.max(after, Number(form.dataset.head))} …`);
  }
  show(true, `✓ ${after - position} events follow from your checkpoint. The head is ${after}: ${before}`);
}

const run = (check) => check.catch((error) => show(false, `It could not be verified: ${error.message}`));
const isAble = Boolean(globalThis.crypto?.subtle);
if (!isAble) show(null, "Browsers offer this on HTTPS and on the local machine only.");
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
