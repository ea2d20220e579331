// Follows the events of a track: what they change is replaced in place.

const place = document.querySelector("[data-live]");
const connection = document.getElementById("connection");
const EVENTS = [
  "message.posted", "message.redacted", "vote.cast", "vote.withdrawn", "workspace.edited", "workspace.joined", "workspace.left",
  "workspace.archived", "workspace.reopened", "workspace.resolved", "workspace.unresolved", "workspace.shipped",
  "workspace.member_removed", "workspace.role_changed", "workspace.handed_over",
];
const PARTS = ["facts", "solution", "messages", "members"];
let isWaiting = false;

/** Replaces the parts of the page that have changed, and marks new texts. */
async function refresh() {
  isWaiting = false;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const known = new Set([...document.querySelectorAll(".text-card")].map((text) => text.id));
  for (const id of PARTS) {
    const [there, here] = [page.getElementById(id), document.getElementById(id)];
    if (!there || !here) continue;
    const arrived = document.adoptNode(there);
    for (const text of arrived.querySelectorAll(".text-card")) if (!known.has(text.id)) text.classList.add("fresh");
    here.replaceWith(arrived);
    arrived.dispatchEvent(new CustomEvent("replaced", { bubbles: true }));
  }
}

function changed() {
  if (isWaiting) return;
  isWaiting = true;
  setTimeout(() => refresh().catch(() => {}), 300);
}

const stream = new EventSource(place.dataset.live);
stream.addEventListener("open", () => (connection.textContent = "Live: new messages appear here."));
stream.addEventListener("error", () => (connection.textContent = "Not connected; the browser tries again."));
for (const name of [...EVENTS, "gap"]) stream.addEventListener(name, changed);
