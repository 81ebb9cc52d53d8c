import { describe, expect, it } from "vitest";
import { hasModule, hostPythons, runTool } from "./host-python.ts";

const files = {
  "pkg/__init__.py": "from .core import Net, boom\nfrom .more import *\nfrom . import sub\n",
  "pkg/core.py": [
    "import helpers_that_are_not_there as h",
    "class Base:",
    "    def __init__(self, dim, *, heads=8): pass",
    "class Net(Base):",
    "    def forward(self, x): return x",
    "    def generate(self, x): return x",
    "    @property",
    "    def size(self): return 1",
    "    @size.setter",
    "    def size(self, value): pass",
    "class Loose(Base):",
    "    def __init__(self, **kwargs): super().__init__(**kwargs)",
    "class Foreign(h.Thing): pass",
    "def boom(n, size=1, *, seed): raise RuntimeError('bad size')",
    "@h.wrap",
    "def wrapped(a): pass",
    "if h.new:",
    "    def either(a): pass",
    "else:",
    "    def either(a, b): pass",
    "try:",
    "    import fast",
    "    HAS_FAST = True",
    "except ImportError:",
    "    HAS_FAST = False",
    "def compute_the_loss(x): return x",
  ].join("\n"),
  "pkg/more.py":
    "from dataclasses import dataclass\n__all__ = ['Config', 'rest']\n@dataclass\nclass Config:\n    a: int\n    b: int = 2\ndef rest(*args, **kwargs): pass\ndef hidden(): pass\n",
  "pkg/sub/__init__.py": "class Deep: pass\n",
  "pkg/sub/leaf.py": "x = 1\n",
  "pkg/lazy.py": "def __getattr__(name): return 1\n",
  "src/second/__init__.py": "def go(): pass\n",
};

const exception = { kind: "exception", type: "RuntimeError", message: "bad size", where: null };
const notFinite = { kind: "not-finite", observation: "loss" };
const wrongValue = {
  kind: "wrong-value",
  observation: "a",
  relation: "equals",
  reference: { observation: "b" },
  tolerance: 0,
};

interface Options {
  symptom?: Record<string, unknown>;
  from?: "reporter" | "model";
  interpreter?: string;
}

function check(source: string, { symptom = exception, from = "model", interpreter }: Options = {}) {
  const spec = { symptom, packages: ["pkg", "second"], from };
  const run = runTool({ tool: "check", source, files, spec, ...(interpreter && { interpreter }) });
  return run.result?.problems ?? run.stderr;
}

const kinds = (source: string, options: Options = {}) =>
  check(source, options).map((problem: { kind: string; line: number }) => `${problem.line} ${problem.kind}`);

const use = "import pkg\npkg.boom(1, seed=2)\n";

