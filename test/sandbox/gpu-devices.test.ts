import { describe, expect, it } from "vitest";
import { SandboxFault } from "../../src/errors.ts";
import { gpuDevices } from "../../src/sandbox/gpu-devices.ts";

describe("gpuDevices", () => {
  it("is empty for no GPUs", async () => {
    expect(await gpuDevices([])).toEqual([]);
  });

  it.each(["99", "GPU-none", "../../sda"])("is a fault for %s, which is not there", async (gpu) => {
    await expect(gpuDevices([gpu])).rejects.toThrow(SandboxFault);
  });
});
