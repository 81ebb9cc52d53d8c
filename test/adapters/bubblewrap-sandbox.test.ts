import { readdir } from "node:fs/promises";
import { describe } from "vitest";
import { createBubblewrapSandbox } from "../../src/adapters/bubblewrap-sandbox.ts";
import { sandboxContract } from "../ports/sandbox.contract.ts";

const bubblewrap = await createBubblewrapSandbox().catch(() => null);
const groups = bubblewrap?.description.includes("control groups") ?? false;

describe.skipIf(bubblewrap === null)(
  "createBubblewrapSandbox (needs bubblewrap and the right to make namespaces)",
  () => {
    describe.skipIf(!groups)("with control groups (needs the right to make some)", () => {
      sandboxContract("bubblewrap", { create: createBubblewrapSandbox, leftovers: controlGroups });
    });

    sandboxContract("bubblewrap, limiting by polling,", {
      create: (options) => createBubblewrapSandbox({ ...options, controlGroups: false }),
      leftovers: controlGroups,
    });
  },
);

async function controlGroups(): Promise<string[]> {
  const parents = ["/sys/fs/cgroup/memory/repgen", "/sys/fs/cgroup/pids/repgen", "/sys/fs/cgroup/repgen"];
  const found = await Promise.all(parents.map((parent) => readdir(parent).catch(() => [])));
  return found.flat().filter((name) => name.startsWith(`${process.pid}-`));
}
