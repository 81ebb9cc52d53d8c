import { describe, expect, it } from "vitest";
import { hostPythons, isAtLeast, runTool } from "./host-python.ts";

const files = {
  "pkg/__init__.py": "from .core import Thing, boom\n\ndef helper():\n    return 1\n\nhelper()\n",
  "pkg/core.py": [
    "import functools, warnings",
    "class Thing:",
    "    def __init__(self):",
    "        self.x = 1",
    "    @property",
    "    def y(self):",
    "        return (lambda: self.x)()",
    "def boom(n):",
    "    try:",
    "        {}['k']",
    "    except KeyError as error:",
    "        raise RuntimeError('boom %d' % n) from error",
    "def warn():",
    "    warnings.warn('careful', FutureWarning)",
  ].join("\n"),
};

function run(source: string, spec: Record<string, unknown> = {}) {
  return runTool({ tool: "run", source, files, spec });
}

describe("how a script ends", () => {
  const endings: [string, string, unknown][] = [
    ["an end without anything", "", { how: "completed", exitCode: 0 }],
    ["sys.exit with a number", "import sys; sys.exit(3)", { how: "completed", exitCode: 3 }],
    ["sys.exit with a text", "import sys; sys.exit('bye')", { how: "completed", exitCode: 1 }],
    ["os._exit", "import os; os._exit(7)", { how: "completed", exitCode: 7 }],
    [
      "an exit while the interpreter ends",
      "import os, atexit; atexit.register(os._exit, 5)",
      { how: "completed", exitCode: 5 },
    ],
  ];
  it.each(endings)("tells %s", (_name, source, ending) => {
    expect(run(source).result.ending).toEqual(ending);
  });

  it("tells the exception, what it came from, and each frame with its place and line", () => {
    const { result, stderr } = run("import pkg\npkg.boom(3)\n");

    expect(result.ending).toEqual({
      how: "exception",
      chain: [
        {
          type: "RuntimeError",
          bases: ["RuntimeError", "Exception", "BaseException"],
          message: "boom 3",
          frames: [
            { file: "script.py", line: 2, function: "<module>", code: "pkg.boom(3)", in: "script" },
            {
              file: "pkg/core.py",
              line: 12,
              function: "boom",
              code: "raise RuntimeError('boom %d' % n) from error",
              in: "project",
            },
          ],
        },
        {
          type: "KeyError",
          bases: ["KeyError", "LookupError", "Exception", "BaseException"],
          message: "'k'",
          frames: [{ file: "pkg/core.py", line: 10, function: "boom", code: "{}['k']", in: "project" }],
        },
      ],
    });
    expect(stderr).toMatch(/^Traceback[\s\S]*The above exception was the direct cause[\s\S]*RuntimeError: boom 3\n$/);
    expect(stderr).not.toContain("harness");
  });

  const chains: [string, string, string[]][] = [
    ["a context", "try: 1/0\nexcept Exception: raise ValueError('v')", ["ValueError", "ZeroDivisionError"]],
    ["no suppressed context", "try: 1/0\nexcept Exception: raise ValueError('v') from None", ["ValueError"]],
    [
      "a cause rather than the context",
      "try: 1/0\nexcept Exception: raise ValueError from TypeError()",
      ["ValueError", "TypeError"],
    ],
    ["a class of the script", "class Own(ValueError): pass\nraise Own", ["__main__.Own"]],
    [
      "a chain that ends in itself",
      "a = ValueError(); a.__cause__ = TypeError(); a.__cause__.__cause__ = a; raise a",
      ["ValueError", "TypeError"],
    ],
    ["the interrupt that a script raises", "raise KeyboardInterrupt", ["KeyboardInterrupt"]],
    ["too deep a recursion", "def f(): f()\nf()", ["RecursionError"]],
    ["a syntax error", "x = = 1", ["SyntaxError"]],
    ["a message that cannot be had", "class E(Exception):\n  def __str__(self): 1/0\nraise E", ["__main__.E"]],
  ];
  it.each(chains)("tells %s", (_name, source, types) => {
    const { ending } = run(source).result;

    expect(ending.chain.map((raised: { type: string }) => raised.type)).toEqual(types);
  });

  it.runIf(isAtLeast(11))("tells the members of an exception group (needs Python 3.11)", () => {
    const { ending } = run("raise ExceptionGroup('g', [ValueError('a'), TypeError('b')]) from KeyError('c')").result;

    expect(ending.chain.map((raised: { type: string }) => raised.type)).toEqual([
      "ExceptionGroup",
      "KeyError",
      "ValueError",
      "TypeError",
    ]);
  });

  it("tells a lack of memory and still what was observed", () => {
    const source =
      "import resource\nresource.setrlimit(resource.RLIMIT_AS, (300 << 20,) * 2)\nobserved = {'a': 1}\nkept = []\nwhile True: kept.append(bytearray(10 << 20))";
    const { result } = run(source);

    expect(result.ending.chain[0].type).toBe("MemoryError");
    expect(result.observed).toEqual({ a: 1 });
  });
});

