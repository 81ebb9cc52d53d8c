import { createLogUpdate } from "log-update";
import { cleanText } from "../issue/clean-text.ts";
import type { Progress, Spent } from "../pipeline/run.ts";
import type { Io } from "./io.ts";

export interface Watcher {
  onProgress: (progress: Progress) => void;
  end: () => void;
}

/** Shows the stages as they happen: a live list on a terminal, plain lines elsewhere. */
export function watchProgress(stream: Io["stderr"]): Watcher {
  return stream.isTTY ? liveList(stream) : plainLines(stream);
}

function plainLines(stream: Io["stderr"]): Watcher {
  let last = "";
  const write = (line: string) => {
    if (line !== last) stream.write(`${line}\n`);
    last = line;
  };
  return {
    onProgress(progress) {
      if (progress.type === "stage-started") write(`… ${progress.stage}`);
      else if (progress.type === "note") write(`  ${oneLine(progress.text)}`);
      else write(ended(progress));
    },
    end() {},
  };
}

function liveList(stream: Io["stderr"]): Watcher {
  const update = createLogUpdate(stream, { showCursor: true });
  const done: string[] = [];
  const running: { stage: string; since: number; note: string }[] = [];
  let spent: Spent | null = null;
  const draw = () => {
    const now = performance.now();
    const lines = running.map(
      ({ stage, since, note }) => `… ${stage} ${seconds(now - since)}${note === "" ? "" : `  ${note}`}`,
    );
    const total = spent === null || spent.modelCalls === 0 ? [] : [`  ${tellSpent(spent)}`];
    update([...done, ...lines, ...total].map((line) => line.slice(0, (stream.columns ?? 80) - 1)).join("\n"));
  };
  const timer = setInterval(draw, 200);
  return {
    onProgress(progress) {
      if (progress.type === "stage-started")
        running.push({ stage: progress.stage, since: performance.now(), note: "" });
      else if (progress.type === "note") {
        const current = running.at(-1);
        if (current !== undefined) current.note = oneLine(progress.text);
      } else {
        running.pop();
        done.push(ended(progress));
      }
      if (progress.type !== "note") spent = progress.spent;
      draw();
    },
    end() {
      clearInterval(timer);
      draw();
      update.done();
    },
  };
}

function ended({ stage, durationMs, detail, failed, spent }: Extract<Progress, { type: "stage-ended" }>): string {
  const cost = ["plan", "attempt", "contrast"].includes(stage) && spent.modelCalls > 0 ? `  [${tellSpent(spent)}]` : "";
  return `${failed ? "✗" : "✓"} ${stage} ${seconds(durationMs)}${detail === "" ? "" : `  ${oneLine(detail)}`}${cost}`;
}

/** What a script or an installer wrote, without what a terminal would obey. */
function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ").trim();
}

function tellSpent({ attempts, modelCalls, promptTokens, completionTokens }: Spent): string {
  return `${attempts} attempts, ${modelCalls} model calls, ${promptTokens + completionTokens} tokens so far`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
