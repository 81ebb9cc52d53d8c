#!/usr/bin/env node
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findNode, root, runInPlace } from "../scripts/node24.mjs";

const node = findNode();
if (node === null || !existsSync(join(root, "node_modules", "commander"))) {
  process.stderr.write(`The packages that repgen needs are not installed. Run:\n\n  cd ${root} && npm ci\n`);
  process.exit(1);
}
runInPlace(node, [join(root, "workers", "cli.ts"), ...process.argv.slice(2)]);
