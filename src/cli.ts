import { Command, CommanderError, InvalidArgumentError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { cancel } from "./cli/cancel.ts";
import { demo } from "./cli/demo.ts";
import type { Builders, Io } from "./cli/io.ts";
import { reproduce } from "./cli/reproduce.ts";
import { exitStatus } from "./cli/run-and-write.ts";
import { setUp } from "./cli/set-up.ts";
import { Fault, UsageFault } from "./errors.ts";

/**
 * The command line. Returns the exit status: 0 reproduced or flaky, 3 any other verdict, 1 the run failed, 2 wrong usage.
 * When `signal` aborts, a run ends as `cancelled`.
 */
export async function runCli(
  argv: readonly string[],
  io: Io,
  builders: Builders,
  signal: AbortSignal,
): Promise<number> {
  let status = 0;
  const context = { io, ...builders, signal };
  const program = new Command("repgen")
    .description("Reproduces deep-learning bug reports by running them.")
    .version(manifest.version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) });

  program
    .command("reproduce")
    .description("Reproduce one issue: a GitHub URL, or a file (.md, or .json as GitHub's REST API returns it).")
    .argument("<issue>", "https://github.com/OWNER/REPO/issues/N, issue.md or issue.json")
    .option(
      "--repo <source>",
      "the project: a folder, a git URL, or pypi:NAME==VERSION (default: the issue's repository)",
    )
    .option("--ref <ref>", "commit, tag or branch that has the bug (default: HEAD)")
    .option("--contrast-ref <ref>", "commit, tag, branch or release where the bug should not show")
    .option("--runs <n>", "times the script is run to confirm", wholeNumber, 3)
    .option(
      "--python <version>",
      "Python to use, such as 3.11 (default: chosen from the project's metadata)",
      pythonVersion,
    )
    .option("--with <requirement...>", "more packages to install, such as timm==1.0.9", requirements)
    .option("--hint <text>", "what you know about it; the model is shown it")
    .option("--model <name>", "model to ask (default: OPENAI_MODEL)")
    .option("--attempts <n>", "candidates of the model to try (default: REPGEN_MAX_ATTEMPTS)", wholeNumber)
    .option("--record <file>", "write the model's replies to a file")
    .option("--replay <file>", "take the model's replies from a file, strictly")
    .option("--out <folder>", "folder for the results (default: runs/…)")
    .option("--json", "print outcome.json to standard output")
    .action(async (issue, options) => {
      status = await reproduce(issue, options, context);
    });
  program
    .command("demo")
    .description("Run a bundled report of a small PyTorch project, with recorded replies of a model.")
    .option("--record <file>", "ask the configured model instead, and write its replies to a file")
    .action(async (options) => {
      status = await demo(options, context);
    });
  program
    .command("setup")
    .description("Build the environment that all projects share (PyTorch for the CPU), if it is not there.")
    .action(async () => {
      status = await setUp(context);
    });

  program
    .command("cancel")
    .description("End the bot's run of an issue. Reads REDIS_URL.")
    .argument("<issue>", "OWNER/REPO#N")
    .action(async (issue) => {
      status = await cancel(issue, context);
    });

  try {
    await program.parseAsync(argv, { from: "user" });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (signal.aborted) {
      io.stderr.write("repgen: cancelled before the run began\n");
      return exitStatus("cancelled");
    }
    if (!(error instanceof Fault || isSystemError(error))) throw error;
    io.stderr.write(`repgen: ${error.message}\n`);
    return error instanceof UsageFault ? 2 : 1;
  }
}

/** Of a folder or file that cannot be used; its message names it. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error;
}

function pythonVersion(text: string): string {
  if (!/^3\.\d{1,2}$/.test(text)) throw new InvalidArgumentError("It has to be a version such as 3.11.");
  return text;
}

/** Of PEP 508 what has a name and versions: a URL or an option of pip would let the command line install from anywhere. */
function requirements(text: string, before: string[] = []): string[] {
  const version = String.raw`(?:===?|~=|!=|<=?|>=?)\s*[\w.!+*-]+`;
  const requirement = new RegExp(
    String.raw`^[a-z0-9](?:[\w.-]*[a-z0-9])?\s*(?:\[[\w.,\s-]*\])?\s*(?:${version}\s*(?:,\s*${version}\s*)*)?$`,
    "i",
  );
  if (!requirement.test(text)) throw new InvalidArgumentError("It has to be a package such as timm==1.0.9.");
  return [...before, text];
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError("It has to be a whole number from 1 to 9999.");
  return Number(text);
}
