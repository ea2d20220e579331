// Where the tests find the repository: BUILDTRACK_ROOT, which is set where the tests run beside the unpacked tarball.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = process.env.BUILDTRACK_ROOT ?? fileURLToPath(new URL("../../..", import.meta.url));
export const vectors = process.env.AGORA_VECTORS ?? join(root, "../shared/vectors");
/** For `skip`: why the public vectors cannot be checked, or false. */
export const withoutVectors = existsSync(vectors) ? false : `the public vectors are not at ${vectors}: NOT CHECKED`;
/** Packages of tests/node. */
export const require = createRequire(join(root, "tests/node/package.json"));