describe("what exists", () => {
  const sound = [
    "from pkg import Net, Config, rest, sub, core",
    "from pkg.core import HAS_FAST, either, Loose, Foreign, wrapped",
    "from pkg.lazy import anything",
    "from pkg.sub import Deep, leaf",
    "from pkg.core import *",
    "from second import go",
    "import pkg.sub.leaf; pkg.sub.leaf.x",
    "import pkg; pkg.rest(1, a=2)",
    "import pkg.core as c; c.Loose(any=1); c.Foreign(1, 2, z=3); c.wrapped(); c.either(1, 2)",
    "import pkg; pkg.Net(1, heads=2); pkg.Net(*[1]); pkg.Net(**{})",
    "import pkg; pkg.Config(1); pkg.Config(a=1, b=2)",
    "import os.path, json, xml.etree.ElementTree, concurrent.futures",
    "try:\n    import not_there\nexcept ImportError:\n    not_there = None",
  ];
  it.each(sound)("finds nothing wrong with %s", (source) => {
    expect(check(`${use}${source}`)).toEqual([]);
  });

  const problems: [string, string, string][] = [
    ["x = = 1", "syntax", "It does not parse"],
    [
      "import nowhere",
      "unknown-import",
      "The package nowhere is not installed, and cannot be. The project itself has: pkg, second.",
    ],
    ["import json.nothing", "unknown-import", "The package json has no module json.nothing."],
    ["from . import x", "unknown-import", "A script cannot import relatively: name the package."],
    ["import pkg.subb", "unknown-import", "There is no module pkg.subb in the project; pkg has sub, core, lazy, more."],
    [
      "from pkg import Nett",
      "unknown-import",
      "The module pkg has no 'Nett'; it has Net, rest, Config, boom, core, lazy, more, sub.",
    ],
    ["from pkg import hidden", "unknown-import", "The module pkg has no 'hidden': import it from pkg.more."],
    ["from pkg.sub import Dep", "unknown-import", "The module pkg.sub has no 'Dep'; it has Deep, leaf."],
    ["import pkg\npkg.bom", "unknown-name", "The module pkg has no 'bom'; it has boom,"],
    ["import pkg\npkg.sub.leaf.y", "unknown-name", "The module pkg.sub.leaf has no 'y'; it has x."],
    ["print(nothing)", "unknown-name", "'nothing' is used but never defined or imported."],
    ["def f():\n    later = 1\nprint(later)", "unknown-name", "'later' is used but never defined or imported."],
    ["import pkg\npkg.Net(head=3)", "unknown-argument", "Net has no argument 'head': it is Net(dim, *, heads=…)."],
    [
      "import pkg\npkg.Net(1, 2)",
      "unknown-argument",
      "Net takes at most 1 positional arguments, not 2: it is Net(dim, *, heads=…).",
    ],
    ["import pkg\npkg.boom(1)", "unknown-argument", "boom needs 'seed': it is boom(n, size=…, *, seed)."],
    ["import pkg\npkg.Config(b=3)", "unknown-argument", "Config needs 'a': it is Config(a, b=…)."],
  ];
  it.each(problems)("tells what is wrong with %s", (source, kind, message) => {
    const told = check(`${source}\n`).filter((problem: { kind: string }) => problem.kind !== "mimic");

    expect(told[0]).toEqual({ kind, line: expect.any(Number), message: expect.stringContaining(message) });
  });

  it.skipIf(!hasModule("torch"))("looks into installed packages by their files (needs torch)", () => {
    expect(
      check(`${use}import torch.nn.functional as F, torch.utils.data, torch.ops, torch.optim.lr_scheduler`),
    ).toEqual([]);
    expect(kinds(`${use}import torch.nn.functionl`)).toEqual(["3 unknown-import"]);
  });
});

