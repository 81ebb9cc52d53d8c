import { type Execution, type Judgement, type Symptom, trendWords } from "../../types.ts";
import { no, readSeries } from "./shared.ts";

type MetricSymptom = Extract<Symptom, { kind: "metric" }>;

/** Fewer steps than this say nothing about a trend. */
const leastSteps = 8;
/** A mean that moves by less than this share of its size has not moved. */
const noticeable = 0.05;

/**
 * The series goes wrong the reported way, its first quarter's mean against its last quarter's:
 * not falling or not rising by 5 % of the first; diverging to more than twice the first, or to what is not finite;
 * stuck within 1 % of its size, first to last and everywhere.
 */
export function judgeMetric(execution: Execution, symptom: MetricSymptom): Judgement {
  const read = readSeries(execution, symptom.observation, leastSteps);
  if (!("series" in read)) return read;
  const { series } = read;
  const quarter = Math.max(2, Math.floor(series.length / 4));
  const [first, last] = [mean(series.slice(0, quarter)), mean(series.slice(-quarter))];
  if (symptom.trend !== "stuck" && Math.abs(first) < Number.EPSILON) {
    return no("not-observed", `${symptom.observation} starts at zero, which leaves nothing to compare with`);
  }
  const told = `${symptom.observation} goes from ${short(first)} to ${short(last)} over ${series.length} steps`;
  return goesWrong(symptom.trend, series, { first, last })
    ? { shows: true, evidence: `${told}: it ${trendWords[symptom.trend]}` }
    : no("ran-clean", told);
}

function goesWrong(trend: MetricSymptom["trend"], series: number[], ends: { first: number; last: number }): boolean {
  const { first, last } = ends;
  const finite = series.every(Number.isFinite);
  const size = Math.max(Math.abs(first), Number.EPSILON);
  switch (trend) {
    case "not-falling":
      return !finite || last > first - noticeable * size;
    case "not-rising":
      return !finite || last < first + noticeable * size;
    case "diverging":
      return !finite || Math.abs(last) > 2 * size;
    case "stuck":
      return finite && Math.max(...series) - Math.min(...series) <= 0.01 * size;
  }
}

function mean(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function short(number: number): string {
  return Number.isFinite(number) ? String(Number(number.toPrecision(4))) : String(number);
}
