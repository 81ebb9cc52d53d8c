/** `npm run bench`: of executions and reports. `npm run bench -- webhook`: of the webhook process. */
const [what = "runs"] = process.argv.slice(2);
if (what !== "runs" && what !== "webhook") {
  process.stderr.write("Usage: npm run bench [-- runs | webhook]\n");
  process.exit(2);
}
await import(`./bench-${what}.ts`);
