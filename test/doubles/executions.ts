import type { Environment, Execution, RaisedException } from "../../src/types.ts";

/** An execution that ran to its end in the project's code; `changes` replace its parts. */
export function execution(changes: Partial<Execution> = {}): Execution {
  return {
    seed: 0,
    ending: { how: "completed", exitCode: 0 },
    observed: {},
    unobservable: {},
    warnings: [],
    project: {
      imported: ["toy/model.py"],
      entered: [{ file: "toy/model.py", function: "Model.forward", line: 10 }],
      replaced: [],
    },
    stdout: "",
    stderr: "",
    durationMs: 1000,
    peakMemoryBytes: null,
    ...changes,
  };
}

type RaisedFrame = RaisedException["frames"][number];

export function frame(where: RaisedFrame["in"], changes: Partial<RaisedFrame> = {}): RaisedFrame {
  const files = { script: "script.py", project: "toy/model.py", library: "/lib/torch/nn/functional.py" };
  return { file: files[where], line: 10, function: "forward", code: null, in: where, ...changes };
}

export function raised(changes: Partial<RaisedException> = {}): RaisedException {
  return {
    type: "RuntimeError",
    bases: ["RuntimeError", "Exception", "BaseException"],
    message: "shape '[2, 3, 4]' is invalid for input of size 20",
    frames: [frame("script", { function: "<module>" }), frame("project")],
    ...changes,
  };
}

export function raising(changes: Partial<RaisedException> = {}): Execution {
  return execution({ ending: { how: "exception", chain: [raised(changes)] } });
}

export function environment(changes: Partial<Environment> = {}): Environment {
  return {
    python: "/env/0/bin/python",
    pythonVersion: "3.11.2",
    mounts: [],
    packages: { torch: "2.13.0" },
    substitutions: [],
    pythonPath: ["/project"],
    projectInstalled: true,
    ...changes,
  };
}
