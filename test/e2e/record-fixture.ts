/**
 * Records a model's replies for fixtures: `node test/e2e/record-fixture.ts bugs/mask-sign:buggy not-bugs/question:fixed`.
 * Asks the endpoint of OPENAI_BASE_URL; prints what each run came to.
 */
import { runFixture } from "./run-fixture.ts";

for (const argument of process.argv.slice(2)) {
  const [fixture = "", at] = argument.split(":");
  if (at !== "buggy" && at !== "fixed") throw new Error(`${argument}: write FIXTURE:buggy or FIXTURE:fixed`);
  const { outcome } = await runFixture(fixture, at, {
    record: true,
    onNote: (text) => process.stderr.write(`  ${text}\n`),
  });
  process.stdout.write(`${argument}: ${outcome.verdict}: ${outcome.reason}\n`);
}
