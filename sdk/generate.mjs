#!/usr/bin/env node
// Writes the types and operations of both SDKs from openapi/openapi.json, and the types of events from api/src/events/asyncapi.json.
// The six files are not in git; `sdk/pack` and `scripts/test` write them first. Needs no packages.

import { readFileSync, renameSync, writeFileSync } from "node:fs";

import { readDocument } from "./lib/document.mjs";
import { readEvents } from "./lib/events.mjs";
import { pythonEvents } from "./lib/python-events.mjs";
import { pythonOperations, pythonTypes } from "./lib/python.mjs";
import { typescriptEvents } from "./lib/typescript-events.mjs";
import { typescriptOperations, typescriptTypes } from "./lib/typescript.mjs";

const place = (path) => new URL(path, import.meta.url);
const parsed = (path) => JSON.parse(readFileSync(place(path), "utf8"));
const openapi = parsed("../openapi/openapi.json");
const document = readDocument(openapi);
const events = readEvents(parsed("../api/src/events/asyncapi.json"), openapi);
const files = {
  "python/src/buildtrack/types.py": pythonTypes(document),
  "python/src/buildtrack/_operations.py": pythonOperations(document),
  "python/src/buildtrack/events.py": pythonEvents(events),
  "typescript/src/types.ts": typescriptTypes(document),
  "typescript/src/operations.ts": typescriptOperations(document),
  "typescript/src/events.ts": typescriptEvents(events),
};

const read = (path) => {
  try {
    return readFileSync(place(path), "utf8");
  } catch {
    return "";
  }
};

// In one step, and only where it differs: another process may read it.
for (const [path, text] of Object.entries(files)) {
  if (read(path) === text) continue;
  writeFileSync(place(`${path}.new`), text);
  renameSync(place(`${path}.new`), place(path));
}
