import { afterAll, beforeAll, describe, it } from "vitest";
import * as s from "./support.ts";

let desk: s.Desk;
beforeAll(async () => {
  desk = await s.createDesk();
}, 60000);
afterAll(() => desk[Symbol.asyncDispose]());
const show = (x: unknown) => process.stdout.write(`${typeof x === "string" ? x : JSON.stringify(x, null, 1)}\n`);
describe("probe", () => {
  it("raising", { timeout: 60000 }, async () => {
    await s.writeToy(desk, s.raisingBody, s.raisingReport);
    const t = performance.now();
    show(await desk.repgen(["reproduce", "issue.md", "--repo", "toy-project", "--out", "out"]));
    show(performance.now() - t);
    show(await desk.leftovers());
    show(desk.sandboxed());
  });
  it("wordy", { timeout: 60000 }, async () => {
    await s.writeToy(desk, "return 2 * value + 1", s.wordyReport);
    show(await desk.repgen(["reproduce", "issue.md", "--repo", "toy-project", "--out", "out0"]));
    await using model = await s.startModel([
      s.restructured,
      s.planned,
      "```python\nfrom toy import double\nobserved = {'result': double(2)}\n```",
    ]);
    const t = performance.now();
    show(await desk.repgen(["reproduce", "issue.md", "--repo", "toy-project", "--out", "out1"], { env: model.env }));
    show(performance.now() - t);
    show(desk.outcome("out1"));
  });
});
