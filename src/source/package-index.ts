import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { RepositoryFault } from "../errors.ts";
import { httpGet } from "./http-get.ts";
import { isRecord, parseJson } from "./json.ts";

const JSON_FORMAT = "application/vnd.pypi.simple.v1+json";
const LONGEST_PAGE_BYTES = 64 * 1024 ** 2;

/** A file of a project, as an index lists it. */
export interface IndexedFile {
  filename: string;
  url: string;
  /** Lower-case hexadecimal; null when the index does not say. */
  sha256: string | null;
}

/** The files that one index has of a project; null when it does not know it. */
export async function listFiles(index: string, project: string, signal: AbortSignal): Promise<IndexedFile[] | null> {
  const page = new URL(`${index.replace(/\/+$/, "")}/${normaliseName(project)}/`);
  if (page.protocol === "file:") {
    const html = await readFile(fileURLToPath(new URL("index.html", page)), "utf8").catch(() => null);
    return html === null ? null : parseHtmlPage(html, page);
  }
  const accept = `${JSON_FORMAT}, text/html;q=0.5`;
  const { status, contentType, url, body } = await httpGet(page, { accept, maxBytes: LONGEST_PAGE_BYTES }, signal);
  if (status === 404) return null;
  if (status !== 200) throw unusable(page, `answered ${status}`);
  const text = body.toString("utf8");
  const files = contentType.startsWith(JSON_FORMAT) ? parseJsonPage(text, url) : parseHtmlPage(text, url);
  return files
    .filter((file) => /^https?:/.test(file.url))
    .map((file) => ({ ...file, url: withCredentials(file.url, page) }));
}

/** The bytes of a file of an index. */
export async function download(file: IndexedFile, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const url = new URL(file.url);
  if (url.protocol === "file:") return await readFile(fileURLToPath(url));
  const { status, body } = await httpGet(url, { accept: "*/*", maxBytes }, signal);
  if (status !== 200) throw unusable(url, `answered ${status}`);
  return body;
}

/** A project's name as indexes spell it. */
export function normaliseName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}

function parseJsonPage(text: string, base: URL): IndexedFile[] {
  const page = parseJson(text);
  if (!isRecord(page) || !Array.isArray(page.files)) throw unusable(base, "did not answer with a project page");
  return page.files.flatMap((file: unknown) => {
    if (!isRecord(file) || typeof file.filename !== "string" || typeof file.url !== "string") return [];
    const sha256 = isRecord(file.hashes) && typeof file.hashes.sha256 === "string" ? file.hashes.sha256 : null;
    return [{ filename: file.filename, url: new URL(file.url, base).href, sha256 }];
  });
}

function parseHtmlPage(html: string, base: URL): IndexedFile[] {
  return [...html.matchAll(/<a\b[^>]*?\bhref\s*=\s*["']([^"']+)["'][^>]*>/gi)].flatMap(([, href = ""]) => {
    if (!URL.canParse(href.replaceAll("&amp;", "&"), base.href)) return [];
    const url = new URL(href.replaceAll("&amp;", "&"), base);
    const sha256 = /^#sha256=([0-9a-f]{64})$/i.exec(url.hash)?.[1]?.toLowerCase() ?? null;
    url.hash = "";
    return [{ filename: decodeURIComponent(url.pathname.split("/").at(-1) ?? ""), url: url.href, sha256 }];
  });
}

/** An index's credentials are good for its own files, and for no one else's. */
function withCredentials(file: string, page: URL): string {
  const url = new URL(file);
  if (url.origin !== page.origin) return file;
  url.username = page.username;
  url.password = page.password;
  return url.href;
}

function unusable(url: URL, what: string): RepositoryFault {
  return new RepositoryFault(`package index ${url.host}${url.pathname} ${what}`, { retryable: false });
}
