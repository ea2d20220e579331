// Shows times in the reader's zone and language. Pages say what it shows without this script, in UTC.
const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
const shown = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" });

// The server may stand below a path of its host; this script is in `assets` there.
const home = new URL("..", document.currentScript.src);

/** The address of a path of this server. */
function addressOf(path) {
  return new URL(home.pathname.replace(/\/$/, "") + path, home);
}

/** A text for the other scripts, in the language of the page: an attribute of the element `says`, with values for names in braces. */
function say(name, values = {}) {
  const text = document.getElementById("says")?.dataset[name] ?? "";
  return text.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
}

function localise(root) {
  for (const element of root.querySelectorAll("time[datetime]:not([title])")) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    element.title = element.textContent;
    element.textContent = shown.format(at);
  }
}

localise(document);
// A slider shows its value.
for (const output of document.querySelectorAll("output[for]")) {
  const control = document.getElementById(output.htmlFor.value);
  control?.addEventListener("input", () => (output.value = control.value));
}
document.addEventListener("replaced", (event) => localise(event.target));
