import { describe, expect, it } from "vitest";
import { cleanLog, describeProgress, failureReason } from "../../src/environment/pip-output.ts";

describe("describeProgress", () => {
  it.each([
    ["Collecting einops>=0.6\n", "einops>=0.6: looking for a release"],
    [
      "Collecting torch\n  Downloading https://host/a/torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl (191.8 MB)\n",
      "torch 2.13.0: downloading 191.8 MB",
    ],
    ["Downloading einops-0.8.2-py3-none-any.whl (65 kB)\n", "einops 0.8.2: downloading 65 kB"],
    ["Progress 50000000 of 191800000\nProgress 60000000 of 191800000\n", "downloading: 60 of 192 MB"],
    ["Progress 10 of 65000\n", null],
    ["  Building wheel for foo (pyproject.toml): started\n", "foo: building"],
    ["Installing collected packages: a, b\n", "installing a, b"],
    ["Installing collected packages: a, b, c, d, e\n", "installing 5 packages"],
    ["Requirement already satisfied: numpy\n", null],
  ])("tells of %j: %s", (output, described) => {
    expect(describeProgress(output)).toBe(described);
  });
});

describe("failureReason", () => {
  it.each([
    [
      "a name that no index has",
      "ERROR: Could not find a version that satisfies the requirement nope>=1 (from versions: none)\n" +
        "ERROR: No matching distribution found for nope>=1\n",
      "No matching distribution found for nope>=1",
    ],
    [
      "an index that does not answer",
      "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(…)': /simple/einops/\n" +
        "ERROR: Could not find a version that satisfies the requirement einops (from versions: none)\n" +
        "ERROR: No matching distribution found for einops\n",
      "the package index could not be reached (No matching distribution found for einops)",
    ],
    [
      "a conflict",
      "ERROR: Cannot install a==1 and b==2 because these package versions have conflicting dependencies.\n" +
        "ERROR: ResolutionImpossible: for help visit https://pip.pypa.io\n",
      "Cannot install a==1 and b==2 because these package versions have conflicting dependencies",
    ],
    [
      "a package whose setup.py raises",
      "  × Getting requirements to build wheel did not run successfully.\n      Traceback (most recent call last):\n" +
        "      ModuleNotFoundError: No module named 'torch'\n      [end of output]\n" +
        "ERROR: Failed to build 'apex' when getting requirements to build wheel\n",
      "Failed to build 'apex' when getting requirements to build wheel: ModuleNotFoundError: No module named 'torch'",
    ],
    [
      "an exception of pip itself",
      "ERROR: Exception:\nTraceback (most recent call last):\ntomllib.TOMLDecodeError: Expected ']' (at line 1)\n",
      "tomllib.TOMLDecodeError: Expected ']' (at line 1)",
    ],
    ["nothing", "", "pip failed without saying why"],
  ])("names the cause for %s", (_, output, reason) => {
    expect(failureReason(output)).toBe(reason);
  });

  it("holds no credentials", () => {
    const output = "ERROR: Could not install packages due to an OSError: https://me:pw@host/x refused\n";

    expect(failureReason(output)).toBe("Could not install packages due to an OSError: https://host/x refused");
  });
});

describe("cleanLog", () => {
  it("leaves out credentials and the progress of downloads", () => {
    expect(cleanLog("Looking in indexes: https://u:p@host/simple\nProgress 1 of 2\nDone\n")).toBe(
      "Looking in indexes: https://host/simple\nDone\n",
    );
  });
});