describe("mimics", () => {
  const cases: [string, Record<string, unknown>, string, string[]][] = [
    ["raises the reported type", exception, "raise RuntimeError('x')", ["3 mimic"]],
    ["raises a subclass of it", exception, "class E(RuntimeError): pass\nraise E('x')", ["4 mimic"]],
    ["raises the reported message", exception, "raise KeyError('bad size here')", ["3 mimic"]],
    ["raises what it made before", exception, "e = RuntimeError()\nraise e", ["4 mimic"]],
    [
      "raises again what it caught",
      exception,
      "try: pkg.boom(1, seed=1)\nexcept RuntimeError as e:\n    print(e); raise e",
      [],
    ],
    ["raises another type", exception, "raise SystemExit(2)", []],
    ["asserts for an unknown exception", { ...exception, type: null, message: null }, "assert 1 == 1", ["3 mimic"]],
    ["asserts for another exception", exception, "assert 1 == 1", []],
    ["prints the message", exception, "print(f'bad size {1}')", ["3 mimic"]],
    ["compares with the message", exception, "ok = 'bad size' in str(1)", []],
    ["hands the message over", exception, "pkg.boom('bad size 3', seed=1)", ["3 mimic"]],
    ["asserts with the message", exception, "assert 1 == 1, 'bad size'", []],
    ["names the message in a text of its own", exception, "'bad size 3'\npkg.boom(1, seed=1)", []],
    [
      "writes over what was raised",
      exception,
      "try: pkg.boom(1, seed=1)\nexcept RuntimeError as e:\n    e.args = ('x',); raise",
      ["5 mimic"],
    ],
    ["plants an exception in a mock", exception, "m = pkg.Net(1)\nm.load.side_effect = [KeyError()]", ["4 mimic"]],
    ["plants an exception in a future", exception, "f = pkg.Net(1)\nf.set_exception(KeyError())", ["4 mimic"]],
    ["takes an attribute away", exception, "m = pkg.Net(1)\nvars(m).pop('size')", ["4 mimic"]],
    ["writes to an object's dictionary", exception, "m = pkg.Net(1)\nm.__dict__.update(size=2)", ["4 mimic"]],
    ["aborts", { kind: "crash", signal: null }, "import os\nos.abort()", ["4 mimic"]],
    ["sleeps", { kind: "hang", afterSeconds: 10 }, "import time\ntime.sleep(100)", ["4 mimic"]],
    ["sleeps a little", { kind: "hang", afterSeconds: 10 }, "import time\ntime.sleep(0.1)", []],
    ["loops for ever", { kind: "hang", afterSeconds: 10 }, "while True: pass", ["3 mimic"]],
    ["warns", { kind: "warning", category: null, message: null }, "import warnings\nwarnings.warn('x')", ["4 mimic"]],
    ["replaces a function of the project", exception, "pkg.boom = lambda: 1", ["3 mimic"]],
    ["replaces a method of a class", exception, "pkg.Net.forward = lambda s, x: x", ["3 mimic"]],
    ["replaces a method of an instance", exception, "m = pkg.Net(1)\nm.forward = lambda x: x", ["4 mimic"]],
    ["sets a plain attribute of an instance", exception, "m = pkg.Net(1)\nm.temperature = 2", []],
    ["sets by setattr", exception, "setattr(pkg.core, 'boom', 1)", ["3 mimic"]],
    ["patches by mock", exception, "from unittest import mock\nwith mock.patch('pkg.boom'): pass", ["4 mimic"]],
    ["patches an object by mock", exception, "from unittest.mock import patch\npatch.object(pkg, 'boom')", ["4 mimic"]],
    [
      "patches its environment by mock",
      exception,
      "import os\nfrom unittest import mock\nwith mock.patch.dict(os.environ, A='1'): pass",
      [],
    ],
    ["sets a property of an instance", exception, "m = pkg.Net(1)\nm.size = 2", []],
    ["puts a module in place", exception, "import sys\nsys.modules['pkg'] = 1", ["4 mimic"]],
    ["replaces a function of a library", exception, "import json\njson.dumps = lambda x: 1", ["4 mimic"]],
    ["defines a class of the project", exception, "class Loose: pass", ["3 mimic"]],
    ["subclasses a class of the project", exception, "class Base(pkg.Net): pass", []],
    ["defines a function of the project", exception, "def compute_the_loss(x): return x", ["3 mimic"]],
  ];
  it.each(cases)("judges a script that %s", (_name, symptom, source, expected) => {
    expect(kinds(`${use}${source}\n`, { symptom })).toEqual(expected);
  });

  it.skipIf(!hasModule("torch"))("lets a script set torch's settings, and not replace its parts (needs torch)", () => {
    expect(kinds(`${use}import torch\ntorch.backends.cudnn.benchmark = True\n`, { symptom: exception })).toEqual([]);
    for (const target of ["torch.Tensor.softmax", "torch.nn.functional.relu", "torch.softmax"]) {
      expect(kinds(`${use}import torch\n${target} = None\n`, { symptom: exception })).toEqual(["4 mimic"]);
    }
  });

  const unused: [string, string][] = [
    ["does not import the project", "x = 1"],
    ["imports it only", "import pkg"],
    ["uses it only where nothing runs", "import pkg\nif False:\n    pkg.boom(1, seed=1)"],
  ];
  it.each(unused)("refuses a script that %s", (_name, source) => {
    expect(kinds(source)).toEqual(["1 mimic"]);
    expect(kinds(source, { from: "reporter" })).toEqual(["1 mimic"]);
  });

  it("takes importlib, star imports, and running a file of the project as use", () => {
    expect(kinds("import importlib\nimportlib.import_module('pkg.core').boom(1, seed=1)")).toEqual([]);
    expect(kinds("from pkg import *\nboom(1, seed=1)")).toEqual([]);
    expect(kinds("import runpy\nrunpy.run_path('/project/train.py')")).toEqual([]);
  });

  it("lets a reporter print the message and define short functions of the same name", () => {
    const source = `${use}# bad size\nprint("RuntimeError: bad size")\ndef compute_the_loss(x): return x\n`;

    expect(kinds(source, { from: "reporter" })).toEqual([]);
  });
});

