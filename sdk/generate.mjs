#!/usr/bin/env node
// Writes the types and operations of both SDKs from openapi/openapi.json, and the types of events from api/src/events/asyncapi.json:
//
//   sdk/generate.mjs            writes the six files
//   sdk/generate.mjs --check    fails if one of them differs from what it would write
//
// Needs no packages.

import { readFileSync, writeFileSync } from "node:fs";

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

if (process.argv[2] === "--check") {
  const stale = Object.keys(files).filter((path) => read(path) !== files[path]);
  for (const path of stale) console.error(`✗ sdk/${path} is not what sdk/generate.mjs writes: run it`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [path, text] of Object.entries(files)) writeFileSync(place(path), text);
}
