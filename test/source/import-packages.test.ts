import { describe, expect, it } from "vitest";
import { importPackages } from "../../src/source/import-packages.ts";
import { usageExcerpt } from "../../src/source/usage-excerpt.ts";
import { makeFolder } from "./make-repository.ts";

const PACKAGES: [string, Record<string, string>, string[]][] = [
  ["packages at the root, not tests", { "pkg/__init__.py": "", "tests/__init__.py": "", "setup.py": "" }, ["pkg"]],
  ["packages below src", { "src/pkg/__init__.py": "", "src/single.py": "" }, ["pkg", "single"]],
  [
    "the one named like the distribution first",
    { "pyproject.toml": '[project]\nname = "my-pkg"\n', "aaa/__init__.py": "", "my_pkg/__init__.py": "" },
    ["my_pkg", "aaa"],
  ],
  [
    "a package without __init__.py that is declared",
    { "setup.py": "setup(\n  name='pkg',\n)", "pkg/a.py": "" },
    ["pkg"],
  ],
  [
    "single modules that are declared",
    { "setup.py": "setup(py_modules=['one'])", "one.py": "", "two.py": "" },
    ["one"],
  ],
  [
    "modules at the root when there is no package",
    { "model.py": "", "train.py": "", "test_model.py": "" },
    ["model", "train"],
  ],
  ["nothing for an empty folder", {}, []],
];

describe("importPackages", () => {
  it.each(PACKAGES)("gives %s", async (_, files, names) => {
    expect(await importPackages(makeFolder(files))).toEqual(names);
  });
});

describe("usageExcerpt", () => {
  const block = "from pkg import Model\n\nModel()";

  it("takes the code blocks that import the project", async () => {
    const readme = `# Pkg\n\n\`\`\`bash\npip install pkg\n\`\`\`\n\n\`\`\`python\n${block}\n\`\`\`\n\n\`\`\`\nimport other\n\`\`\`\n`;

    expect(await usageExcerpt(makeFolder({ "README.md": readme }), ["pkg"])).toBe(block);
    expect(await usageExcerpt(makeFolder({ "README.md": readme }), ["package"])).toBe("");
  });

  it("reads reStructuredText", async () => {
    const readme = `Pkg\n===\n\n.. code-block:: python\n\n    ${block.replaceAll("\n", "\n    ")}\n\nMore.\n`;

    expect(await usageExcerpt(makeFolder({ "README.rst": readme }), ["pkg"])).toBe(block);
  });

  it("takes whole blocks up to 3,000 characters", async () => {
    const long = `import pkg\n${"x = 1\n".repeat(400)}`;
    const readme = [long, long, block].map((code) => `\`\`\`python\n${code}\n\`\`\`\n`).join("\n");

    expect(await usageExcerpt(makeFolder({ "readme.md": readme }), ["pkg"])).toBe(`${long}\n\n${block}`);
  });

  it("gives nothing without a README", async () => {
    expect(await usageExcerpt(makeFolder(), ["pkg"])).toBe("");
  });
});
