import type { Permalink, ReportedTraceback } from "../types.ts";

const maxPaths = 50;
const pythonPath = /(?<![\w./\\:-])(?:[A-Za-z]:)?[\w./\\~-]{1,300}\.pyx?(?![\w/])/g;
const url = /https?:\/\/[^\s<>"')]+/g;
const installed = /^.*(?:site|dist)-packages\//;

/**
 * Python files that the issue names: linked ones, those of traceback frames (innermost first), then as written. What
 * lies in an installed package is told from that package's folder on.
 */
export function readPaths(text: string, read: { permalinks: Permalink[]; tracebacks: ReportedTraceback[] }): string[] {
  const linked = read.permalinks.map((permalink) => permalink.path).filter((path) => /\.pyx?$/.test(path));
  const framed = read.tracebacks.flatMap(({ frames }) => frames.map((frame) => frame.file).reverse());
  const written = text.replace(url, " ").match(pythonPath) ?? [];
  const paths = [...linked, ...framed.filter((path) => /\.pyx?$/.test(path)), ...written].map(normalise);
  return [...new Set(paths.filter((path) => /[\w-]\.pyx?$/.test(path)))].slice(0, maxPaths);
}

function normalise(path: string): string {
  return path
    .replaceAll("\\", "/")
    .replace(installed, "")
    .replace(/^(?:\.{1,2}\/)+/, "");
}
