import type { ReadIssue } from "../types.ts";

const version = "v?(\\d+(?:\\.\\d+)+(?:\\.?(?:a|b|rc|post|dev)\\d*)*)";

/** What a reporter calls a distribution, where that is not its name. */
const aliases: Record<string, string> = {
  pytorch: "torch",
  "py-torch": "torch",
  sklearn: "scikit-learn",
  cv2: "opencv-python",
  opencv: "opencv-python",
  pil: "pillow",
  "hugging-face-hub": "huggingface-hub",
  yolo: "ultralytics",
};

/** Things with versions that are no distributions. */
const systems = new Set(
  `version platform os cuda cudnn gcc clang g++ cmake glibc libc ubuntu debian centos linux windows macos darwin kernel nvidia driver
  gpu cpu build nccl rocm hip mkl conda pip docker bash release model size total time step epoch lr loss acc accuracy map score
  date image to from in than since with on at is was the of and or for by tag runtime used usage installed available`.split(
    /\s+/,
  ),
);

/** Distributions that prose may name without a mark: `torch 2.1`. */
const known = new Set(
  `python torch torchvision torchaudio torchtext triton numpy scipy pandas scikit-learn matplotlib pillow opencv-python
  transformers diffusers accelerate datasets tokenizers peft trl safetensors huggingface-hub sentence-transformers timm
  einops einx lightning pytorch-lightning torchmetrics ultralytics tensorflow keras jax jaxlib flax optax onnx
  onnxruntime deepspeed fairscale xformers bitsandbytes vllm flash-attn fairseq mmcv mmengine mmdet monai kornia
  torch-geometric torch-scatter open-clip-torch albumentations hydra-core omegaconf pydantic protobuf`.split(/\s+/),
);

const name = "([A-Za-z][A-Za-z0-9]*(?:[-_. ][A-Za-z0-9]+){0,3})";
const word = "([A-Za-z][A-Za-z0-9_.-]{0,60})";

/** Whose word is enough: any name's, a known name's or a compound one's, or also any that has three parts. */
type Trust = "any" | "known" | "row";

/** Most reliable first: the first to name a distribution wins. */
const patterns: { pattern: RegExp; trust: Trust }[] = [
  // torch==2.1.0
  { pattern: new RegExp(`(?<![\\w.-])${word}(?:\\[[\\w,]{1,40}\\])?==${version}`, "g"), trust: "any" },
  // numpy=1.26 (conda), torch >= 2.1
  { pattern: new RegExp(`(?<![\\w.-])${word}[ \\t]?[=>~]?={1,2}[ \\t]?${version}`, "gi"), trust: "known" },
  // PyTorch version: 2.1 · - `transformers` version: 4.44
  {
    pattern: new RegExp(`(?<![\\w.-])${name}\`?[ \\t]+versions?[^:=\\n]{0,40}[:=][ \\t\`*]*${version}`, "gi"),
    trust: "any",
  },
  // Python: 3.10 · torch - 2.1 · Python-3.11.2
  {
    pattern: new RegExp(`(?<![\\w.-])${name}\`?\\**[ \\t]{0,4}(?::|-|@|=>)[ \\t\`*]{0,6}${version}`, "gi"),
    trust: "known",
  },
  // a row of `pip list` or of a table
  {
    pattern: new RegExp(
      `^[ \\t]*\\|?[ \\t]*${word}[ \\t]*(?:\\||[ \\t]{2})[ \\t]*${version}[ \\t]*(?:\\||$|[ \\t])`,
      "gm",
    ),
    trust: "row",
  },
  // torch 2.1 · PyTorch v2.0 · x-transformers 1.27.7
  {
    pattern: new RegExp(`(?<![\\w.-])${word}[ \\t]+(?:version[ \\t]+|ver\\.?[ \\t]+)?\\(?${version}(?![\\w%])`, "gi"),
    trust: "known",
  },
  // a frame's file: /opt/lib/python3.10/site-packages/…
  { pattern: /\/(python)(3\.\d{1,2})\//g, trust: "known" },
];
const bareVersion = new RegExp(`^[\\s\`*]*${version}[\\s\`*]*$`);
const example = /\((?:e\.g\.|i\.e\.)[^)\n]{0,60}\)/gi;
const maxVersions = 200;

/**
 * Package → version as the issue tells them, under lower-case distribution names with `-`; `python` among them.
 * A name the table does not know counts in a requirement, a version line or a row of a list, and elsewhere when it is
 * the project's own or is compound with a version of three parts.
 */
export function readVersions(issue: {
  text: string;
  sections: ReadIssue["sections"];
  projectName: string | null;
}): Record<string, string> {
  const found = new Map<string, string>();
  const project = issue.projectName === null ? null : normalise(issue.projectName);
  const add = (distribution: string, number: string): void => {
    if (!found.has(distribution) && found.size < maxVersions) found.set(distribution, number);
  };
  const source = issue.text
    .split("\n")
    .map((line) => line.slice(0, 1_000).replace(example, ""))
    .join("\n");
  for (const { pattern, trust } of patterns) {
    for (const [, called = "", number = ""] of source.matchAll(pattern)) {
      const distribution = distributionOf(called);
      if (distribution === project || trusts(trust, distribution, number)) add(distribution, number);
    }
  }
  for (const [heading, number] of versionSections(issue.sections)) {
    const distribution = distributionOf(heading.replace(/\bversions?\b.*/i, ""));
    if (known.has(distribution)) add(distribution, number);
    else if (project !== null && /^(?:what |which )?version/i.test(heading)) add(project, number);
  }
  return Object.fromEntries(found);
}

function trusts(trust: Trust, distribution: string, number: string): boolean {
  if (systems.has(distribution)) return false;
  if (trust === "any" || known.has(distribution)) return true;
  const hasThreeParts = /^\d+\.\d+\.\d/.test(number);
  return hasThreeParts && (trust === "row" || /[a-z]-[a-z]/.test(distribution));
}

/** Fields of an issue form that hold nothing but a version. */
function versionSections(sections: ReadIssue["sections"]): [heading: string, version: string][] {
  return sections.flatMap(({ heading, text }) => {
    const number = bareVersion.exec(text.slice(0, 200))?.[1];
    return number !== undefined && /\bversion/i.test(heading) ? [[heading, number]] : [];
  });
}

/** Of several words the longest ending that is a known name: `my PyTorch` → `torch`. */
function distributionOf(called: string): string {
  const words = called.trim().split(/[ \t]+/);
  for (let from = 0; from < words.length; from += 1) {
    const candidate = normalise(words.slice(from).join("-"));
    const distribution = Object.hasOwn(aliases, candidate) ? (aliases[candidate] ?? candidate) : candidate;
    if (known.has(distribution)) return distribution;
  }
  return normalise(words.at(-1) ?? "");
}

function normalise(called: string): string {
  return called.toLowerCase().replace(/[-_.]+/g, "-");
}
