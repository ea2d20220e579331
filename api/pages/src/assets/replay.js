// Scrubs through the turns of a battle, and verifies its commitments and its seal with Web Crypto.

const battle = document.getElementById("battle");
let showsAll = false;
let current = 0;

const turns = () => [...document.querySelectorAll("#turns .turn")];

/** Shows one turn alone, or all; `follow` moves the address along. */
function show(number, follow) {
  const all = turns();
  if (!all.length) return;
  current = Math.min(Math.max(number, 1), all.length);
  const section = document.getElementById("turns");
  const scrubber = section.querySelector(".scrubber");
  scrubber.hidden = all.length < 2;
  all.forEach((turn, index) => (turn.hidden = !showsAll && index + 1 !== current));
  const range = scrubber.querySelector("input");
  range.max = all.length;
  range.value = current;
  const words = say("turnOf", { turn: current, count: all.length });
  range.setAttribute("aria-valuetext", words);
  scrubber.querySelector("output").textContent = words;
  scrubber.querySelector("[data-step='-1']").disabled = current === 1;
  scrubber.querySelector("[data-step='1']").disabled = current === all.length;
  scrubber.querySelector("[data-all]").setAttribute("aria-pressed", String(showsAll));
  for (const link of document.querySelectorAll("#state a[href^='#turn-']")) {
    const isCurrent = link.hash === `#turn-${current}` && !showsAll;
    isCurrent ? link.setAttribute("aria-current", "step") : link.removeAttribute("aria-current");
  }
  if (follow) history.replaceState(null, "", `#turn-${current}`);
  if (follow && showsAll) all[current - 1].scrollIntoView({ block: "start" });
}

const numberIn = (hash) => Number(/^#turn-(\d+)$/.exec(hash)?.[1] ?? 0);

document.addEventListener("click", (event) => {
  const step = event.target.closest("[data-step]");
  if (step) show(current + Number(step.dataset.step), true);
  if (event.target.closest("[data-all]")) {
    showsAll = !showsAll;
    show(current, false);
  }
  const link = event.target.closest("a[href^='#turn-']");
  if (link) {
    event.preventDefault();
    show(numberIn(link.hash), true);
    document.getElementById(`turn-${current}`).scrollIntoView({ block: "nearest" });
  }
});
document.addEventListener("input", (event) => {
  if (event.target.closest(".scrubber")) show(Number(event.target.value), true);
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select") || event.altKey || event.ctrlKey || event.metaKey;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!isTyping && step && turns().length > 1) {
    event.preventDefault();
    show(current + step, true);
  }
});
window.addEventListener("hashchange", () => numberIn(location.hash) && show(numberIn(location.hash), false));
document.addEventListener("replaced", (event) => {
  const last = turns().length;
  if (event.target.id === "turns") show(event.target.dataset.follow ? last : current, false);
});

const isPlaying = document.getElementById("state").dataset.status === "playing";
show(numberIn(location.hash) || (isPlaying ? turns().length : 1), false);

/** The SHA-256 of bytes, in hex. */
async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The SHA-256 of a salt in hex and an answer. */
function commitmentOf(salt, output) {
  const text = new TextEncoder().encode(output);
  const bytes = new Uint8Array(salt.length / 2 + text.length);
  for (let index = 0; index < salt.length / 2; index++) bytes[index] = parseInt(salt.slice(2 * index, 2 * index + 2), 16);
  bytes.set(text, salt.length / 2);
  return sha256(bytes);
}

function mark(key, isRight) {
  const place = document.querySelector(`[data-commitment="${key}"]`);
  if (!place) return;
  place.querySelector(".state")?.remove();
  const word = document.createElement("span");
  word.className = isRight ? "state good" : "state bad";
  word.textContent = say(isRight ? "right" : "wrong");
  place.append(" ", word);
}

/** A part of the battle, from a cursor on. */
async function part(cursor) {
  const address = addressOf(`/replays/${battle.dataset.match}`) + (cursor ? `?cursor=${cursor}` : "");
  const answer = await fetch(address, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(say("answered", { status: answer.status }));
  return answer.json();
}

/** Verifies the battle as the log has it. Returns what was found, in words. */
async function verify() {
  const committed = new Map();
  const sealed = [];
  let [right, wrong, hashes, replay] = [0, 0, "", undefined];
  do {
    replay = await part(replay?.nextCursor);
    for (const { type, data, hash } of replay.events) {
      hashes += `${hash}\n`;
      const key = `${data.turn}-${data.seat}`;
      if (type === "match.answered") committed.set(key, data.commitment);
      if (type !== "match.answer_revealed") continue;
      if (data.sealed) {
        sealed.push(key);
        continue;
      }
      const isRight = (await commitmentOf(data.salt, data.output)) === committed.get(key);
      isRight ? right++ : wrong++;
      mark(key, isRight);
    }
  } while (replay.nextCursor);
  // Nothing is sealed in a match that has ended.
  if (replay.seal !== null) {
    wrong += sealed.length;
    sealed.forEach((key) => mark(key, false));
  }
  const seal = await sha256(new TextEncoder().encode(hashes));
  const shownSeal = document.getElementById("seal")?.textContent;
  const holds = replay.seal === null || (replay.seal === seal && (!shownSeal || shownSeal === seal));
  const answers = say("answers", { right, count: right + wrong });
  const ofSeal = say(replay.seal === null ? "sealFollows" : holds ? "sealHolds" : "sealBroken");
  return { isGood: holds && wrong === 0, words: `${answers}; ${ofSeal}.` };
}

const button = document.getElementById("verify");
const verdict = document.getElementById("verdict");
button.hidden = false;
button.addEventListener("click", async () => {
  button.disabled = true;
  verdict.className = "";
  if (!globalThis.crypto?.subtle) {
    verdict.textContent = say("https");
    return;
  }
  try {
    const { isGood, words } = await verify();
    verdict.className = isGood ? "state good" : "state bad";
    verdict.textContent = `${isGood ? "✓" : "✗"} ${words}`;
  } catch (error) {
    verdict.textContent = say("failed", { reason: error.message });
  }
  button.disabled = false;
});
