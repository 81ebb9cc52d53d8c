import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Counters } from "../bot/counters.ts";

/** Figures in Prometheus's format. */
export interface PrometheusCounters extends Counters {
  metrics(): Promise<{ contentType: string; text: string }>;
  /** Measured when the figures are asked for: queue → jobs that wait. */
  queueDepth(depths: () => Promise<Record<string, number>>): void;
}

const stageBuckets = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800];

export function createPrometheusCounters(): PrometheusCounters {
  const registers = [new Registry()];
  const [registry = new Registry()] = registers;
  collectDefaultMetrics({ register: registry });
  const deliveries = new Counter({
    name: "repgen_deliveries_total",
    help: "Webhook deliveries received",
    labelNames: ["event", "result"],
    registers,
  });
  const started = new Counter({
    name: "repgen_runs_started_total",
    help: "Runs asked for, by what asked",
    labelNames: ["trigger"],
    registers,
  });
  const ended = new Counter({
    name: "repgen_runs_ended_total",
    help: "Runs told, by verdict",
    labelNames: ["verdict"],
    registers,
  });
  const tokens = new Counter({ name: "repgen_tokens_total", help: "Tokens of language models", registers });
  const gpuSeconds = new Counter({ name: "repgen_gpu_seconds_total", help: "Seconds that runs held GPUs", registers });
  const stages = new Histogram({
    name: "repgen_stage_seconds",
    help: "Time of the stages of runs",
    labelNames: ["stage"],
    buckets: stageBuckets,
    registers,
  });
  const faults = new Counter({
    name: "repgen_faults_total",
    help: "Jobs given up or tried again for a fault of ours",
    labelNames: ["job"],
    registers,
  });
  return {
    delivery: (event, result) => deliveries.inc({ event, result }),
    runStarted: (trigger) => started.inc({ trigger }),
    runEnded(verdict, spent) {
      ended.inc({ verdict });
      tokens.inc(spent.tokens);
      gpuSeconds.inc(spent.gpuSeconds);
    },
    stage: (stage, durationMs) => stages.observe({ stage }, durationMs / 1000),
    fault: (job) => faults.inc({ job }),
    async metrics() {
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
    queueDepth(depths) {
      new Gauge({
        name: "repgen_queue_depth",
        help: "Jobs that wait",
        labelNames: ["job"],
        registers,
        async collect() {
          for (const [job, depth] of Object.entries(await depths())) this.set({ job }, depth);
        },
      });
    },
  };
}
