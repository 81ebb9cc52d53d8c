const maxPoints = 80;
const maxLabelChars = 60;
const maxNamedSteps = 5;

/** A line colour that shows on light and on dark pages; Mermaid's own is nearly white. */
const palette = '%%{init: {"themeVariables": {"xyChart": {"plotColorPalette": "#2f81f7"}}}}%%';

/** Characters that mean nothing to Mermaid within quotation marks. */
const notPlain = /[^\p{L}\p{N} _.,:()/+=*^-]/gu;

/**
 * A line chart as GitHub draws it, in Mermaid. Long series are thinned so that their extremes stay. What is not finite
 * cannot be drawn and is told in words below; with fewer than two finite values there are only the words.
 */
export function seriesChart(chart: {
  title: string;
  xLabel: string;
  yLabel: string;
  series: readonly number[];
}): string {
  const first = chart.series.findIndex(Number.isFinite);
  const last = chart.series.findLastIndex(Number.isFinite);
  const remark = tellNotFinite(chart.series, chart.xLabel);
  if (first < 0 || first === last) return remark === "" ? `${plain(chart.title)}: too few values for a chart.` : remark;
  const points = thin(bridge(chart.series.slice(first, last + 1)));
  const exponent = scaleOf(points);
  const scaled = points.map((value) => value / 10 ** exponent);
  const unit = exponent === 0 ? "" : ` (times 10^${exponent})`;
  const lines = [
    "```mermaid",
    palette,
    "xychart-beta",
    `    title "${plain(chart.title) || plain(chart.yLabel) || "Series"}"`,
    `    x-axis "${plain(chart.xLabel) || "step"}" ${first} --> ${last}`,
    `    y-axis "${plain(chart.yLabel) || "value"}${unit}" ${rangeOf(scaled)}`,
    `    line [${scaled.map(decimal).join(", ")}]`,
    "```",
  ];
  return [...lines, ...(remark === "" ? [] : ["", remark])].join("\n");
}

/** A straight line over each gap, so that what follows stays at its place. */
function bridge(series: readonly number[]): number[] {
  const values = [...series];
  let before = 0;
  for (let at = 1; at < values.length; at += 1) {
    const [start, end] = [values[before] ?? 0, values[at] ?? 0];
    if (!Number.isFinite(end)) continue;
    for (let gap = before + 1; gap < at; gap += 1) {
      const share = (gap - before) / (at - before);
      values[gap] = start * (1 - share) + end * share;
    }
    before = at;
  }
  return values;
}

/** The lowest and the highest value of each stretch, in their order. */
function thin(values: readonly number[]): number[] {
  if (values.length <= maxPoints) return [...values];
  const stretches = maxPoints / 2;
  return Array.from({ length: stretches }, (_, index) => {
    const from = Math.floor((index * values.length) / stretches);
    const to = Math.floor(((index + 1) * values.length) / stretches);
    const stretch = values.slice(from, to);
    const [low, high] = [Math.min(...stretch), Math.max(...stretch)];
    return stretch.indexOf(low) <= stretch.lastIndexOf(high) ? [low, high] : [high, low];
  }).flat();
}

/** A power of ten to take out, since Mermaid reads no exponents; 0 where plain numbers do. */
function scaleOf(values: readonly number[]): number {
  const largest = Math.max(...values.map(Math.abs));
  if (largest === 0 || (largest >= 0.01 && largest < 1e6)) return 0;
  return Math.max(-300, Math.floor(Math.log10(largest)));
}

function rangeOf(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = low === high ? Math.max(Math.abs(low) / 2, 0.5) : (high - low) / 20;
  return `${decimal(low - margin)} --> ${decimal(high + margin)}`;
}

function decimal(value: number): string {
  const text = value.toFixed(6).replace(/\.?0+$/, "");
  return text === "-0" ? "0" : text;
}

function tellNotFinite(series: readonly number[], xLabel: string): string {
  const steps = series.flatMap((value, index) => (Number.isFinite(value) ? [] : [{ value, index }]));
  if (steps.length === 0) return "";
  const named = steps.slice(0, maxNamedSteps).map(({ value, index }) => `${index} (${value})`);
  const more = steps.length > named.length ? ` and ${steps.length - named.length} more` : "";
  return `Not finite, so not drawn (a gap is bridged by a straight line): ${plain(xLabel)} ${named.join(", ")}${more}, of ${series.length}.`;
}

function plain(label: string): string {
  return label
    .replace(/\s/g, " ")
    .replace(notPlain, "")
    .replace(/ {2,}/g, " ")
    .trim()
    .slice(0, maxLabelChars)
    .toWellFormed();
}
