import { readFileSync } from "node:fs";
import { DefectFault } from "../errors.ts";

/**
 * A prompt file with its `{{variables}}` filled in. The file's first line `# system`, then a line `# user`, split it
 * into the two messages; what follows `{{?name}}` up to `{{/name}}` is kept only when `name` is not empty.
 * @throws {DefectFault} a variable of the file is missing, or one that was given is not used.
 */
export function renderPrompt(
  name: "restructure" | "plan" | "generate" | "contrast",
  variables: Record<string, string>,
): { system: string; user: string } {
  const template = readFileSync(new URL(`./${name}.md`, import.meta.url), "utf8");
  const [, system, user] = /^# system\n([\s\S]*?)\n# user\n([\s\S]*)$/.exec(template) ?? [];
  if (system === undefined || user === undefined) throw new DefectFault(`The prompt ${name} lacks its two parts.`);
  const used = new Set<string>();
  const value = (key: string): string => {
    const found = variables[key];
    if (found === undefined) throw new DefectFault(`The prompt ${name} needs {{${key}}}.`);
    used.add(key);
    return withoutTags(found);
  };
  const fill = (part: string) =>
    part
      .replace(/\{\{\?(\w+)\}\}\n?([\s\S]*?)\{\{\/\1\}\}\n?/g, (_, key, body) => (value(key).trim() === "" ? "" : body))
      .replace(/\{\{(\w+)\}\}/g, (_, key) => value(key))
      .trim();
  const rendered = { system: fill(system), user: fill(user) };
  const unused = Object.keys(variables).filter((key) => !used.has(key));
  if (unused.length > 0) throw new DefectFault(`The prompt ${name} does not use ${unused.join(", ")}.`);
  return rendered;
}

/** No value may open or close the tags that set a report apart. */
function withoutTags(text: string): string {
  return text.replace(/<(?=\s*\/?\s*(?:report|original)\b)/gi, "&lt;");
}
