import { describe, expect, it } from "vitest";
import type { ProjectRequirements } from "../../src/environment/project-requirements.ts";
import { fitToBase, unlikeReported } from "../../src/environment/substitutions.ts";

const requirement = (text: string, installed: string | null, satisfied: boolean) => ({
  text,
  name: /^[a-z0-9-]+/.exec(text)?.[0] ?? text,
  extras: [],
  installed,
  satisfied,
});

function reading(requirements: ProjectRequirements["requirements"]): ProjectRequirements {
  return {
    name: null,
    packaged: false,
    requiresPython: null,
    supportedPythons: [],
    buildRequirements: [],
    requirements,
    leftOut: [],
    sourceFolder: null,
  };
}

describe("fitToBase", () => {
  it("asks pip for what the base does not satisfy", () => {
    const read = reading([
      requirement("einops", null, false),
      requirement("numpy>=1.20", "2.4.6", true),
      requirement("sympy<1.5", "1.14.0", false),
    ]);

    expect(fitToBase(read, null)).toEqual({ requirements: ["einops", "sympy<1.5"], substitutions: [] });
  });

  it("never asks pip for torch and says so when the project wants another one", () => {
    const satisfied = fitToBase(reading([requirement("torch>=2.0", "2.13.0+cpu", true)]), null);
    const pinned = fitToBase(reading([requirement("torch==1.4.0", "2.13.0+cpu", false)]), null);

    expect(satisfied).toEqual({ requirements: [], substitutions: [] });
    expect(pinned).toEqual({
      requirements: [],
      substitutions: [
        { wanted: "torch==1.4.0", got: "torch 2.13.0+cpu", reason: "environments share one build of torch" },
      ],
    });
  });

  it("takes torchvision only from the index that torch came from", () => {
    const read = reading([requirement("torchvision==0.3", null, false)]);

    expect(fitToBase(read, "https://download.pytorch.org/whl/cpu").requirements).toEqual(["torchvision"]);
    expect(fitToBase(read, null)).toEqual({
      requirements: [],
      substitutions: [
        {
          wanted: "torchvision==0.3",
          got: "not installed",
          reason: "no build of it that fits the installed torch can be had",
        },
      ],
    });
  });

  it("tells what the reading left out", () => {
    const read = { ...reading([]), leftOut: [{ text: "git+https://host/x", reason: "only registries" }] };

    expect(fitToBase(read, null).substitutions).toEqual([
      { wanted: "git+https://host/x", got: "left out", reason: "only registries" },
    ]);
  });
});

describe("unlikeReported", () => {
  it("tells versions that differ as far as both are written, builds aside", () => {
    const installed = { torch: "2.13.0+cpu", numpy: "2.4.6", python: "3.11.7", einops: "0.8.2" };

    const differing = unlikeReported(
      { torch: "2.13.0+cu118", numpy: "1.26.4", python: "3.11", einops: "v0.8.2", cuda: "11.8" },
      installed,
    );

    expect(differing).toEqual([
      { wanted: "numpy 1.26.4", got: "numpy 2.4.6", reason: "reported with another version" },
    ]);
  });
});
