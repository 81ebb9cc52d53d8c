const mark = "[redacted]";
const minSecretChars = 6;

/** The forms of credentials that services give out. */
const credentials: RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /(?<![A-Za-z0-9])gh[a-z]_[A-Za-z0-9_]{20,}(?:\.[A-Za-z0-9_-]+)*/g,
  /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{20,}/g,
  /(?<![A-Za-z0-9_-])sk-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}/g,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  /(?<![A-Za-z0-9])(?:hf|api_org)_[A-Za-z0-9]{20,}/g,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
  /(?<![A-Za-z0-9])xox[a-z]-[A-Za-z0-9-]{10,}/g,
  /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,}/g,
  /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/g,
  /(?<![A-Za-z0-9])pypi-[A-Za-z0-9_-]{50,}/g,
];
const userInUrl = /(?<=\b[a-z][a-z0-9+.-]{1,10}:\/\/)[^\s/@:"'<>]{0,200}:[^\s/@"'<>]{1,500}(?=@)/gi;
const bearer = /(?<=\b(?:bearer|basic|token)[ \t])[A-Za-z0-9._~+/=-]{20,}/gi;

/**
 * The text without credentials: of the forms that services give out, and the given ones as they are, in base64 (also
 * amid other text), in hexadecimal and as part of a URL. Given ones of fewer than six characters are not looked for.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const literals = secrets
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= minSecretChars)
    .flatMap(writings)
    .sort((a, b) => b.length - a.length);
  const withoutLiterals = literals.reduce((rest, literal) => rest.replaceAll(literal, mark), text);
  return [...credentials, userInUrl, bearer].reduce((rest, form) => rest.replace(form, mark), withoutLiterals);
}

function writings(secret: string): string[] {
  const hex = Buffer.from(secret).toString("hex");
  return [...new Set([secret, encodeURIComponent(secret), hex, hex.toUpperCase(), ...base64Writings(secret)])];
}

/** What every base64 text that holds the secret has in it: one run for each place in a group of three bytes. */
function base64Writings(secret: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor((bytes.length * 8) / 6);
    const run = bytes.toString("base64").slice(first, last);
    return run.length < minSecretChars ? [] : [run, run.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
