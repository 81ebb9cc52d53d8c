import { expect, it } from "vitest";
import { neighbouringScripts } from "../../src/pipeline/neighbouring-scripts.ts";
import type { Sandbox } from "../../src/ports/sandbox.ts";
import type { Report, Symptom } from "../../src/types.ts";
import { report, trialAt } from "../doubles/trials.ts";
import { describeInBubblewrap, makePlace } from "./host-sandbox.ts";
import { readOf } from "./make-index.ts";

const { signal } = new AbortController();

async function neighbours(sandbox: Sandbox, source: string, about: Report, symptom?: Symptom) {
  await using place = await makePlace({});
  const trial = trialAt(place, symptom === undefined ? {} : { symptom });
  return await neighbouringScripts({ source, report: about, trial }, { sandbox }, signal);
}

/** A report with this title, and a body of this prose around this code. */
function reportOf(title: string, prose = "", code = "") {
  const codeBlocks = [{ language: "python", text: code, startLine: 2 }];
  const sections = [{ heading: "", text: `${prose}\n\`\`\`python\n${code}\n\`\`\`` }];
  return report({ title, read: readOf({ codeBlocks, sections }) });
}

describeInBubblewrap("neighbouringScripts", (sandbox) => {
  it("leaves out, one at a time, the arguments that the prose names", async () => {
    const source = "import toy\ntoy.Net(dim=3, causal=True, heads=2).run(mask=None)\n";
    const about = reportOf("Fails with causal", "Only when `mask` is given.", source);

    expect(await neighbours(sandbox, source, about)).toEqual([
      {
        description: "without causal in toy.Net(…)",
        source: "import toy\ntoy.Net(dim=3, heads=2).run(mask=None)\n",
      },
      {
        description: "without mask in toy.Net(dim=3, causal=True, heads=2).run(…)",
        source: "import toy\ntoy.Net(dim=3, causal=True, heads=2).run()\n",
      },
    ]);
  });

  it("takes nothing from the report's code for prose", async () => {
    const source = "import toy\ntoy.Net(causal=True)\n";

    expect(await neighbours(sandbox, source, reportOf("It fails", "See below.", source))).toEqual([]);
  });

  it("cuts at the right place on lines with text that is not ASCII, and over several lines", async () => {
    const source =
      'import toy\ntoy.Net("größe 你好😀", causal=True, b=1)\ntoy.Net(\n    "ß",\n    causal="ä",\n    b=1,\n)\n';

    expect((await neighbours(sandbox, source, reportOf("causal"))).map((each) => each.source)).toEqual([
      source.replace("causal=True, ", ""),
      source.replace('causal="ä",\n    ', ""),
    ]);
  });

  it("makes four scripts at most", async () => {
    const source = `import toy\n${"toy.Net(causal=True)\n".repeat(9)}`;

    expect(await neighbours(sandbox, source, reportOf("causal"))).toHaveLength(4);
  });

  it("has none for a silent symptom, which could go away with what is observed", async () => {
    const source = "import toy\ntoy.Net(causal=True)\n";
    const symptom: Symptom = { kind: "not-finite", observation: "loss" };

    expect(await neighbours(sandbox, source, reportOf("causal"), symptom)).toEqual([]);
  });
});
