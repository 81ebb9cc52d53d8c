import type { Environment } from "../types.ts";
import type { ProjectRequirements, Requirement } from "./project-requirements.ts";

export type Substitution = Environment["substitutions"][number];

/** What pip is asked for, and how that is not what the project asks for. */
export interface Wanted {
  requirements: string[];
  substitutions: Substitution[];
}

/** Packages whose build has to fit torch's. */
const BUILT_FOR_TORCH = new Set(["torchvision", "torchaudio", "torchtext"]);

/**
 * The project's requirements beside the base environment's torch, which stays as it is.
 * `torchIndex`: the index that torch came from, or null when it came from elsewhere.
 */
export function fitToBase(read: ProjectRequirements, torchIndex: string | null): Wanted {
  const left = read.leftOut.map(({ text, reason }) => ({ wanted: text, got: "left out", reason }));
  const fitted = read.requirements.map((requirement) => fitOne(requirement, torchIndex));
  return {
    requirements: fitted.flatMap((wanted) => wanted.requirements),
    substitutions: [...left, ...fitted.flatMap((wanted) => wanted.substitutions)],
  };
}

function fitOne(requirement: Requirement, torchIndex: string | null): Wanted {
  const { name, text, installed } = requirement;
  if (name === "torch") {
    const reason = "environments share one build of torch";
    const got = `torch ${installed}`;
    return { requirements: [], substitutions: requirement.satisfied ? [] : [{ wanted: text, got, reason }] };
  }
  if (!BUILT_FOR_TORCH.has(name)) {
    return { requirements: requirement.satisfied && requirement.extras.length === 0 ? [] : [text], substitutions: [] };
  }
  if (torchIndex === null) {
    const reason = "no build of it that fits the installed torch can be had";
    return { requirements: [], substitutions: [{ wanted: text, got: "not installed", reason }] };
  }
  const reason = "it has to fit the installed torch";
  const substitutions = text === name ? [] : [{ wanted: text, got: `the ${name} built for it`, reason }];
  return { requirements: [name], substitutions };
}

/** Versions that the report names and the environment has others of. */
export function unlikeReported(reported: Record<string, string>, installed: Record<string, string>): Substitution[] {
  return Object.entries(reported).flatMap(([name, version]) => {
    const got = installed[name];
    if (got === undefined || sameRelease(version, got)) return [];
    return [{ wanted: `${name} ${version}`, got: `${name} ${got}`, reason: "reported with another version" }];
  });
}

/** `3.11` and `3.11.7` are the same as far as the shorter one says; `2.1.0+cu118` and `2.1.0+cpu` are. */
function sameRelease(one: string, other: string): boolean {
  const parts = [one, other].map((version) => version.replace(/^v/i, "").split("+")[0]?.split(".") ?? []);
  const [a = [], b = []] = parts;
  const length = Math.min(a.length, b.length);
  return a.slice(0, length).join(".") === b.slice(0, length).join(".");
}
