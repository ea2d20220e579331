// Generates a TypeScript client with @hey-api/openapi-ts, compiles it and tour.ts strictly, and runs the tour against the server that
// the document names: node generated-client.mjs FOLDER, in which document.json stands.

import { spawnSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { createClient } from "@hey-api/openapi-ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = process.argv[2];
const write = (name, content) => writeFileSync(join(folder, name), JSON.stringify(content));

write("package.json", { private: true, type: "module" });
await createClient({
  input: join(folder, "document.json"),
  logs: { level: "silent" },
  output: { importFileExtension: ".js", path: join(folder, "generated") },
});
copyFileSync(join(here, "tour.ts"), join(folder, "tour.ts"));
write("tsconfig.json", {
  compilerOptions: {
    lib: ["es2023", "dom", "dom.iterable"],
    module: "nodenext",
    noUncheckedIndexedAccess: true,
    outDir: "compiled",
    strict: true,
    target: "es2022",
    types: [],
  },
  files: ["tour.ts"],
});
const { status } = spawnSync(process.execPath, [join(here, "node_modules/typescript/bin/tsc")], { cwd: folder, stdio: "inherit" });
if (status !== 0) process.exit(1);
const { tour } = await import(pathToFileURL(join(folder, "compiled/tour.js")));
console.log(`The tour ended with ${await tour()}.`);
