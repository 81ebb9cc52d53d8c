import { describe, expect, it } from "vitest";
import { usablePythons } from "../../src/environment/choose-python.ts";

const python = (version: string) => ({ path: `/usr/bin/python${version}`, version, mounts: [] });

describe("usablePythons", () => {
  it("puts the versions that most packages support first and leaves out unknown ones", () => {
    const pythons = ["3.14.0", "3.13.1", "3.12.1", "3.11.9", "3.11.2", "3.10.4", "3.9.1", "3.8.18", "3.7.16"].map(
      python,
    );

    const versions = usablePythons(pythons).map(({ version }) => version);

    expect(versions).toEqual(["3.11.9", "3.11.2", "3.12.1", "3.10.4", "3.13.1", "3.9.1", "3.8.18"]);
  });
});
