import { readFileSync } from "node:fs";
import { Probot } from "probot";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createApp } from "../src/app.ts";

describe("app.yml", () => {
  it("asks for the events that the application listens to, and no others", async () => {
    const probot = new Probot({ appId: 1, privateKey: "-", secret: "-" });
    const heard: string[] = [];
    probot.on = (events: string | string[]) => void heard.push(...[events].flat());
    const application = createApp({} as Parameters<typeof createApp>[0]);

    await application(probot, { cwd: ".", addHandler: () => {} });

    const { default_events: events } = parse(readFileSync(new URL("../app.yml", import.meta.url), "utf8"));
    expect(new Set(heard.map((name) => name.split(".")[0]))).toEqual(new Set(events));
    expect(heard.toSorted()).toEqual(["issue_comment.created", "issues.edited", "issues.labeled"]);
  });
});
