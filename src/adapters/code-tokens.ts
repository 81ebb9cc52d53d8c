const LONGEST_TOKEN = 64;
const MOST_QUERY_TOKENS = 96;

/** Words that are in nearly every issue and file, and so tell nothing apart. */
const COMMON = new Set(
  `a an and are as at be but by can def do does for from has have i if import in is it its me my no none not of on or
  please return self so that the there this to true false was we when which will with would you`.split(/\s+/),
);

/**
 * The words of code or prose in lower case, in order, repetitions kept. An identifier is kept whole and also gives its
 * parts: `nn.LayerNorm` → `nn.layernorm`, `nn`, `layernorm`, `layer`, `norm`.
 */
export function codeTokens(text: string): string[] {
  return [...text.matchAll(/[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*|\p{N}+/gu)].flatMap(([word]) => {
    const names = word.split(".");
    const tokens = names.flatMap((name) => {
      const parts = splitName(name);
      return parts.length === 1 && parts[0] === name ? parts : [name, ...parts];
    });
    return (names.length > 1 ? [word, ...tokens] : tokens)
      .map((token) => token.toLowerCase())
      .filter((token) => token.length <= LONGEST_TOKEN && /[\p{L}\p{N}]/u.test(token));
  });
}

/** The distinct words to look for, common ones left out; at most 96, the earliest. */
export function queryTokens(text: string): string[] {
  const tokens = new Set(codeTokens(text).filter((token) => token.length > 1 && !COMMON.has(token)));
  return [...tokens].slice(0, MOST_QUERY_TOKENS);
}

/** `attn_oneKVHead2` → `attn`, `one`, `KV`, `Head2`. */
function splitName(name: string): string[] {
  if (/^[a-z]+$/.test(name)) return [name];
  return name.split(/_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u).filter((part) => part !== "");
}
