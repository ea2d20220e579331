// What others send: bodies that are read up to a bound, and texts that are printed.

/** Reads a body of at most so many bytes; null if it is longer. */
export async function readBody({ body: stream }: Pick<Request | Response, "body">, most: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = stream?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      return null;
    }
    parts.push(value);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

/** A text of others for a terminal or a log: on one line, and without characters that control either. */
export function printable(text: unknown): string {
  const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
  return String(text).slice(0, 1000).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, escaped);
}
