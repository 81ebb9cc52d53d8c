import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRequirements } from "../../src/environment/project-requirements.ts";
import { BASE_TIMEOUT_MS, type Bench, createBench, hasBubblewrap, signal } from "./support.ts";

const ONLY_REGISTRIES = "only package registries are installed from";

describe.skipIf(!hasBubblewrap)("readRequirements (needs bubblewrap)", () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await createBench();
  }, BASE_TIMEOUT_MS);

  afterAll(() => bench.remove());

  async function read(files: Record<string, string>, extra: string[] = []) {
    const { path } = await bench.checkout(files);
    const pythonVersions = ["3.11.7", "3.8.18"];
    return readRequirements(
      { checkoutPath: path, reader: bench.base, pythonVersions, extra },
      bench.deps.sandbox,
      signal,
    );
  }

  const setup = (body: string) => ({ "setup.py": `from setuptools import setup\n${body}` });

  const forms: [string, Record<string, string>, string[]][] = [
    [
      "PEP 621",
      { "pyproject.toml": '[project]\nname = "p"\ndependencies = ["einops>=0.6", "tqdm"]' },
      ["einops>=0.6", "tqdm"],
    ],
    [
      "PEP 621 with dependencies of setuptools' own",
      {
        "pyproject.toml":
          '[project]\nname = "p"\ndynamic = ["dependencies"]\n[tool.setuptools.dynamic]\ndependencies = { file = ["reqs.in"] }',
        "reqs.in": "einops\n",
      },
      ["einops"],
    ],
    [
      "Poetry: caret, tilde, wildcard, bare version, table, markers, groups",
      {
        "pyproject.toml": `[tool.poetry]
name = "p"
[tool.poetry.dependencies]
python = ">=3.8,<4.0"
a = "^1.2.3"
b = "^0.2.3"
c = "~1.2"
d = "*"
e = "1.5"
f = { version = ">=2", extras = ["x"] }
g = { version = "^1", optional = true }
h = [{ version = "1.0", python = "<3.0" }, { version = "2.0", python = ">=3.0" }]
i = { version = "*", markers = "sys_platform == 'win32'" }
[tool.poetry.group.dev.dependencies]
pytest = "*"
[tool.poetry.group.models.dependencies]
k = ">= 1.0, < 2"`,
      },
      ["a<2,>=1.2.3", "b<0.3,>=0.2.3", "c<1.3,>=1.2", "d", "e==1.5", "f[x]>=2", "h==2.0", "k<2,>=1.0"],
    ],
    [
      "setup.cfg",
      {
        "setup.cfg":
          "[metadata]\nname = p\n[options]\ninstall_requires =\n    einops\n    tqdm>=4 ; python_version>'3'\n",
      },
      ["einops", "tqdm>=4"],
    ],
    [
      "setup.cfg that names a file",
      { "setup.cfg": "[options]\ninstall_requires = file: requirements.txt\n", "requirements.txt": "einops" },
      ["einops"],
    ],
    ["setup.py with a list", setup('setup(name="p", install_requires=["einops", "tqdm"])'), ["einops", "tqdm"]],
    ["setup.py with a string", setup('setup(install_requires="einops\\ntqdm")'), ["einops", "tqdm"]],
    [
      "setup.py with names, sums, f-strings and dictionaries",
      setup(
        'V = "0.6"\nextra = {"all": ["c"]}\nreqs = [f"a=={V}"]\nreqs += ["b"]\nargs = dict(install_requires=reqs + extra["all"])\nsetup(**args)',
      ),
      ["a==0.6", "b", "c"],
    ],
    [
      "setup.py that reads a requirements file",
      {
        ...setup('with open("requirements.txt") as f:\n  r = f.read().splitlines()\nsetup(install_requires=r)'),
        "requirements.txt": "einops",
      },
      ["einops"],
    ],
    [
      "setup.py that reads one through a function",
      {
        ...setup(
          'import os\ndef reqs(name):\n  return [l.strip() for l in open(name)]\nsetup(install_requires=reqs("./reqs/run.txt"))',
        ),
        "reqs/run.txt": "einops",
      },
      ["einops"],
    ],
    ["setup.py that would raise", setup('raise SystemExit(1)\nsetup(install_requires=["einops"])'), ["einops"]],
    [
      "requirements.txt with comments, continuations, hashes, markers, includes and a byte order mark",
      {
        "requirements.txt":
          "\ufeff# top\neinops \\\n  >=0.6  # why\ntqdm==4.66 --hash=sha256:ab\nold; python_version < '3'\n-r more/extra.txt\n-e .\n",
        "more/extra.txt": "-r ../requirements.txt\nregex\n",
      },
      ["einops>=0.6", "regex", "tqdm==4.66"],
    ],
    [
      "requirements below a folder",
      { "requirements/base.txt": "einops", "requirements/dev.txt": "pytest" },
      ["einops"],
    ],
    [
      "requirements with another name",
      { "requirements_train.txt": "einops", "requirements-dev.txt": "pytest" },
      ["einops"],
    ],
    [
      "packaging over requirements.txt, whose pins are one machine's",
      { "pyproject.toml": '[project]\nname = "p"\ndependencies = ["einops"]', "requirements.txt": "einops==0.3" },
      ["einops"],
    ],
    [
      "requirements.txt where packaging names none",
      { ...setup('setup(name="p")'), "requirements.txt": "einops" },
      ["einops"],
    ],
    [
      "the pip part of a conda environment",
      {
        "environment.yml":
          "name: x\ndependencies:\n  - python=3.8\n  - pip:\n    - einops==0.6\n    - tqdm\n  - pytorch\n",
      },
      ["einops==0.6", "tqdm"],
    ],
    ["nothing", { "README.md": "pip install torch" }, []],
  ];

  it.each(forms)("reads %s", async (_, files, requirements) => {
    expect((await read(files)).requirements.map(({ text }) => text)).toEqual(requirements);
  });

  const wrong: [string, Record<string, string>, { text: string; reason: string }[]][] = [
    [
      "URLs, paths, editable packages and options",
      {
        "requirements.txt":
          "git+https://host/a.git#egg=a\nb @ https://host/b.whl\n./local\n/etc/passwd\n-e git+https://host/c#egg=c\n--extra-index-url https://evil.example/simple\n",
      },
      [
        { text: "git+https://host/a.git#egg=a", reason: ONLY_REGISTRIES },
        { text: "./local", reason: ONLY_REGISTRIES },
        { text: "/etc/passwd", reason: ONLY_REGISTRIES },
        { text: "-e git+https://host/c#egg=c", reason: "nothing editable is installed beside the project" },
        {
          text: "--extra-index-url https://evil.example/simple",
          reason: "options of the project's requirements files are not passed to pip",
        },
        { text: "b @ https://host/b.whl", reason: ONLY_REGISTRIES },
      ],
    ],
    [
      "includes from outside",
      { "requirements.txt": "-r ../../../../etc/passwd\n-r /etc/hostname\n" },
      [
        { text: "../../../../etc/passwd", reason: "no such file in the project" },
        { text: "/etc/hostname", reason: "no such file in the project" },
      ],
    ],
    [
      "what pip does not understand",
      { "requirements.txt": "numpy=1.19=py38_0\n<<<<<<< HEAD\n" },
      [
        { text: "numpy=1.19=py38_0", reason: "not a requirement that pip understands" },
        { text: "<<<<<<< HEAD", reason: "not a requirement that pip understands" },
      ],
    ],
    [
      "a pyproject.toml that is none",
      { "pyproject.toml": "[project\n" },
      [
        {
          text: "pyproject.toml",
          reason: "not TOML: Expected ']' at the end of a table declaration (at line 1, column 9)",
        },
      ],
    ],
    [
      "a setup.py for Python 2",
      { "setup.py": 'print "hello"\n' },
      [
        {
          text: "setup.py",
          reason: "cannot be parsed: Missing parentheses in call to 'print'. Did you mean print(...)?",
        },
      ],
    ],
    [
      "what only a run of setup.py would tell",
      setup("import os\nsetup(install_requires=os.listdir('.'))"),
      [{ text: "install_requires of setup.py", reason: "cannot be told without running it" }],
    ],
    [
      "conda packages",
      { "environment.yml": "dependencies:\n  - pytorch=1.4\n  - cudatoolkit\n" },
      [{ text: "pytorch=1.4, cudatoolkit", reason: "conda packages are not installed" }],
    ],
  ];

  it.each(wrong)("leaves out %s and says why", async (_, files, leftOut) => {
    const result = await read(files);

    expect(result.leftOut).toEqual(leftOut);
    expect(result.requirements).toEqual([]);
  });

  it("takes the name alone where a conda machine's file stood for it", async () => {
    const result = await read({ "requirements.txt": "einops @ file:///croot/einops_1/work\n" });

    expect(result.requirements.map(({ text }) => text)).toEqual(["einops"]);
    expect(result.leftOut).toHaveLength(1);
  });

  it("reads a file in the encoding that PowerShell writes", async () => {
    const { path } = await bench.checkout({ "README.md": "" });
    const { writeFile } = await import("node:fs/promises");
    await writeFile(`${path}/requirements.txt`, Buffer.from("\ufeffeinops==0.6\r\n", "utf16le"));

    const result = await readRequirements(
      { checkoutPath: path, reader: bench.base, pythonVersions: [], extra: [] },
      bench.deps.sandbox,
      signal,
    );

    expect(result.requirements.map(({ text }) => text)).toEqual(["einops==0.6"]);
  });

  it("tells what the base satisfies, which Pythons fit, and what the build lacks", async () => {
    const result = await read({
      "pyproject.toml": `[build-system]
requires = ["setuptools>=61", "setuptools_scm>=6"]
[project]
name = "My.Project"
requires-python = ">=3.9"
dependencies = ["torch>=1.6", "torch[opt]<1.5", "my-project"]`,
      "src/my_project/__init__.py": "",
    });

    expect(result).toEqual({
      name: "My.Project",
      packaged: true,
      requiresPython: ">=3.9",
      supportedPythons: ["3.11.7"],
      buildRequirements: ["setuptools_scm>=6"],
      requirements: [
        { text: "torch>=1.6", name: "torch", extras: [], installed: bench.base.packages.torch, satisfied: true },
        {
          text: "torch[opt]<1.5",
          name: "torch",
          extras: ["opt"],
          installed: bench.base.packages.torch,
          satisfied: false,
        },
      ],
      leftOut: [],
      sourceFolder: "src",
    });
  });

  it("adds requirements asked for beside the project's", async () => {
    const result = await read({ "requirements.txt": "einops" }, ["tqdm>=4", "--index-url=https://evil.example"]);

    expect(result.requirements.map(({ text }) => text)).toEqual(["einops", "tqdm>=4"]);
    expect(result.leftOut).toEqual([
      { text: "--index-url=https://evil.example", reason: "not a requirement that pip understands" },
    ]);
  });
});
