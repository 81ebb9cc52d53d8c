import type { SandboxCommand } from "../ports/sandbox.ts";

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The command, started with exactly the environment that the port promises, whatever surrounds it. */
export function cleanArgv({ argv, env }: SandboxCommand): [string, ...string[]] {
  const variables = { PATH, HOME: "/tmp", LANG: "C.UTF-8", ...env };
  return ["/usr/bin/env", "-i", ...Object.entries(variables).map(([name, value]) => `${name}=${value}`), ...argv];
}

/** Is `stderr` all that `env` prints for a program that does not exist? Its quotation marks depend on the locale. */
export function tellsMissingProgram(stderr: string, program: string): boolean {
  return stderr.replace(/[‘’]/g, "'") === `/usr/bin/env: '${program}': No such file or directory\n`;
}
