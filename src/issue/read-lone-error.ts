import type { ReportedTraceback } from "../types.ts";

const error = /(?<![\w.])((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))(`?):[ \t]*([^\s].*)$/;
const notSeen = /\b(?:should|expect\w*|instead of|rather than|except|catch|want\w*|not)\b[^.]{0,60}$/i;
const docstring = /^(?:if|when|in case|raised|as|pass|return|continue|raise)\b/i;
const afterMessage = /[.,;]?\s+(?:when|while|after|during|because|which|whenever|if I|but)\s|\.\s+(?=[A-Z])/;

/** `Type: message` outside of a traceback, unless the words before say that it is not what happens. */
export function readLoneError(line: string): ReportedTraceback | null {
  const match = error.exec(line);
  if (match === null) return null;
  const [whole, type = "", , message = ""] = match;
  const before = line.slice(0, match.index);
  if (notSeen.test(before.slice(-120)) || docstring.test(message)) return null;
  return { type, message: messageOf(message, before, whole), frames: [] };
}

/** In a sentence the message ends where the sentence goes on; a code span or a quotation ends with its mark. */
function messageOf(message: string, before: string, whole: string): string {
  const open = /(`+)[^`]*$/.exec(before)?.[1];
  if (open !== undefined && whole.includes(open)) return (message.split(open)[0] ?? "").trim();
  const ownLine = /^[\s\-*>#"']*$/.test(before);
  const end = ownLine ? -1 : message.search(afterMessage);
  const told = (end < 8 ? message : message.slice(0, end)).trim();
  const mark = /(?:\*\*|["'])$/.exec(before)?.[0] ?? "";
  return mark !== "" && told.endsWith(mark) ? told.slice(0, -mark.length).trim() : told;
}
