import { withoutCredentials } from "./pip-configuration.ts";

/** What pip is doing, for a person: the last thing it wrote about; null when it wrote nothing of the kind. */
export function describeProgress(output: string): string | null {
  const described = output.split("\n").map(describeLine);
  return described.findLast((line) => line !== null) ?? null;
}

function describeLine(line: string): string | null {
  const text = line.trim();
  const collecting = /^Collecting (\S+)/.exec(text);
  if (collecting) return `${collecting[1]}: looking for a release`;
  const downloading = /^Downloading (?:\S*\/)?([A-Za-z0-9_.]+?)-(\d[^-]*)\S*(?: \(([^)]+)\))?/.exec(text);
  if (downloading)
    return `${downloading[1]} ${downloading[2]}: downloading${downloading[3] ? ` ${downloading[3]}` : ""}`;
  const building = /^Building (?:wheel|editable) for (\S+)/.exec(text);
  if (building) return `${building[1]}: building`;
  const installing = /^Installing collected packages: (.+)$/.exec(text);
  if (installing?.[1]) return describeInstalling(installing[1].split(", "));
  return describePart(text);
}

function describeInstalling(packages: string[]): string {
  return packages.length <= 4 ? `installing ${packages.join(", ")}` : `installing ${packages.length} packages`;
}

function describePart(text: string): string | null {
  const part = /^Progress (\d+) of (\d+)$/.exec(text);
  if (!part || Number(part[2]) < 10e6) return null;
  const megabytes = (bytes: string | undefined) => Math.round(Number(bytes) / 1e6);
  return `downloading: ${megabytes(part[1])} of ${megabytes(part[2])} MB`;
}

const CAUSES: readonly RegExp[] = [
  /^ERROR: (No matching distribution found for .+)$/m,
  /^ERROR: (Cannot install .+ because these package versions have conflicting dependencies\.)$/m,
  /^ERROR: (Package '.+' requires a different Python: .+)$/m,
  /^ERROR: (Could not install packages due to an OSError: .+)$/m,
];
const BUILD_FAILURES: readonly RegExp[] = [
  /^ERROR: (Failed to build '.+' when .+)$/m,
  /^ERROR: ((?:Could not build wheels|Failed to build installable wheels) for \S+)/m,
  /^ERROR: (Failed building .+)$/m,
];
const UNREACHABLE = /NewConnectionError|ConnectTimeoutError|ProxyError|NameResolutionError|ReadTimeoutError|SSLError/;

/** Why pip failed, in its own words and one sentence. */
export function failureReason(output: string): string {
  const text = withoutCredentials(output);
  return sentence(text).trim().replace(/\.$/, "").slice(0, 500);
}

function sentence(text: string): string {
  const cause = firstMatch(CAUSES, text);
  if (/^ERROR: .*\(from versions: none\)/m.test(text) && UNREACHABLE.test(text)) {
    return `the package index could not be reached (${cause ?? "no distribution found"})`;
  }
  if (cause !== undefined) return cause;
  const raised = [...text.matchAll(/^\s*([\w.]*(?:Error|Exception|Exit): .+)$/gm)].at(-1)?.[1];
  const build = firstMatch(BUILD_FAILURES, text);
  if (build !== undefined) return raised === undefined ? build : `${build}: ${raised}`;
  const told = [...text.matchAll(/^(?:ERROR|error): (.+[^:])$/gm)].at(-1)?.[1];
  return raised ?? told ?? "pip failed without saying why";
}

function firstMatch(patterns: readonly RegExp[], text: string): string | undefined {
  return patterns.map((pattern) => pattern.exec(text)?.[1]).find((match) => match !== undefined);
}

/** pip's output as it is kept: without credentials and progress. */
export function cleanLog(output: string): string {
  return withoutCredentials(output)
    .split("\n")
    .filter((line) => !/^\s*Progress \d+ of \d+$/.test(line))
    .join("\n");
}
