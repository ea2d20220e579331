// Shows times in the reader's zone. Pages say what it shows without this script, in UTC.
const shown = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short" });

function localise(root) {
  for (const element of root.querySelectorAll("time[datetime]:not([title])")) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    element.title = element.textContent;
    element.textContent = shown.format(at);
  }
}

localise(document);
document.addEventListener("replaced", (event) => localise(event.target));
