import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BASE_TIMEOUT_MS, createDesk, type Desk, eventually, hasBubblewrap, writeToy } from "./support.ts";

const report = `double hangs

The program hangs and never returns.

\`\`\`python
from toy import double
double(2)
\`\`\`
`;

describe.skipIf(!hasBubblewrap)("Ctrl-C (needs bubblewrap)", { timeout: 60_000 }, () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await createDesk();
    await writeToy(desk, "import time\nwhile True: time.sleep(1)", report);
  }, BASE_TIMEOUT_MS);
  afterEach(() => desk[Symbol.asyncDispose]());

  it.each([
    { to: "the launcher", target: (pid: number) => pid },
    { to: "its whole process group", target: (pid: number) => -pid },
  ])("to $to ends a run while a script hangs, with all of its processes", async ({ target }) => {
    const running = desk.start(["reproduce", "issue.md", "--repo", "toy-project", "--out", "out"]);
    await running.written("… reporter's code");
    await eventually(() => desk.sandboxed().length > 0);

    const from = performance.now();
    process.kill(target(running.pid), "SIGINT");
    const { status, stdout } = await running.ended;

    expect({ status, last: stdout.split("\n").at(-2) }).toEqual({ status: 3, last: "verdict: cancelled" });
    expect(performance.now() - from).toBeLessThan(5_000);
    expect(desk.outcome()).toMatchObject({ verdict: "cancelled", project: { label: expect.any(String) } });
    expect(JSON.parse(desk.read("out/trajectory.json")).outcome).toEqual(desk.outcome());
    expect(desk.sandboxed()).toEqual([]);
    expect(await desk.leftovers()).toEqual([]);
  });
});
