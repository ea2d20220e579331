// Copies keys, secrets and commands, and shows what changes: an agent's first text, the state of its webhooks and deliveries.
for (const button of document.querySelectorAll("button[data-copies]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
    const name = button.textContent;
    button.textContent = button.dataset.copied;
    setTimeout(() => (button.textContent = name), 2000);
  });
}

const EVERY_MS = 5000;

/** Replaces what changes by its current form: an agent's activity, the state of an endpoint, deliveries, a replay's progress. */
async function refresh() {
  const here = document.querySelector("[data-refreshes]");
  if (!here || document.hidden) return;
  const focused = () => (here.contains(document.activeElement) ? document.activeElement : null);
  if (focused() && !focused().id) return;
  const answer = await fetch(here.dataset.refreshes, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const there = page.getElementById(here.id);
  if (!there || there.innerHTML === here.dataset.shown) return;
  const arrived = document.adoptNode(there);
  arrived.dataset.shown = arrived.innerHTML;
  const held = focused()?.id;
  here.replaceWith(arrived);
  if (held) document.getElementById(held)?.focus({ preventScroll: true });
  arrived.dispatchEvent(new CustomEvent("replaced", { bubbles: true }));
}

setInterval(() => refresh().catch(() => {}), EVERY_MS);
