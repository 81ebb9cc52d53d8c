import { describe, expect, it } from "vitest";
import { resolveName } from "../../src/pipeline/resolve-name.ts";
import { makeIndexed } from "./make-index.ts";

const FILES = {
  "src/pkg/__init__.py":
    "from .layers import (\n    Layer,  # the layer\n    Inner as Outer,\n)\nfrom .sub import thing, \\\n    other\n",
  "src/pkg/layers.py":
    "class Layer:\n    def method(self): pass\n\nclass Inner: pass\n\nclass Hidden: pass\n\ndef twice(): pass\n",
  "src/pkg/sub/__init__.py": "from pkg.sub.deep import deep\n",
  "src/pkg/sub/deep.py": "def deep(): pass\ndef twice(): pass\n",
  "tests/helpers.py": "class Helper: pass\n",
};

describe("resolveName", () => {
  it.each([
    ["Layer", { module: "pkg", name: "Layer" }],
    ["Outer", { module: "pkg", name: "Outer" }],
    ["other", { module: "pkg", name: "other" }],
    ["deep", { module: "pkg.sub", name: "deep" }],
    ["Hidden", { module: "pkg.layers", name: "Hidden" }],
    ["twice", null],
    ["method", null],
    ["Helper", null],
    ["unknown", null],
    ["x; import os", null],
  ])("resolves %s", async (name, resolved) => {
    const { index, key } = await makeIndexed(FILES);

    expect(await resolveName(name, key, { index })).toEqual(resolved);
  });
});
