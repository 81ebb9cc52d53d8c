const maxRefs = 20;

const ref = "(v?\\d+\\.\\d+(?:\\.\\w+)*|v\\d+|(?:commit )?[0-9a-f]{7,40}(?=[\\s.,;)`]|$))";
const qualifier = "(?:(?:version|release|commit|tag|the|of)[ \\t]+|`|([A-Za-z][\\w-]*)[ \\t=@]+){0,3}`?";
const patterns = [
  new RegExp(
    `\\b(?:work(?:s|ed|ing)?|run(?:s|ning)?|ran|succeed(?:s|ed)?|pass(?:es|ed)?|fine|ok|okay|correct(?:ly)?|no (?:problems?|issues?|errors?|bugs?)|(?:problem|issue|error|bug) (?:is|was) (?:not|absent))(?: (?:fine|well|correctly|perfectly|properly|ok|okay|as expected|great|again|still|just)){0,2} (?:in|on|with|using|at|under|until|up to|before|for)[ \\t]+${qualifier}${ref}`,
    "gi",
  ),
  new RegExp(
    `\\blast (?:known )?(?:good|working) (?:version|release|commit|ref)?(?: (?:is|was))?:?[ \\t]+${qualifier}${ref}`,
    "gi",
  ),
  new RegExp(`\\b(?:downgrad|revert|roll)(?:e|es|ed|ing|s)?(?: back)? (?:to|back to)[ \\t]+${qualifier}${ref}`, "gi"),
  new RegExp(
    `\\bregress(?:ion|ed|es)?(?: (?:since|from|after)| compared to| relative to)[ \\t]+${qualifier}${ref}`,
    "gi",
  ),
  new RegExp(`\\b(?:since|after|when) (?:upgrading|updating)(?: \\w+)? from[ \\t]+${qualifier}${ref}`, "gi"),
];
const negation =
  /(?:\b(?:not|never|no longer|stop(?:s|ped)?|cannot|can't|fails?|failed|without|neither|nor)|n't)\b[^.!?\n]{0,25}$/i;
/** Words that the package pattern may take for one. */
const notPackages = /^(?:version|release|commit|tag|the|of|in|older|old|previous|earlier|and|v|a)$/i;

/**
 * Refs and releases of the project that the issue says work. Those of another package (`worked with torch 2.0`) are
 * left out; `projectName` tells which is the project's own.
 */
export function readWorksIn(text: string, projectName: string | null): string[] {
  const refs = phrases(text).flatMap(({ named, ref: found }) => {
    const isOther = named !== null && normalise(named) !== normalise(projectName ?? "");
    return isOther ? [] : [found];
  });
  return [...new Set(refs)].slice(0, maxRefs);
}

/** The text without what it says of versions that work, which are not the reported ones. */
export function withoutWorksIn(text: string): string {
  return phrases(text).reduce((rest, { phrase }) => rest.replaceAll(phrase, " "), text);
}

function phrases(text: string): { phrase: string; named: string | null; ref: string }[] {
  const bounded = text.split("\n").flatMap((line) => (/\d/.test(line) ? [line.slice(0, 2_000)] : []));
  return patterns
    .flatMap((pattern) =>
      bounded.flatMap((line) =>
        [...line.matchAll(pattern)].slice(0, maxRefs).flatMap((match) => {
          if (negation.test(line.slice(Math.max(0, match.index - 40), match.index))) return [];
          const named = match[1] === undefined || notPackages.test(match[1]) ? null : match[1];
          return [{ phrase: match[0], named, ref: (match[2] ?? "").replace(/^commit /i, "").replace(/\.$/, "") }];
        }),
      ),
    )
    .slice(0, 200);
}

function normalise(called: string): string {
  return called.toLowerCase().replace(/[-_.]+/g, "-");
}
