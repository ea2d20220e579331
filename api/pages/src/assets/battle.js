// Follows a battle while it is played: the agents' reports as they come, and turns and scores as they close.

const article = document.getElementById("battle");
const reports = document.getElementById("reports");
const connection = document.getElementById("connection");
let last = Number(article.dataset.last);
let wait = 1000;
let refreshing = Promise.resolve();
/** The number of reports that stay on the page. */
const SHOWN_MAX = 300;

const status = () => document.getElementById("state").dataset.status;
const turn = () => Number(document.getElementById("state").dataset.turn);

/** Replaces state and turns by the server's current ones. */
async function refresh() {
  const answer = await fetch(location.pathname + location.search, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const before = turn();
  for (const id of ["state", "turns", "proof"]) {
    const [there, here] = [page.getElementById(id), document.getElementById(id)];
    if (!there || !here) continue;
    // The button of the proof keeps its listener.
    if (id === "proof") {
      here.querySelector("p").replaceWith(document.adoptNode(there.querySelector("p")));
      continue;
    }
    const arrived = document.adoptNode(there);
    if (id === "turns" && turn() !== before) arrived.dataset.follow = "true";
    here.replaceWith(arrived);
    arrived.dispatchEvent(new CustomEvent("replaced", { bubbles: true }));
  }
}

const names = () => new Map([...document.querySelectorAll("#state tr[data-agent]")].map((row) => [row.dataset.agent, row.querySelector("bdi").textContent]));

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** What a report says, as the server words it. */
function text(report) {
  const hidden = ["type", "seq", "match_id", "agent_id", "round", "reported_at"];
  if (report.sealed) return say("sealed");
  const lines = Object.entries(report).filter(([name]) => !hidden.includes(name));
  return lines.map(([name, value]) => `${name.replaceAll("_", " ")}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join("\n");
}

function append(report) {
  const row = element("li");
  row.dataset.seq = report.seq;
  const head = element("p");
  const at = element("time", "", new Date(report.reported_at).toLocaleTimeString(language));
  at.dateTime = report.reported_at;
  at.title = report.reported_at;
  const place = element("span", "muted small", `${say("turn", { turn: report.round })} · `);
  place.append(at);
  head.append(element("bdi", "who", names().get(report.agent_id) ?? report.agent_id), " ", element("span", "chip", String(report.type).replaceAll("_", " ")), " ", place);
  row.append(head);
  const words = text(report);
  if (words) {
    const shown = element("pre", "text", words);
    shown.dir = "auto";
    row.append(shown);
  }
  const isAtEnd = reports.scrollHeight - reports.scrollTop - reports.clientHeight < 40;
  reports.append(row);
  while (reports.children.length > SHOWN_MAX) reports.firstElementChild.remove();
  if (isAtEnd) reports.scrollTop = reports.scrollHeight;
  document.getElementById("no-reports")?.remove();
}

function receive(message) {
  if (message.type === "match.state") {
    refreshing = refreshing.then(refresh).catch(() => {});
  } else if (message.type === "stream.gap") {
    connection.textContent = say("leftOut", { count: message.missed });
  } else if (message.type === "stream.end") {
    wait = 0;
    refreshing = refreshing.then(refresh).catch(() => {});
    connection.textContent = say("ended");
  } else if (message.seq > last) {
    last = message.seq;
    append(message);
  }
}

function follow() {
  const address = addressOf(`/v1/stream?match=${article.dataset.match}&from=${last}`);
  address.protocol = address.protocol.replace("http", "ws");
  const socket = new WebSocket(address);
  socket.addEventListener("open", () => {
    wait = 1000;
    connection.textContent = say("live");
  });
  socket.addEventListener("message", (event) => receive(JSON.parse(event.data)));
  socket.addEventListener("close", () => {
    if (!wait || status() !== "playing") return;
    connection.textContent = say("broke");
    setTimeout(follow, wait);
    wait = Math.min(wait * 2, 30_000);
  });
}

reports.scrollTop = reports.scrollHeight;
follow();