describe("observations", () => {
  const cases: [string, Record<string, unknown>, string, string[]][] = [
    ["a value that the project returned", notFinite, "observed = {'loss': pkg.Net(1).forward(2)}", []],
    [
      "a value through variables",
      notFinite,
      "out = pkg.Net(1)\nloss = out.mean()\nobserved = {}\nobserved['loss'] = float(loss)",
      [],
    ],
    ["a value through a function", notFinite, "def go(): return pkg.Net(1)\nobserved = dict(loss=go())", []],
    [
      "a list that a loop fills",
      notFinite,
      "m = pkg.Net(1)\nlosses = []\nfor i in range(3): losses.append(m.forward(i))\nobserved = {'loss': losses}",
      [],
    ],
    [
      "a value that the project decides",
      notFinite,
      "m = pkg.Net(1)\nobserved = {}\nif m.forward(1): observed['loss'] = True",
      [],
    ],
    [
      "a value that depends on what it raises",
      notFinite,
      "observed = {}\ntry: pkg.boom(1, seed=1)\nexcept Exception: observed['loss'] = 1",
      [],
    ],
    [
      "a default that the project's value replaces",
      notFinite,
      "observed = {'loss': None}\nobserved['loss'] = pkg.Net(1)",
      [],
    ],
    [
      "a value that replaces the project's",
      notFinite,
      "observed = {'loss': pkg.Net(1)}\nobserved['loss'] = float('nan')",
      ["4 mimic"],
    ],
    ["its own computation", notFinite, "import math\nobserved = {'loss': math.log(1e-300) * 2}", ["4 mimic"]],
    ["time", notFinite, "import time\nstart = time.time()\npkg.Net(1)\nobserved = {'loss': time.time() - start}", []],
    [
      "what a hook counted",
      notFinite,
      "seen = []\ndef hook(*a): seen.append(1)\npkg.Net(1).register_forward_hook(hook)\nobserved = {'loss': len(seen)}",
      [],
    ],
    [
      "warnings that it kept",
      notFinite,
      "import warnings\nwith warnings.catch_warnings(record=True) as w: pkg.Net(1)\nobserved = {'loss': len(w)}",
      [],
    ],
    ["update", notFinite, "observed = {}\nobserved.update(loss=pkg.Net(1))", []],
    ["names that are not written out", notFinite, "observed = {}\nfor k in ['loss']: observed[k] = pkg.Net(1)", []],
    ["a literal", notFinite, "observed = {'loss': float('nan')}", ["3 mimic"]],
    ["a literal through a variable", notFinite, "import math\nloss = math.nan\nobserved = {'loss': loss}", ["5 mimic"]],
    [
      "a literal in a branch that is always taken",
      notFinite,
      "observed = {}\nif 1 < 2: observed['loss'] = float('nan')",
      ["4 mimic"],
    ],
    [
      "a written NaN beside the project's value",
      notFinite,
      "observed = {'loss': pkg.Net(1) or float('nan')}",
      ["3 mimic"],
    ],
    ["another name", notFinite, "observed = {'los': pkg.Net(1)}", ["1 no-observation"]],
    ["nothing", notFinite, "", ["1 no-observation"]],
    ["one of two names", wrongValue, "observed = {'a': pkg.Net(1)}", ["1 no-observation"]],
    ["both names", wrongValue, "observed = {'a': pkg.Net(1), 'b': pkg.Net(2)}", []],
    ["a local dictionary", notFinite, "def main():\n    observed = {'loss': pkg.Net(1)}\nmain()", ["4 no-observation"]],
    ["a global one", notFinite, "def main():\n    global observed\n    observed = {'loss': pkg.Net(1)}\nmain()", []],
  ];
  it.each(cases)("judges a script that observes %s", (_name, symptom, source, expected) => {
    expect(kinds(`${use}${source}\n`, { symptom })).toEqual(expected);
  });

  it("says what is missing and what is there", () => {
    expect(check(`${use}observed = {'los': pkg.Net(1)}`, { symptom: notFinite })).toEqual([
      {
        kind: "no-observation",
        line: 1,
        message: "The check needs observed['loss'], a top-level dictionary's entry; it assigns only 'los'.",
      },
    ]);
  });
});

