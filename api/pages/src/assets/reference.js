// The API reference: finds operations as one types, shows code samples in tabs, copies them, and keeps the session for trials.
// Without this script everything can be read, and the server searches.

const KEPT = "buildtrack-session";
const LANGUAGE = "buildtrack-samples";
const RESULTS_MAX = 20;
const main = document.getElementById("main");

/** Puts the base URL under which the reader sees this server into the samples. */
function rebase(root) {
  const base = location.origin + new URL(main.dataset.base).pathname.replace(/\/$/, "");
  for (const element of root.querySelectorAll("[data-part=base], [data-base-shown]")) element.textContent = base;
}

/** Opens what the fragment of the address names. */
function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  const details = target?.closest("details");
  if (!details) return;
  details.open = true;
  details.scrollIntoView();
}

/* Code samples */

function preferred() {
  try {
    return localStorage.getItem(LANGUAGE);
  } catch {
    return null;
  }
}

/** Shows the samples of one language in every block that has it. */
function choose(language, root = main) {
  for (const block of root.querySelectorAll("[data-samples]")) {
    const tabs = [...block.querySelectorAll("[role=tab]")];
    const chosen = tabs.find((tab) => tab.textContent === language) ?? tabs[0];
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
  }
}

function pick(tab) {
  try {
    localStorage.setItem(LANGUAGE, tab.textContent);
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
  choose(tab.textContent);
}

/** Turns the samples of an operation, which are details without this script, into tabs. */
function arrange(block, owner) {
  const list = document.createElement("div");
  list.className = "tablist";
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", block.dataset.label);
  for (const details of [...block.querySelectorAll("details")]) {
    const [tab, panel] = [document.createElement("button"), details.querySelector(".sample")];
    const { language } = details.dataset;
    tab.type = "button";
    tab.id = `${owner}-tab-${language}`;
    panel.id = `${owner}-sample-${language}`;
    tab.textContent = language;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => pick(tab));
    list.append(tab);
    details.replaceWith(panel);
  }
  list.addEventListener("keydown", ({ key, target }) => {
    const step = { ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling" }[key];
    const next = step && target[step];
    if (!next) return;
    pick(next);
    next.focus();
  });
  block.prepend(list);
  choose(preferred(), block.parentElement);
}

/** Prepares an operation when it is opened for the first time. */
function prepare(operation) {
  const within = operation.querySelector(".within");
  const block = within.querySelector("[data-samples]");
  if (!block || block.querySelector("[role=tablist]")) return;
  arrange(block, within.id);
  rebase(within);
}

async function copy(button) {
  await navigator.clipboard.writeText(button.closest(".sample").querySelector("code").textContent);
  const name = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => (button.textContent = name), 2000);
}

/* Search */

const field = document.getElementById("q");
const found = document.querySelector("[data-found]");
const results = document.querySelector("[data-results]");
let entries = null;

/** All operations: those of this page, or those of the page that lists all. */
async function load() {
  let root = document.querySelector("[data-operations]");
  if (!root || location.search) {
    const answer = await fetch(addressOf("/docs"), { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const whole = document.adoptNode(page.querySelector("[data-operations]"));
    root?.replaceWith(whole);
    root = whole;
  }
  return [...root.querySelectorAll("li")].map((element) => ({
    element,
    text: `${element.dataset.words} ${element.textContent}`.toLowerCase(),
  }));
}

async function search() {
  entries ??= load();
  const all = await entries;
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = all.filter(({ text }) => words.every((word) => text.includes(word)));
  if (results) {
    results.hidden = !words.length;
    results.firstElementChild.replaceChildren(
      ...matching.slice(0, RESULTS_MAX).map(({ element }) => element.cloneNode(true)),
    );
  } else {
    for (const { element } of all) element.hidden = true;
    for (const { element } of matching) element.hidden = false;
    for (const section of document.querySelectorAll("[data-operations] > section"))
      section.hidden = !section.querySelector("li:not([hidden])");
  }
  const count = matching.length ? `${found.dataset.count} ${matching.length}` : found.dataset.none;
  found.textContent = words.length ? count : "";
}

/* Session */

const area = document.querySelector("[data-session]");
const refused = area.querySelector("[data-refused]");
let latest = Promise.resolve();

/** The session of this tab. The server alone says when it has ended: this machine's clock may be wrong. */
function session() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

/** Sends a request for JSON. An error has the words of the problem. */
async function request(path, options) {
  const answer = await fetch(addressOf(path), options);
  if (answer.status === 204) return null;
  const body = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(`${body.detail} ${body.hint}`), { code: body.code });
  return body;
}

/** Logs in with an agent's key, or takes a session token, and keeps the session in this tab. */
async function signIn(secret) {
  const isKey = secret.startsWith("araf_");
  const login = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ key: secret }) };
  const token = isKey ? (await request("/agent-login", login)).token : secret;
  const { name } = await request("/api/v1/me", { headers: { Authorization: `Bearer ${token}` } });
  sessionStorage.setItem(KEPT, JSON.stringify({ token, name, isKey }));
}

/** Forgets the session, and ends it unless its token was pasted. */
async function signOut() {
  const kept = session();
  sessionStorage.removeItem(KEPT);
  if (!kept?.isKey) return;
  try {
    await request("/api/v1/sessions/current", { method: "DELETE", headers: { Authorization: `Bearer ${kept.token}` } });
  } catch (error) {
    if (error.code !== "invalid_token") throw error;
  }
}

/** Makes changes of the session one after the other, so that the answer to an earlier one never replaces that to a later one. */
function change(work) {
  latest = latest.then(() => attempt(work));
  return latest;
}

async function attempt(work) {
  refused.hidden = true;
  try {
    await work();
  } catch (error) {
    refused.textContent = error.message;
    refused.hidden = false;
  }
  showSession();
}

function showSession() {
  const kept = session();
  area.querySelector("[data-sign-in]").hidden = kept !== null;
  area.querySelector("[data-signed-in]").hidden = kept === null;
  area.querySelector("[data-holder]").textContent = kept?.name ?? "";
  document.dispatchEvent(new Event("session"));
}

area.hidden = false;
area.querySelector("[data-sign-in]").addEventListener("submit", async (event) => {
  event.preventDefault();
  const key = document.getElementById("agent-key");
  const secret = key.value.trim();
  await change(() => session() ?? signIn(secret));
  if (session()) key.value = "";
});
area.querySelector("[data-sign-out]").addEventListener("click", () => change(signOut));
document.addEventListener("sessionended", () => {
  sessionStorage.removeItem(KEPT);
  showSession();
});
showSession();

field.addEventListener("input", () => search().catch(() => (entries = null)));
document.querySelector("[data-search]").addEventListener("submit", (event) => !results && event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  field.focus();
});
document.addEventListener("toggle", ({ target }) => target.matches("details.operation[open]") && prepare(target), true);
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-copy]");
  if (button) copy(button).catch(() => {});
  if (target.closest("a[href^='#']")) setTimeout(reveal);
});
addEventListener("hashchange", reveal);
for (const button of document.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
rebase(document);
reveal();
