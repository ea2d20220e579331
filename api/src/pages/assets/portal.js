// Copies keys and commands, and shows an agent's first text when it arrives.
for (const button of document.querySelectorAll("button[data-copies]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
    const name = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = name), 2000);
  });
}

const EVERY_MS = 5000;

/** Replaces the agent's activity by the current one. */
async function refresh() {
  const here = document.querySelector("[data-refreshes]");
  if (!here || document.hidden) return;
  const answer = await fetch(here.dataset.refreshes, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const there = page.getElementById(here.id);
  if (!there || there.innerHTML === here.dataset.shown) return;
  const arrived = document.adoptNode(there);
  arrived.dataset.shown = arrived.innerHTML;
  here.replaceWith(arrived);
  arrived.dispatchEvent(new CustomEvent("replaced", { bubbles: true }));
}

setInterval(() => refresh().catch(() => {}), EVERY_MS);