describe("what is forbidden", () => {
  const refused = [
    "open('/out/result.json')",
    "import os; os.listdir('/job')",
    "open(f'/proc/{1}/fd/3')",
    "open('/proc/self/fd/5', 'w')",
    "import sys; sys.settrace(None)",
    "from sys import _getframe; _getframe()",
    "import sys; getattr(sys, 'monitoring')",
    "import os as o; o._exit(1)",
    "from os import _exit; _exit(1)",
    "__import__('os')._exit(1)",
    "import os; os.kill(os.getppid(), 9)",
    "import ctypes",
    "from ctypes import cdll",
    "import faulthandler",
    "import inspect; inspect.stack()",
    "e = ValueError(); e.__traceback__.tb_frame.f_back",
    "import os; os.system('ls')",
    "import subprocess; subprocess.run(['pip', 'install', 'x'])",
    "import subprocess, sys; subprocess.run([sys.executable, '-m', 'pip', 'install', 'x'])",
    "import subprocess; subprocess.run('ls', shell=True)",
    "exec('x = 1')",
    "eval('1')",
  ];
  it.each(refused)("refuses %s", (source) => {
    expect(new Set(kinds(`${use}${source}\n`))).toEqual(new Set(["3 forbidden"]));
  });

  const allowed = [
    "open('/tmp/x', 'w')",
    "open('/proc/self/status')",
    "import sys; sys.path, sys.exit",
    "import os; os.environ.get('SEED'), os.path.join('a', 'b')",
    "import inspect; inspect.signature(pkg.boom)",
    "import re; re.compile('x')",
    "m = pkg.Net(1); m.eval(); m.compile()",
    "import subprocess, sys; subprocess.run([sys.executable, '/project/train.py'])",
    "import gc; gc.collect()",
  ];
  it.each(allowed)("allows %s", (source) => {
    expect(kinds(`${use}${source}\n`)).toEqual([]);
  });

  it.skipIf(!hasModule("torch"))("lets torch load only what the script saved, or weights (needs torch)", () => {
    const load = (source: string) => kinds(`${use}import torch, io\n${source}`);

    expect(load("torch.load('x.pt')")).toEqual(["4 forbidden"]);
    expect(load("torch.load('x.pt', weights_only=True)")).toEqual([]);
    expect(load("torch.save(1, 'x.pt'); torch.load('x.pt')")).toEqual([]);
    expect(load("b = io.BytesIO(); torch.save(1, b); torch.load(b)")).toEqual([]);
  });
});

describe.each(hostPythons())("with %s", (interpreter) => {
  it("finds the same", () => {
    const source = `${use}import nowhere\npkg.Net(head=1)\nobserved = {}\nobserved["x"] = zzz\n`;

    expect(kinds(source, { interpreter, symptom: notFinite })).toEqual([
      "1 no-observation",
      "3 unknown-import",
      "4 unknown-argument",
      "4 unknown-argument",
      "6 unknown-name",
    ]);
  });
});
