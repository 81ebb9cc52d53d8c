// Fails when the tests of a vitest JSON report failed or were skipped; prints the counts.
import { readFileSync } from "node:fs";

const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
const tests = report.testResults.flatMap((file) => file.assertionResults);
const count = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length;
const skipped = tests.filter(({ status }) => ["pending", "skipped", "todo", "disabled"].includes(status));

for (const { fullName } of skipped) process.stdout.write(`skipped: ${fullName}\n`);
process.stdout.write(`tests: ${count("passed")} passed, ${count("failed")} failed, ${skipped.length} skipped\n`);
process.exitCode = report.success && tests.length > 0 && skipped.length === 0 ? 0 : 1;
