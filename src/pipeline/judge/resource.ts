import type { Execution, Judgement, Symptom } from "../../types.ts";
import { no, readObservation, readSeries, toNumber } from "./shared.ts";

type ResourceSymptom = Extract<Symptom, { kind: "resource" }>;

/**
 * Memory: the Theil–Sen slope (the median of all pairwise slopes, which outliers do not move) of the second half of the
 * series reaches the reported bytes a step, the first half being warm-up. Time: the ratio reaches the reported one.
 */
export function judgeResource(execution: Execution, symptom: ResourceSymptom): Judgement {
  return symptom.measure === "memory-growth" ? growth(execution, symptom) : ratio(execution, symptom);
}

function growth(execution: Execution, symptom: ResourceSymptom): Judgement {
  const read = readSeries(execution, symptom.observation, 8);
  if (!("series" in read)) return read;
  const steady = read.series.slice(Math.floor(read.series.length / 2));
  const bytesPerStep = medianSlope(steady);
  const told = `${symptom.observation} grows by ${mebibytes(bytesPerStep)} a step`;
  return bytesPerStep >= symptom.atLeast
    ? { shows: true, evidence: `${told}, at least ${mebibytes(symptom.atLeast)}` }
    : no("ran-clean", `${told}, less than ${mebibytes(symptom.atLeast)}`);
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(2)} MiB`;
}

function ratio(execution: Execution, symptom: ResourceSymptom): Judgement {
  const read = readObservation(execution, symptom.observation);
  if (!("value" in read)) return read;
  const value = toNumber(read.value);
  if (value === null) return no("not-observed", `the observation ${symptom.observation} is not a number`);
  return value >= symptom.atLeast
    ? { shows: true, evidence: `${symptom.observation} is ${value}, at least ${symptom.atLeast}` }
    : no("ran-clean", `${symptom.observation} is ${value}, less than ${symptom.atLeast}`);
}

function medianSlope(series: number[]): number {
  const slopes = series.flatMap((from, i) => series.slice(i + 1).map((to, j) => (to - from) / (j + 1)));
  slopes.sort((a, b) => a - b);
  const middle = slopes.length >> 1;
  const [low, high] = [slopes[slopes.length % 2 === 0 ? middle - 1 : middle], slopes[middle]];
  return low === undefined || high === undefined ? 0 : (low + high) / 2;
}
