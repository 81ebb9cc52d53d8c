import type { Issue, ReadIssue, Triage } from "../types.ts";
import { cleanText } from "./clean-text.ts";
import { hasImage, withoutImages } from "./images.ts";
import { findHeadings } from "./read-sections.ts";
import { type Body, splitBody } from "./split-body.ts";

const documents = /\b(?:docs?|documentation|readme|docstrings?|api reference|comments?)\b/i;
const slips =
  /\b(?:typos?|misspel\w+|spelling|grammar|broken (?:links?|url)|dead links?|link (?:is )?(?:broken|dead)|404|outdated|unclear|formulas?|wording|translat\w+)\b/i;
const failsWhenRun = /\b(?:errors?|exceptions?|traceback|fails?|failed|crash\w*|nans?|hangs?|segfault\w*)\b/i;
const howTo =
  /^\W*(?:\[?(?:question|help|q)\]?[:\s]+)?(?:how (?:do|can|could|should|would|to)\b|is (?:there|it possible)\b|what (?:is|are) the\b|where (?:can|do|is)\b|can (?:i|we|you)\b|could (?:you|someone|anyone)\b|any (?:plans?|chance|way)\b|does (?:this|it) support\b|do you (?:plan|have)\b|when will\b|which (?:model|version|one)\b)/i;
const normal =
  /\b(?:is|are) (?:this|that|it|these|they) (?:\w+ )?(?:typical|normal|common|usual|to be expected|reasonable)\b[^.!?]{0,200}\?/i;
const faults =
  /\b(?:bugs?|errors?|exceptions?|traceback|wrong(?:ly)?|incorrect(?:ly)?|fails?|failed|failing|failure|crash\w*|nans?|inf|broken|breaks?|mistakes?|unexpected(?:ly)?|segfault\w*|hangs?|deadlock\w*|leak\w*|regression|invalid|mismatch\w*|inconsisten\w+|diverg\w+|ignor\w+|missing|not (?:work\w*|updat\w*|us\w+|suppos\w+|correct)|(?:does|do|did|is|was)n't|never|instead of|should(?:n't)? (?:not )?be)\b/i;

/** What the rules look at, beside what was read. */
interface Facts {
  title: string;
  /** The body's prose without headings, images, tags and lines that are a command. */
  prose: string;
  words: number;
  hasImage: boolean;
  /** Code, an error, a place in the project: something to hold the project against. */
  isCheckable: boolean;
  /** Has code to run or an error that was printed. */
  runsCode: boolean;
  /** Names code: in the title outside of quotation marks, or in a code span. */
  namesCode: boolean;
}

/**
 * What can be said of an issue without judgement; null for everything else. A report that names a place in the project,
 * or that has code or an error, is never turned away.
 */
export function triageByProgram(issue: Issue, read: ReadIssue): Triage | null {
  const facts = gather(issue, read);
  const documentation = isAboutDocumentation(facts);
  if (documentation !== null || facts.isCheckable) return documentation;
  const question = asksWhetherNormal(facts);
  if (question !== null || facts.runsCode) return question;
  return asksHowTo(facts) ?? showsOnlyImages(facts) ?? saysTooLittle(facts);
}

function isAboutDocumentation({ title, prose, runsCode }: Facts): Triage | null {
  const isDocsOnly = documents.test(title) && slips.test(title);
  if (!isDocsOnly || runsCode || failsWhenRun.test(`${title}\n${prose}`)) return null;
  return { is: "not-a-bug", why: "It is about the text of the documentation: nothing that runs would show it." };
}

function asksHowTo({ title, prose, namesCode }: Facts): Triage | null {
  const asksInText = sentencesOf(prose).some((sentence) => howTo.test(sentence));
  const inTitle = howTo.test(title);
  const asks = inTitle || (/^\W*\[?(?:question|help)\b/i.test(title) && asksInText);
  if (!asks || saysFault(`${title}\n${prose}`) || (namesCode && !inTitle)) return null;
  return { is: "not-a-bug", why: "It asks how something is used and reports nothing that goes wrong." };
}

function asksWhetherNormal({ title, prose, namesCode }: Facts): Triage | null {
  if (namesCode || !normal.test(prose) || saysFault(`${title}\n${prose}`)) return null;
  return { is: "not-a-bug", why: "It asks whether a result is normal and reports nothing that goes wrong." };
}

function showsOnlyImages(facts: Facts): Triage | null {
  if (!facts.hasImage || facts.namesCode || facts.words > 25) return null;
  return {
    is: "needs-information",
    missing:
      "The error as text, with its whole traceback, and the code that leads to it: the report shows them only in an image.",
  };
}

function saysTooLittle(facts: Facts): Triage | null {
  if (facts.hasImage || facts.namesCode || facts.words > 12) return null;
  return {
    is: "needs-information",
    missing:
      "What was run (a short script), what happened (the error as text, or the wrong result), and what was expected.",
  };
}

function gather(issue: Issue, read: ReadIssue): Facts {
  const title = cleanText(issue.title);
  const body = splitBody(cleanText(issue.body));
  const raw = body.prose.join("\n");
  const prose = withoutImages(withoutHeadings(body)).replace(/<[^<>]*>/g, " ");
  const isCheckable =
    read.codeBlocks.some((block) => block.text.trim() !== "") ||
    read.tracebacks.length > 0 ||
    read.permalinks.length > 0 ||
    read.suggestedChanges.length > 0 ||
    read.paths.length > 0 ||
    /https?:\/\/(?:gist\.github\.com|colab\.research\.google\.com|www\.kaggle\.com|pastebin\.com)\//i.test(raw);
  return {
    title,
    prose,
    words: (prose.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []).length,
    hasImage: hasImage(raw),
    isCheckable,
    runsCode: read.runnableCode !== null || read.tracebacks.length > 0,
    namesCode:
      namesCode(title.replace(/'[^']*'|"[^"]*"|‘[^’]*’|“[^”]*”/g, " ")) || /`[^`\n]+`/.test(`${title}\n${raw}`),
  };
}

function namesCode(text: string): boolean {
  return /\b[a-z]\w*_\w+|\b[a-z]\w+\.[a-z_]\w+\b|\b[A-Z][a-z][a-z0-9]*[A-Z]\w*|\b[A-Z]{2,}[a-z]+[A-Z]?\w*|\w\(\)/.test(
    text,
  );
}

/** The prose without its headings and without commands, which go on after a trailing backslash. */
function withoutHeadings(body: Body): string {
  const headings = new Set(findHeadings(body).map(({ line }) => line));
  let inCommand = false;
  const kept = body.prose.filter((line, index) => {
    const isCommand =
      inCommand || /\s\\\s*$/.test(line) || /^\s*(?:\$ |(?:python3?|pip3?|bash|sh|torchrun) \S)/.test(line);
    inCommand = isCommand && /\\\s*$/.test(line);
    return !isCommand && !headings.has(index + 1);
  });
  return kept.join("\n");
}

/** Claims that something goes wrong. */
function saysFault(text: string): boolean {
  return faults.test(text);
}

function sentencesOf(text: string): string[] {
  return text.split(/\n|(?<=[.!?])\s/);
}
