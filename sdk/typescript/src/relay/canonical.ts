// The canonical form of JSON (RFC 8785), which signatures cover.

/** The canonical text of a JSON value. Throws `TypeError` for a value that JSON does not have. */
export function canonicalize(value: unknown): string {
  if (value === null || typeof value === "boolean") return JSON.stringify(value);
  if (typeof value === "string") return text(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError("JSON has no NaN and no infinity");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalize).join()}]`;
  if (typeof value === "object") {
    // `sort` compares UTF-16 code units, as section 3.2.3 demands.
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    members.sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${members.map(([name, member]) => `${text(name)}:${canonicalize(member)}`).join()}}`;
  }
  throw new TypeError(`JSON has no ${typeof value}`);
}

function text(value: string): string {
  if (/\p{Surrogate}/u.test(value)) throw new TypeError("a text has half of a surrogate pair");
  return JSON.stringify(value);
}