describe("crashes and hangs", () => {
  it("tells the signal, the stack and what had been entered", () => {
    const { result, stderr } = run("import pkg, ctypes\npkg.Thing()\ndef inner():\n    ctypes.string_at(0)\ninner()");

    expect(result.ending).toMatchObject({ how: "signal", signal: "SIGSEGV" });
    expect(result.ending.stack[1]).toEqual({
      file: "script.py",
      line: 4,
      function: "inner",
      code: "ctypes.string_at(0)",
      in: "script",
    });
    expect(result.project.entered).toEqual([{ file: "pkg/core.py", function: "Thing.__init__", line: 3 }]);
    expect(stderr).toContain("Segmentation fault");
    expect(stderr).not.toContain("repgen_run");
  });

  it("tells an abort", () => {
    expect(run("import os; os.abort()").result.ending).toMatchObject({ how: "signal", signal: "SIGABRT" });
  });

  it("ends by SIGKILL itself when the script did, for the sandbox to tell why", () => {
    const { result, signal } = run("import os; os.kill(os.getpid(), 9)");

    expect(signal).toBe("SIGKILL");
    expect(result.ending).toEqual({ how: "signal", signal: "SIGKILL", stack: [] });
  });

  const hangs: [string, string, { in: string; function: string; line: number }][] = [
    ["in Python", "def spin():\n    while True: pass\nspin()", { in: "script", function: "spin", line: 2 }],
    [
      "in C with the interpreter lock",
      "import re\nre.match('(a+)+$', 'a' * 50 + 'b')",
      { in: "library", function: "match", line: 0 },
    ],
    [
      "in C without it",
      "import threading\ndef wait():\n    lock = threading.Lock(); lock.acquire(); lock.acquire()\nwait()",
      { in: "script", function: "wait", line: 3 },
    ],
    [
      "while the interpreter ends",
      "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()",
      { in: "library", function: "_shutdown", line: 0 },
    ],
  ];
  it.each(hangs)("tells the stack of a script that hangs %s", (_name, source, innermost) => {
    const { ending } = run(source, { timeoutSeconds: 1 }).result;
    const { in: place, function: name, line } = ending.stack.at(-1);

    expect(ending.how).toBe("timeout");
    expect({ in: place, function: name, line: innermost.line && line }).toEqual(innermost);
  });
});

describe("a script that goes against the harness", () => {
  const sources: Record<string, string> = {
    "replaces standard output": "import sys, io; sys.stdout = io.StringIO(); sys.stderr = None",
    "closes standard output": "import sys, os; sys.stdout.close(); os.close(1); os.close(2)",
    "closes descriptors": "import os; os.closerange(0, 100)",
    "deletes modules": "import sys, pkg; sys.modules.clear()",
    "takes os and json apart": "import os, json; os.write = os.getpid = None; json.JSONEncoder = None",
    "takes builtins apart": "import builtins; builtins.isinstance = builtins.type = None",
    "sets an excepthook that fails": "import sys; sys.excepthook = lambda *a: 1 / 0",
    "sets an excepthook that leaves": "import sys, os; sys.excepthook = lambda *a: os._exit(0)",
    "deletes the excepthook": "import sys; del sys.excepthook",
    "lowers the recursion limit": "import sys; sys.setrecursionlimit(40)",
    "makes a folder of the result": "import os; os.makedirs(os.environ['RESULT'] + '/x')",
    "makes a link of the result": "import os; os.symlink('/etc/passwd', os.environ['RESULT'])",
    "writes a result": "import os; open(os.environ['RESULT'], 'w').write('{}')",
    "writes noise to every descriptor":
      "import os\nfor fd in range(3, 1000):\n  try: os.write(fd, b'noise')\n  except OSError: pass",
    "leaves a process behind": "import subprocess; subprocess.Popen(['sleep', '1000'])",
  };
  it.each(Object.keys(sources))("is told all the same when it %s", (name) => {
    const { result } = run(`${sources[name]}\nobserved = {"a": 1}\nraise ValueError("v")`);

    expect(result.ending.chain?.[0]).toMatchObject({ type: "ValueError", message: "v" });
    expect(result.observed).toEqual({ a: 1 });
  });

  it("tells only what the first of two forked processes does", () => {
    const { result } = run(
      "import os\nif os.fork() == 0: observed = {'a': 'child'}\nelse:\n  os.wait(); observed = {'a': 'parent'}",
    );

    expect(result.observed).toEqual({ a: "parent" });
  });

  it("leaves no result when the script kills the harness", () => {
    const { result, signal } = run("import os; os.kill(os.getppid(), 9)");

    expect({ result, signal }).toEqual({ result: undefined, signal: "SIGKILL" });
  });
});

