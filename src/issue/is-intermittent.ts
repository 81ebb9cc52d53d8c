const words =
  /\b(sometimes|occasional(ly)?|intermittent(ly)?|random(ly)? (fail|crash|hang|error|rais|break|stop)\w*|flak(y|iness)|non-?deterministic(ally)?|every (other|few|second) (time|run)|not (always|every time)|once in a while|depend(s|ing) on the seed|for some seeds)\b/i;

/** Does the text say that the bug shows in some runs only? */
export function isIntermittent(text: string): boolean {
  return words.test(text);
}
