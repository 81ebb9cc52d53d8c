import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BASE_TIMEOUT_MS,
  createDesk,
  type Desk,
  hasBubblewrap,
  planned,
  restructured,
  startEndpoint,
  startModel,
  wordyReport,
  writeToy,
} from "./support.ts";

describe.skipIf(!hasBubblewrap)("a run whose model is of no use (needs bubblewrap)", { timeout: 60_000 }, () => {
  let desk: Desk;
  let runs = 0;
  beforeAll(async () => {
    desk = await createDesk();
    await writeToy(desk, "return 2 * value + 1", wordyReport);
  }, BASE_TIMEOUT_MS);
  afterAll(() => desk[Symbol.asyncDispose]());

  async function run(env: Record<string, string>, more: string[] = []) {
    const out = `out-${++runs}`;
    const argv = ["reproduce", "issue.md", "--repo", "toy-project", "--out", out, ...more];
    const { status, stderr } = await desk.repgen(argv, { env });
    const outcome = desk.outcome(out);
    const { events } = JSON.parse(desk.read(`${out}/trajectory.json`));
    return { status, stderr, outcome, events };
  }

  it("says that an endpoint cannot be reached", async () => {
    const gone = await startEndpoint(() => {});
    await gone[Symbol.asyncDispose]();

    const { status, outcome, events } = await run(gone.env);

    expect(status).toBe(1);
    expect(outcome).toMatchObject({
      verdict: "failed",
      reason: `The model endpoint ${gone.url}/v1 cannot be reached. Is OPENAI_BASE_URL right and the server up?`,
    });
    expect(events[0]).toMatchObject({ event: "model-call", stage: "restructure", reply: null, error: outcome.reason });
  });

  it("names the setting when an endpoint is slow", async () => {
    await using slow = await startEndpoint(() => {});

    const { outcome } = await run({ ...slow.env, REPGEN_MODEL_TIMEOUT_SECONDS: "0.2" });

    expect(outcome).toMatchObject({
      verdict: "failed",
      reason: `The model endpoint ${slow.url}/v1 gave no answer within 0.2 s. Set REPGEN_MODEL_TIMEOUT_SECONDS higher for a slow model.`,
    });
  });

  it.each([
    { answer: 429, text: '{"error":{"message":"rate limit reached"}}', says: "rate limit reached" },
    { answer: 500, text: '{"error":{"message":"out of memory"}}', says: "out of memory" },
    { answer: 401, text: '{"error":{"message":"wrong key"}}', says: "Is OPENAI_API_KEY right?" },
    { answer: 404, text: '{"error":{"message":"no model"}}', says: "Does it serve the model small-model?" },
    { answer: 200, text: '{"choices": [{"mess', says: "not a chat completion" },
    { answer: 200, text: "", says: "not a chat completion" },
    { answer: 200, text: '{"choices":[{"message":{"content":""}}]}', says: "answered twice with nothing" },
  ])("tells what an endpoint that answers $answer $text for ever says", async ({ answer, text, says }) => {
    await using endpoint = await startEndpoint((response) => {
      response.writeHead(answer, { "content-type": "application/json", "retry-after-ms": "1" }).end(text);
    });

    const { status, outcome } = await run(endpoint.env);

    expect(status).toBe(1);
    expect(outcome).toMatchObject({ verdict: "failed", reason: expect.stringContaining(says) });
    expect(outcome.reason).toContain(says.startsWith("answered") ? "small-model" : `${endpoint.url}/v1`);
  });

  it("gives up on a model that never writes what it is asked for", async () => {
    await using model = await startModel(["I am afraid that I can't do that."]);

    const { status, outcome } = await run(model.env);

    expect({ status, calls: model.bodies.length }).toEqual({ status: 1, calls: 3 });
    expect(outcome).toMatchObject({
      verdict: "failed",
      reason: "The model small-model gave no usable restructure in 3 answers: there is no JSON object in the answer.",
    });
  });

  it("gives up on a model that writes prose for code", async () => {
    await using model = await startModel([restructured, planned, "First, one has to think about the function."]);

    const { status, outcome } = await run(model.env, ["--attempts", "2"]);

    expect({ status, calls: model.bodies.length }).toEqual({ status: 1, calls: 4 });
    expect(outcome).toMatchObject({ verdict: "failed", reason: "No script could be run.", script: null });
  });

  it("tries a script that comes again only once", async () => {
    const script = '```python\nfrom toy import double\ndouble(2)\nobserved = {"result": 4}\n```';
    await using model = await startModel([restructured, planned, script]);

    const { status, outcome } = await run(model.env, ["--attempts", "3"]);

    expect({ status, calls: model.bodies.length }).toEqual({ status: 3, calls: 5 });
    expect(outcome).toMatchObject({ spent: { attempts: 1, modelCalls: 5 } });
    expect(outcome.verdict).not.toBe("reproduced");
    expect(model.bodies.at(-1)).toContain("Your last answer was script 1 again.");
  });

  it("asks nothing that the tokens do not suffice for", async () => {
    await using model = await startModel([restructured]);

    const { status, outcome } = await run({ ...model.env, REPGEN_MAX_TOKENS: "1000" });

    expect({ status, calls: model.bodies.length }).toEqual({ status: 3, calls: 0 });
    expect(outcome).toMatchObject({ verdict: "budget-exhausted", reason: expect.stringContaining("of 1000") });
  });
});
