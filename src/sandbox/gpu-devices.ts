import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { SandboxFault } from "../errors.ts";

const DRIVER = "/proc/driver/nvidia/gpus";
const SHARED_DEVICES = ["nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset"];

/**
 * Device nodes of NVIDIA GPUs given by UUID or index, with those that all of them share; empty for no GPUs.
 * @throws {SandboxFault} there is no such GPU.
 */
export async function gpuDevices(gpus: readonly string[]): Promise<string[]> {
  if (gpus.length === 0) return [];
  const minors = await minorNumbers();
  const present = new Set(await readdir("/dev"));
  const names = gpus.map((gpu) => `nvidia${minors.get(gpu) ?? gpu}`);
  const missing = names.find((name) => !/^nvidia\d+$/.test(name) || !present.has(name));
  if (missing !== undefined) throw new SandboxFault(`no GPU /dev/${missing} on this host`, { retryable: false });
  return [...names, ...SHARED_DEVICES.filter((name) => present.has(name))].map((name) => join("/dev", name));
}

/** UUID → number of the device node. */
async function minorNumbers(): Promise<Map<string, string>> {
  const folders = await readdir(DRIVER).catch(() => []);
  const texts = await Promise.all(folders.map((folder) => readFile(join(DRIVER, folder, "information"), "utf8")));
  return new Map(texts.map((text) => [field(text, "GPU UUID"), field(text, "Device Minor")]));
}

function field(text: string, name: string): string {
  return new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(text)?.[1] ?? "";
}
