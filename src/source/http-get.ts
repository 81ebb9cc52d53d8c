import { RepositoryFault } from "../errors.ts";

const TIMEOUT_MS = 300_000;

export interface HttpAnswer {
  status: number;
  contentType: string;
  /** Where redirects led to. */
  url: URL;
  body: Buffer;
}

/**
 * Gets a URL whole. Credentials in it are sent as what they are. Any status is an answer, but that of a server in trouble.
 * @throws {RepositoryFault} it cannot be reached or answers 5xx (`retryable`), or its answer is larger than `maxBytes`.
 */
export async function httpGet(
  address: URL,
  { accept, maxBytes }: { accept: string; maxBytes: number },
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const url = new URL(address);
  const credentials = [url.username, url.password].map(decodeURIComponent).join(":");
  url.username = "";
  url.password = "";
  const headers = new Headers({ Accept: accept });
  if (credentials !== ":") headers.set("Authorization", `Basic ${Buffer.from(credentials).toString("base64")}`);
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
    if (response.status >= 500) throw fault(url, `answered ${response.status}`, true);
    return {
      status: response.status,
      contentType: response.headers.get("content-type") ?? "",
      url: new URL(response.url),
      body: await readBody(response, url, maxBytes),
    };
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof RepositoryFault ? cause : fault(url, "cannot be reached", true, cause);
  }
}

async function readBody(response: Response, url: URL, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    size += part.length;
    if (size > maxBytes) throw fault(url, `has an answer larger than ${maxBytes} bytes`, false);
  }
  return Buffer.concat(parts);
}

function fault(url: URL, what: string, retryable: boolean, cause?: unknown): RepositoryFault {
  return new RepositoryFault(`${url.origin}${url.pathname} ${what}`, { retryable, cause });
}
