import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hasRedis } from "../doubles/redis-server.ts";
import { botComments, issueOf, repository, settled, startStage, until, workScripted } from "./support.ts";

describe.skipIf(!hasRedis)("what triggers a run, and what does not (needs redis-server)", { timeout: 60_000 }, () => {
  it("answers a maintainer's label with one comment that becomes the result, and labels", async () => {
    const stage = await startStage();
    const { runs } = workScripted(stage, () => ({
      verdict: "reproduced",
      reason: "The symptom shows in 3 of 3 runs.",
    }));

    await stage.github.act.label({ repository, number: 1, label: "needs-repro", by: "mia" });
    await until("the result is told", () => botComments(stage).some((body) => body.includes("### Reproduced")));
    await until("labels follow", () => !issueOf(stage).labels.includes("needs-repro"));

    expect(botComments(stage)).toHaveLength(1);
    expect(issueOf(stage).reactions.map(({ content }) => content)).toEqual(["eyes"]);
    expect(issueOf(stage).labels).toEqual(["repro: reproduced"]);
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({
      issue: { title: "Loss grows", body: "It grows from 1.2 to 500." },
      runs: 3,
      gpu: false,
    });
    expect(stage.github.violations).toEqual([]);
  });

  it("does nothing for a label of somebody who may only triage, of a bot, or with another name", async () => {
    const stage = await startStage();
    const { runs } = workScripted(stage, () => ({}));
    const { act } = stage.github;

    await act.label({ repository, number: 1, label: "bug", by: "mia" });
    await act.unlabel({ repository, number: 1, label: "bug", by: "mia" });
    await act.label({ repository, number: 1, label: "needs-repro", by: "tom" });
    await act.unlabel({ repository, number: 1, label: "needs-repro", by: "tom" });
    stage.github.state.users["other[bot]"] = { id: 77, type: "Bot" };
    await act.label({ repository, number: 1, label: "needs-repro", by: "other[bot]" });
    await settled(stage);

    expect(runs).toEqual([]);
    expect(issueOf(stage)).toMatchObject({ comments: [], reactions: [] });
  });

  it("refuses a command with a reaction and nothing else", async () => {
    const stage = await startStage();
    const { runs } = workScripted(stage, () => ({}));

    for (const body of ["/repro", "/repro cancel", "/repro retry", "/repro nonsense"]) {
      await stage.github.act.comment({ repository, number: 1, body, by: "tom" });
    }
    await stage.github.act.comment({ repository, number: 1, body: "/repro", by: "rob" });
    await settled(stage);

    expect(runs).toEqual([]);
    expect(botComments(stage)).toEqual([]);
    expect(issueOf(stage).comments.map(({ reactions }) => reactions.map(({ content }) => content))).toEqual(
      Array.from({ length: 5 }, () => ["confused"]),
    );
  });

  it("fails closed when GitHub does not say who may", async () => {
    const stage = await startStage();
    const { runs } = workScripted(stage, () => ({}));
    stage.github.failNext({ path: /permission$/ }, { status: 404, body: { message: "Not Found" } });

    await stage.github.act.comment({ repository, number: 1, body: "/repro", by: "mia" });
    await settled(stage);

    expect(runs).toEqual([]);
    expect(issueOf(stage).comments[0]?.reactions).toMatchObject([{ content: "confused" }]);
  });

  it("takes the options of a command over the repository's settings, and those over its own", async () => {
    const settings =
      'python: "3.11"\npackages: [einops]\nruns: 5\nbudgets: { tokens: 1000, minutes: 1 }\ntest: pytest -q\n';
    const stage = await startStage({ files: { ".github/repgen.yml": settings } });
    const { runs } = workScripted(stage, () => ({}));

    await stage.github.act.comment({
      repository,
      number: 1,
      body: '/repro --ref v1.2 --with timm==1.0.9 --runs 2 --hint "with dropout"',
      by: "mia",
    });
    await until("it runs", () => runs.length === 1);

    expect(runs[0]).toMatchObject({
      ref: "v1.2",
      python: "3.11",
      withPackages: ["einops", "timm==1.0.9"],
      runs: 2,
      hint: "with dropout",
      test: "pytest -q",
      limits: { maxTokens: 1000, maxDurationMs: 60_000 },
      trigger: { kind: "command", by: "mia" },
    });
  });

  it("answers wrong settings once, with the line, and runs nothing", async () => {
    const stage = await startStage({ files: { ".github/repgen.yml": "runs: 3\nrun: 4\n" } });
    const { runs } = workScripted(stage, () => ({}));

    await stage.github.act.comment({ repository, number: 1, body: "/repro", by: "mia" });
    await stage.github.act.label({ repository, number: 1, label: "needs-repro", by: "mia" });
    await settled(stage);

    expect(runs).toEqual([]);
    expect(botComments(stage)).toEqual([expect.stringContaining("line 2: run: there is no such setting")]);
  });

  it("answers help, a command that is not understood, and a status without a run", async () => {
    const stage = await startStage();

    await stage.github.act.comment({ repository, number: 1, body: "/repro help", by: "rob" });
    await stage.github.act.comment({ repository, number: 1, body: "/repro --fast", by: "mia" });
    await stage.github.act.comment({ repository, number: 1, body: "/repro status", by: "rob" });
    await settled(stage);

    const comments = botComments(stage).join("\n");
    expect(comments).toContain("/repro retry");
    expect(comments).toContain("there is no --fast");
    expect(comments).toContain("No run is under way here.");
    expect(comments).not.toContain("undefined");
  });

  it("tells of wrong settings where somebody else wrote what the App would find its comment by", async () => {
    const file = "run: 4\n";
    const stage = await startStage({ files: { ".github/repgen.yml": file } });
    const sha = createHash("sha1").update(`blob ${file.length}\0${file}`).digest("hex");

    await stage.github.act.comment({ repository, number: 1, body: `<!-- repgen:settings:${sha} -->`, by: "eve" });
    await stage.github.act.comment({ repository, number: 1, body: "/repro", by: "mia" });
    await settled(stage);

    expect(botComments(stage)).toEqual([expect.stringContaining(sha)]);
  });

  it("says of settings that GitHub does not give that they are too long", async () => {
    const stage = await startStage({ files: { ".github/repgen.yml": `# ${"a".repeat(1_100_000)}\n` } });
    const { runs } = workScripted(stage, () => ({}));

    await stage.github.act.comment({ repository, number: 1, body: "/repro", by: "mia" });
    await settled(stage);

    expect(runs).toEqual([]);
    expect(botComments(stage)).toEqual([expect.stringContaining("the file is longer than 64 KiB")]);
  });

  it("takes the models that its operator names, and no other", async () => {
    const env = { OPENAI_API_KEY: "key", OPENAI_MODEL: "small", REPGEN_MODELS: "large, larger" };
    const stage = await startStage({ env });
    const { runs } = workScripted(stage, () => ({}));
    const { act } = stage.github;

    await act.comment({ repository, number: 1, body: "/repro --model huge", by: "mia" });
    await until("it is answered", () => botComments(stage).length === 1);
    await act.comment({ repository, number: 1, body: "/repro --model large", by: "mia" });
    await until("it runs", () => runs.length === 1);

    expect(botComments(stage)[0]).toContain("there is no model huge here; there are small, large, larger");
    expect(runs[0]?.model).toBe("large");
  });

  it("tells a second trigger what the run under way is at, and runs once", async () => {
    const stage = await startStage();
    const ended = Promise.withResolvers<{ verdict: "flaky" }>();
    const { runs } = workScripted(stage, () => ended.promise);

    await stage.github.act.label({ repository, number: 1, label: "needs-repro", by: "mia" });
    await until("it runs", () => runs.length === 1);
    await stage.github.act.comment({ repository, number: 1, body: "/repro", by: "ada" });
    await until("the second is answered", () => botComments(stage).length === 2);
    ended.resolve({ verdict: "flaky" });
    await until("it is told", () => issueOf(stage).labels.includes("repro: flaky"));

    expect(runs).toHaveLength(1);
    expect(botComments(stage)[1]).toContain("A run has been asked for");
    expect(botComments(stage)[0]).toContain("### Reproduced in some runs");
  });

  it("handles a delivery once, however often it comes", async () => {
    const stage = await startStage();
    const { runs } = workScripted(stage, () => ({ verdict: "reproduced" }));

    const { guid } = await stage.github.act.label({ repository, number: 1, label: "needs-repro", by: "mia" });
    await Promise.all([stage.github.redeliver(guid), stage.github.redeliver(guid)]);
    await until("it is told", () => issueOf(stage).labels.includes("repro: reproduced"));
    await stage.github.redeliver(guid);
    await settled(stage);

    expect(runs).toHaveLength(1);
    expect(botComments(stage)).toHaveLength(1);
  });

  it("refuses what GitHub has not signed", async () => {
    const stage = await startStage();

    const answers = await Promise.all(
      ["sha256=00", undefined].map((signature) =>
        fetch(`${stage.address}/api/github/webhooks`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "x-github-event": "issues",
            "x-github-delivery": "0",
            ...(signature === undefined ? {} : { "x-hub-signature-256": signature }),
          },
          body: "{}",
        }),
      ),
    );

    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
  });
});
