import { describe, expect, it } from "vitest";
import { seriesChart } from "../../src/comment/series-chart.ts";

const chart = (series: number[], labels: Partial<{ title: string; xLabel: string; yLabel: string }> = {}): string =>
  seriesChart({ title: "Loss", xLabel: "step", yLabel: "loss", series, ...labels });

const drawn = (text: string): number[] => (/line \[(.*)\]/.exec(text)?.[1] ?? "").split(", ").map(Number);

describe("seriesChart", () => {
  it("draws a line with a title, axes and a range", () => {
    expect(chart([3, 2, 1])).toEqual(
      [
        "```mermaid",
        '%%{init: {"themeVariables": {"xyChart": {"plotColorPalette": "#2f81f7"}}}}%%',
        "xychart-beta",
        '    title "Loss"',
        '    x-axis "step" 0 --> 2',
        '    y-axis "loss" 0.9 --> 3.1',
        "    line [3, 2, 1]",
        "```",
      ].join("\n"),
    );
  });

  it("leaves nothing in a label that could end it or mean something", () => {
    const text = chart([1, 2], { title: 'a" ; %%{init}%% `b`\n```\n<script>#quot;', xLabel: "", yLabel: "ü_1 (%)" });

    expect(text).toContain('title "a init b scriptquot"');
    expect(text).toContain('x-axis "step" 0');
    expect(text).toContain('y-axis "ü_1 ()"');
    expect(text.split("\n")).toHaveLength(8);
  });

  it("thins a long series and keeps its extremes", () => {
    const series = Array.from({ length: 5000 }, (_, index) => Math.sin(index / 100));
    series[1234] = 50;
    series[4321] = -50;

    const points = drawn(chart(series));

    expect(points).toHaveLength(80);
    expect([Math.max(...points), Math.min(...points)]).toEqual([50, -50]);
  });

  it("bridges what is not finite and says so", () => {
    const text = chart([Number.NaN, 4, Number.POSITIVE_INFINITY, 2, 1, Number.NaN]);

    expect(text).toContain('x-axis "step" 1 --> 4');
    expect(drawn(text)).toEqual([4, 3, 2, 1]);
    expect(text.split("\n").at(-1)).toEqual(
      "Not finite, so not drawn (a gap is bridged by a straight line): step 0 (NaN), 2 (Infinity), 5 (NaN), of 6.",
    );
  });

  it("counts the steps that it does not name", () => {
    const text = chart([1, 2, ...Array.from({ length: 8 }, () => Number.NaN)]);

    expect(text).toContain("step 2 (NaN), 3 (NaN), 4 (NaN), 5 (NaN), 6 (NaN) and 3 more, of 10.");
  });

  it("says in words what cannot be drawn at all", () => {
    expect(chart([Number.NaN, Number.NaN])).toEqual(
      "Not finite, so not drawn (a gap is bridged by a straight line): step 0 (NaN), 1 (NaN), of 2.",
    );
    expect(chart([1])).toEqual("Loss: too few values for a chart.");
    expect(chart([])).toEqual("Loss: too few values for a chart.");
  });

  it.each([
    [[1e9, 2e9], 'y-axis "loss (times 10^9)" 0.95 --> 2.05', [1, 2]],
    [[1e-9, 3e-9], 'y-axis "loss (times 10^-9)" 0.9 --> 3.1', [1, 3]],
    [[0.5, 0.5], 'y-axis "loss" 0 --> 1', [0.5, 0.5]],
    [[0, 0], 'y-axis "loss" -0.5 --> 0.5', [0, 0]],
    [[-1.7e308, 1.7e308], 'y-axis "loss (times 10^308)" -1.87 --> 1.87', [-1.7, 1.7]],
  ])("writes %j without exponents", (series, axis, points) => {
    const text = chart(series);

    expect(text).toContain(axis);
    expect(drawn(text)).toEqual(points);
  });
});