describe("a script runs as it would by itself", () => {
  it("has its own __main__, arguments and path", () => {
    const source = [
      "import sys, os",
      "m = sys.modules['__main__']",
      "observed = dict(name=__name__, same=m.__dict__ is globals(), argv=sys.argv == [__file__],",
      "  path=sys.path[0] == os.path.dirname(__file__), spec=__spec__, package=__package__, own=m.x if hasattr(m, 'x') else 0,",
      "  hidden=[n for n in sys.modules if n.startswith('repgen')])",
    ].join("\n");

    expect(run(source).result.observed).toEqual({
      name: "__main__",
      same: true,
      argv: true,
      path: true,
      spec: null,
      package: null,
      own: 0,
      hidden: [],
    });
  });

  it("lets spawned processes import it", () => {
    const source = [
      "import multiprocessing",
      "def more(x): return x + 1",
      "if __name__ == '__main__':",
      "    with multiprocessing.get_context('spawn').Pool(2) as pool:",
      "        observed = {'r': pool.map(more, [1, 2])}",
    ].join("\n");

    expect(run(source).result.observed).toEqual({ r: [2, 3] });
  });

  it("has random seeded, and inspect finds its source", () => {
    const source =
      "import random, inspect\ndef f(): pass\nobserved = {'r': random.random(), 's': inspect.getsource(f)}";
    const seeded = run(source, { seed: 3 }).result.observed;

    expect(seeded).toEqual({ r: 0.23796462709189137, s: "def f(): pass\n" });
  });
});

describe("observed", () => {
  const values: [string, unknown][] = [
    ["[1, 2.5, 'a', None, True]", [1, 2.5, "a", null, true]],
    ["float('nan')", "NaN"],
    ["[float('inf'), float('-inf')]", ["Infinity", "-Infinity"]],
    ["{'k': (1, 2), 3: {4, 5}}", { k: [1, 2], "3": [4, 5] }],
    ["1 + 2j", [1, 2]],
    ["__import__('collections').OrderedDict(a=1)", { a: 1 }],
    ["type('L', (list,), {'__iter__': lambda self: 1 / 0})([1])", [1]],
    ["type('S', (str,), {'__str__': lambda self: 1 / 0})('q')", "q"],
  ];
  it.each(values)("tells %s", (expression, told) => {
    expect(run(`observed = {"x": ${expression}}`).result.observed).toEqual({ x: told });
  });

  const reasons: [string, string][] = [
    ["object()", "is or holds an object of type builtins.object"],
    ["[{'a': b'x'}]", "is or holds an object of type builtins.bytes"],
    ["10 ** 400", "is or holds an integer of 1329 bits"],
    ["'x' * 60_000", "is or holds a string of 60000 characters"],
    ["[0] * 50_000", "has more than 20000 parts"],
    ["(lambda a: a.append(a) or a)([])", "is nested more than 12 deep"],
    [
      "type('O', (), {'__class__': property(lambda self: exec('while True: pass'))})()",
      "is or holds an object of type __main__.O",
    ],
  ];
  it.each(reasons)("says why it does not tell %s", (expression, reason) => {
    expect(run(`observed = {"x": ${expression}, "y": 1}`).result).toMatchObject({
      observed: { y: 1 },
      unobservable: { x: reason },
    });
  });

  it("says when it is no dictionary", () => {
    expect(run("observed = [1]").result).toMatchObject({
      observed: {},
      unobservable: { observed: "is an object of type builtins.list, not a dictionary" },
    });
  });

  it("is read after an exception too", () => {
    expect(run("observed = {}\nobserved['a'] = 1\n1 / 0").result.observed).toEqual({ a: 1 });
  });
});

