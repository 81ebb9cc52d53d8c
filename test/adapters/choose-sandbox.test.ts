import { describe, expect, it } from "vitest";
import { createBubblewrapSandbox } from "../../src/adapters/bubblewrap-sandbox.ts";
import { chooseSandbox } from "../../src/adapters/choose-sandbox.ts";
import { createDockerSandbox } from "../../src/adapters/docker-sandbox.ts";

const docker = await createDockerSandbox().catch(() => null);
const bubblewrap = await createBubblewrapSandbox().catch(() => null);
const NO_ENGINE = "unix:///no/such/docker.sock";

describe("chooseSandbox", () => {
  it.skipIf(docker === null)(
    "takes Docker where it answers (needs a Docker engine with the sandbox image)",
    async () => {
      const { sandbox, notes } = await chooseSandbox({ want: "auto" });

      expect([sandbox.description, notes]).toEqual([docker?.description, []]);
    },
  );

  it.skipIf(bubblewrap === null)(
    "takes bubblewrap where Docker does not, and says why (needs bubblewrap)",
    async () => {
      const { sandbox, notes } = await chooseSandbox({ want: "auto", host: NO_ENGINE });

      expect(sandbox.identity).toBe(bubblewrap?.identity);
      expect(notes).toEqual([expect.stringMatching(/^no Docker engine answers: .*; run: systemctl start docker$/)]);
    },
  );

  it.skipIf(bubblewrap === null)("takes bubblewrap where it is wanted (needs bubblewrap)", async () => {
    const { sandbox, notes } = await chooseSandbox({ want: "bubblewrap" });

    expect([sandbox.identity, notes]).toEqual([bubblewrap?.identity, []]);
  });

  it("takes nothing else where Docker is wanted", async () => {
    await expect(chooseSandbox({ want: "docker", host: NO_ENGINE })).rejects.toThrow(/^no Docker engine answers/);
  });
});
