// Tries an operation of the API reference: a form for its parameters and its body, and the answer of this server. The samples
// of the operation follow what is entered.

const KEPT = "buildtrack-session";
/** The characters of an answer that are shown. */
const TEXT_MAX = 200_000;
const template = document.getElementById("trial");

function token() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT))?.token ?? null;
  } catch {
    return null;
  }
}

/** A field for a parameter: a list where its values are known. */
function fieldFor(row) {
  const { in: place, name, example } = row.dataset;
  const isRequired = "required" in row.dataset;
  const values = [...row.querySelectorAll("[data-value]")].map((value) => value.textContent);
  const input = document.createElement(values.length ? "select" : "input");
  for (const value of values.length ? (isRequired ? values : ["", ...values]) : []) input.append(new Option(value));
  if (isRequired) input.value = example ?? "";
  else if (!values.length) input.placeholder = example ?? "";
  input.required = isRequired;
  Object.assign(input.dataset, { place, name });
  const [field, label, chip] = ["p", "label", "span"].map((element) => document.createElement(element));
  field.className = "field";
  chip.className = "chip";
  chip.textContent = place;
  label.append(name, " ", chip, input);
  field.append(label);
  return field;
}

/** What is entered: the path and the query as parts of the address, headers, and the body. */
function entered(form, { path }) {
  const inputs = [...form.querySelectorAll("[data-place]")];
  const of = (place) => inputs.filter((input) => input.dataset.place === place && input.value !== "");
  const encode = (text) => encodeURIComponent(text).replaceAll("'", "%27");
  const parts = new Map(of("path").map((input) => [input.dataset.name, encode(input.value)]));
  const query = of("query").map((input) => `${input.dataset.name}=${encode(input.value)}`);
  const body = form.querySelector("textarea");
  return {
    parts,
    address: path.replace(/\{(\w+)\}/g, (_, name) => parts.get(name) ?? ""),
    query: query.length ? `?${query.join("&")}` : "",
    headers: Object.fromEntries(of("header").map((input) => [input.dataset.name, input.value])),
    body: body.closest("[data-body-field]").hidden ? undefined : body.value,
  };
}

/** A JSON text in the form of a sample's language. */
function literal(json, form) {
  if (form === "shell") return json.replaceAll("'", "'\\''");
  if (form !== "python") return json;
  const names = { true: "True", false: "False", null: "None" };
  return json.replace(/"(?:[^"\\]|\\.)*"|true|false|null/g, (word) => names[word] ?? word);
}

/** Puts what is entered into the samples. A body that is no JSON is left out. */
function follow(operation, form) {
  const { parts, query, body } = entered(form, operation.dataset);
  for (const [name, text] of parts)
    for (const part of operation.querySelectorAll(`[data-part="path:${name}"]`)) part.textContent = text;
  for (const part of operation.querySelectorAll("[data-part=query]")) part.textContent = query;
  let json;
  try {
    json = JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return;
  }
  for (const part of operation.querySelectorAll("[data-part=body]")) {
    const indent = `\n${" ".repeat(part.dataset.indent)}`;
    part.textContent = literal(json, part.dataset.form).replaceAll("\n", indent);
  }
}

/** The body of an answer, indented if it is JSON. */
function pretty(text, mediaType) {
  if (!mediaType.includes("json")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Reads an answer, and shows its beginning while it arrives. A stream ends when the reader stops it. */
async function read(answer, shown) {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (reader && text.length < TEXT_MAX) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
    shown.textContent = text;
  }
  if (text.length >= TEXT_MAX) {
    await reader.cancel();
    text = `${text.slice(0, TEXT_MAX)}…`;
  }
  shown.textContent = pretty(text, answer.headers.get("content-type") ?? "");
  return text;
}

/** Whether an answer says that the session has ended. */
function isEnded(answer, text) {
  try {
    return answer.status === 401 && JSON.parse(text).code === "invalid_token";
  } catch {
    return false;
  }
}

async function send(operation, form) {
  const [status, stop] = [form.querySelector("[data-status]"), form.querySelector("[data-stop]")];
  const [headers, text] = [form.querySelector("[data-headers]"), form.querySelector("[data-text]")];
  const input = entered(form, operation.dataset);
  const [abort, key, started] = [new AbortController(), token(), performance.now()];
  if (key) input.headers.Authorization = `Bearer ${key}`;
  if (input.body !== undefined) input.headers["Content-Type"] = "application/json";
  form.querySelector("[data-outcome]").hidden = false;
  status.textContent = status.dataset.waiting;
  headers.textContent = text.textContent = "";
  stop.hidden = false;
  stop.onclick = () => abort.abort();
  const { method } = operation.dataset;
  const options = { method, headers: input.headers, body: input.body, cache: "no-store", signal: abort.signal };
  try {
    const answer = await fetch(addressOf(input.address + input.query), options);
    const elapsed = Math.round(performance.now() - started);
    status.textContent = `${answer.status} ${answer.statusText} · ${elapsed} ms`;
    status.dataset.code = answer.status;
    headers.textContent = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    const body = await read(answer, text);
    // A session that was begun meanwhile is kept.
    if (isEnded(answer, body) && key && key === token()) document.dispatchEvent(new Event("sessionended"));
  } catch (error) {
    if (error.name !== "AbortError") status.textContent = status.dataset.failed;
  }
  stop.hidden = true;
}

/** Builds the form of an operation in place of its button. */
function begin(button) {
  const operation = button.closest(".within");
  const form = template.content.cloneNode(true).querySelector("form");
  form.querySelector("[data-fields]").append(...[...operation.querySelectorAll("tr[data-in]")].map(fieldFor));
  const example = operation.querySelector("[data-body]");
  form.querySelector("[data-body-field]").hidden = !example;
  form.querySelector("textarea").value = example?.textContent ?? "";
  form.dataset.guarded = operation.querySelector(".needs") ? "yes" : "";
  form.addEventListener("input", () => follow(operation, form));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(operation, form);
  });
  button.parentElement.replaceWith(form);
  remind();
  [...form.querySelectorAll("input, select, textarea, button")].find((element) => element.offsetParent)?.focus();
}

/** Says at each form whether its operation needs a session that is not there. */
function remind() {
  for (const form of document.querySelectorAll("form.trial"))
    form.querySelector("[data-needs-session]").hidden = !form.dataset.guarded || token() !== null;
}

for (const button of document.querySelectorAll("[data-try]")) {
  button.hidden = false;
  button.addEventListener("click", () => begin(button));
}
document.addEventListener("session", remind);