describe("warnings", () => {
  it("are recorded with their place, and still printed", () => {
    const { result, stderr } = run("import pkg.core\npkg.core.warn()");

    expect(result.warnings).toEqual([
      {
        category: "FutureWarning",
        bases: ["FutureWarning", "Warning", "Exception", "BaseException"],
        message: "careful",
        file: "pkg/core.py",
        line: 14,
        in: "project",
      },
    ]);
    expect(stderr).toContain("FutureWarning: careful");
  });

  it("are recorded when the script keeps them to itself, and not when a filter drops them", () => {
    const caught = "import warnings, pkg.core\nwith warnings.catch_warnings(record=True): pkg.core.warn()";
    const dropped = "import warnings, pkg.core\nwarnings.simplefilter('ignore')\npkg.core.warn()";

    expect(run(caught).result.warnings).toHaveLength(1);
    expect(run(dropped).result.warnings).toEqual([]);
  });
});

describe.each(hostPythons())("the project's functions, with %s", (interpreter) => {
  const entered = (source: string) =>
    runTool({ tool: "run", source, files, interpreter }).result.project.entered.map(
      (one: { function: string }) => one.function,
    );

  it("are told once, with their names, when the script enters them", () => {
    const { project } = runTool({
      tool: "run",
      source: "import pkg\npkg.Thing().y\npkg.Thing().y",
      files,
      interpreter,
    }).result;

    expect(project).toEqual({
      imported: ["pkg/__init__.py", "pkg/core.py"],
      entered: [
        { file: "pkg/core.py", function: "Thing.__init__", line: 3 },
        { file: "pkg/core.py", function: "Thing.y", line: 6 },
        { file: "pkg/core.py", function: "Thing.y.<lambda>", line: 7 },
      ],
      replaced: [],
    });
  });

  it("are not told when only an import enters them", () => {
    expect(entered("import pkg")).toEqual([]);
  });

  it("are told when a thread, a forked process or a late call enters them", () => {
    expect(entered("import pkg, threading\nt = threading.Thread(target=pkg.Thing); t.start(); t.join()")).toEqual([
      "Thing.__init__",
    ]);
    expect(entered("import pkg, os\nif os.fork() == 0: pkg.Thing()\nelse: os.wait()")).toEqual(["Thing.__init__"]);
    expect(entered("import pkg, json\nfor i in range(3000): json.dumps(i)\npkg.helper()")).toEqual(["helper"]);
  });

  it("are told when the script imports them by path or runs a file of the project", () => {
    const source =
      "import pkg, importlib.util as u\ns = u.spec_from_file_location('other', pkg.__path__[0] + '/core.py')\nm = u.module_from_spec(s); s.loader.exec_module(m); m.Thing()";

    expect(entered(source)).toEqual(["Thing.__init__"]);
  });
});

describe("what a script replaced", () => {
  const files = {
    "pkg/__init__.py":
      "import json\ndef f():\n    return json.dumps(1)\nclass Net:\n    def forward(self):\n        return 1\n",
  };
  const replacedBy = (line: string) =>
    runTool({ tool: "run", source: `import pkg\n${line}\npkg.f()\n`, files }).result.project.replaced;

  it.each([
    ["pkg.extra = 1", []],
    ["for pkg.f in [lambda: 1]: pass", ["pkg.f"]],
    ["pkg.f.__globals__['json'] = pkg", ["pkg.json"]],
    ["pkg.f.__code__ = (lambda: 1).__code__", ["pkg.f"]],
    ["type.__setattr__(pkg.Net, 'forward', None)", ["pkg.Net.forward"]],
    ["vars(pkg).pop('Net')", ["pkg.Net"]],
    ["import importlib\nimportlib.import_module('pkg').json = None", ["pkg.json"]],
  ])("%j: %j", (line, replaced) => {
    expect(replacedBy(line)).toEqual(replaced);
  });
});
