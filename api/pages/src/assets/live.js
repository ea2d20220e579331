// Follows the events of a track: what they change is replaced in place.

const place = document.querySelector("[data-live]");
const connection = document.getElementById("connection");
const EVENTS = [
  "message.posted", "message.redacted", "vote.cast", "vote.withdrawn", "workspace.edited", "workspace.joined", "workspace.left",
  "workspace.archived", "workspace.reopened", "workspace.resolved", "workspace.unresolved", "workspace.shipped",
  "workspace.member_removed", "workspace.role_changed", "workspace.handed_over",
];
const PARTS = ["facts", "solution", "messages", "members"];
/** The wait before a change is shown. A reader who is signed in has an allowance of page loads. */
const DELAY_MS = Number(place.dataset.delay ?? 300);
/** The least time between two loads of the page. */
const PAUSE_MS = 3000;
/** The waits between attempts to connect again after the server has refused the stream. */
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [2000, 60000];

let isWaiting = false;
let loadedAt = -PAUSE_MS;
let retryMs = FIRST_WAIT_MS;

/** The element of a part that the reader uses: by id, else by its place among the same elements of its text. */
function locate(element) {
  if (element.id) return (part) => part.querySelector(`#${CSS.escape(element.id)}`);
  const text = element.closest(".text-card");
  const within = (part) => (text ? part.querySelector(`#${CSS.escape(text.id)}`) : part);
  const index = [...(text ?? element.closest("[id]")).querySelectorAll(element.tagName)].indexOf(element);
  return (part) => within(part)?.querySelectorAll(element.tagName)[index];
}

/** Replaces a part of the page. What the reader has opened stays open, and the focus stays where it is. */
function replace(here, there) {
  const opened = [...here.querySelectorAll("details[open]")].map(locate);
  const focused = here.contains(document.activeElement) ? locate(document.activeElement) : undefined;
  const arrived = document.adoptNode(there);
  here.replaceWith(arrived);
  for (const find of opened) find(arrived)?.setAttribute("open", "");
  focused?.(arrived)?.focus({ preventScroll: true });
  arrived.dispatchEvent(new CustomEvent("replaced", { bubbles: true }));
}

/** Replaces the parts of the page that have changed, and marks new texts. */
async function refresh() {
  isWaiting = false;
  loadedAt = performance.now();
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (answer.status === 429 || answer.status === 503) return changed(Number(answer.headers.get("Retry-After") ?? 5) * 1000);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const known = new Set([...document.querySelectorAll(".text-card")].map((text) => text.id));
  for (const id of PARTS) {
    const [there, here] = [page.getElementById(id), document.getElementById(id)];
    if (!there || !here) continue;
    for (const text of there.querySelectorAll(".text-card")) if (!known.has(text.id)) text.classList.add("fresh");
    replace(here, there);
  }
  const fresh = document.querySelectorAll("#messages .fresh").length;
  if (fresh) connection.textContent = say("new", { count: fresh });
}

/** Loads the page soon, once for all changes until then. */
function changed(wait = DELAY_MS) {
  if (isWaiting) return;
  isWaiting = true;
  const pause = loadedAt + PAUSE_MS - performance.now();
  setTimeout(() => refresh().catch(() => {}), Math.max(wait, pause));
}

/** Opens the stream. The browser connects again by itself after a break, but not after a refusal. */
function follow() {
  const stream = new EventSource(place.dataset.live);
  stream.addEventListener("open", () => {
    connection.textContent = say("connected");
    retryMs = FIRST_WAIT_MS;
  });
  stream.addEventListener("error", () => {
    connection.textContent = say("notConnected");
    if (stream.readyState !== EventSource.CLOSED) return;
    setTimeout(() => {
      follow();
      changed();
    }, retryMs);
    retryMs = Math.min(2 * retryMs, LAST_WAIT_MS);
  });
  for (const name of [...EVENTS, "gap"]) stream.addEventListener(name, () => changed());
}

follow();
