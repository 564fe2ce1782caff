import type { Engine } from "../../engine/index.ts";
import type { OtlpSender } from "./otlp-sender.ts";
import { toNano } from "./otlp-spans.ts";
import { type OtlpAttribute, toOtlpAttributes } from "./otlp-values.ts";

/** A metric in OTLP/JSON. */
export type OtlpMetric = Readonly<Record<string, unknown>>;

/** Seconds. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Calls of more tools count together. */
const maxTools = 2_000;

interface Durations {
  readonly attributes: readonly OtlpAttribute[];
  count: number;
  sum: number;
  readonly buckets: number[];
}

/** Sums of the current process since its start. */
const cumulative = 2;

/** Counts the calls of an engine and sends the figures to a collector in an interval. */
export class OtlpMetrics {
  readonly #engine: Engine;
  readonly #sender: OtlpSender<OtlpMetric>;
  readonly #startNano = toNano(Date.now());
  readonly #durations = new Map<string, Durations>();
  readonly #timer: NodeJS.Timeout;
  readonly #unsubscribe: () => void;

  constructor(engine: Engine, sender: OtlpSender<OtlpMetric>, everyMs: number) {
    this.#engine = engine;
    this.#sender = sender;
    this.#unsubscribe = engine.subscribe(
      (event) => {
        if (event.type === "execution_completed") this.#add(event.tool, event.durationMs);
        if (event.type === "execution_failed") this.#add(event.tool, event.durationMs, event.error.code);
      },
      ["execution_completed", "execution_failed"],
    );
    this.#timer = setInterval(() => this.#collect(), everyMs).unref();
  }

  /** Sends the last figures. */
  close(): Promise<void> {
    clearInterval(this.#timer);
    this.#unsubscribe();
    this.#collect();
    return this.#sender.flush();
  }

  #add(name: string, durationMs: number, error?: string): void {
    const tool = this.#durations.has(`${name}\n${error ?? ""}`) || this.#durations.size < maxTools ? name : "other";
    const key = `${tool}\n${error ?? ""}`;
    let durations = this.#durations.get(key);
    if (durations === undefined) {
      const attributes = { "gen_ai.tool.name": tool, ...(error !== undefined && { "error.type": error }) };
      durations = { attributes: toOtlpAttributes(attributes), count: 0, sum: 0, buckets: [...bounds, 0].map(() => 0) };
      this.#durations.set(key, durations);
    }
    const seconds = durationMs / 1000;
    durations.count++;
    durations.sum += seconds;
    const at = bounds.findIndex((bound) => seconds <= bound);
    const bucket = at === -1 ? bounds.length : at;
    durations.buckets[bucket] = (durations.buckets[bucket] ?? 0) + 1;
  }

  #collect(): void {
    const timeUnixNano = toNano(Date.now());
    const times = { startTimeUnixNano: this.#startNano, timeUnixNano };
    const { currentConcurrent, queueLength } = this.#engine.metrics();
    if (this.#durations.size > 0)
      this.#sender.add({
        name: "gen_ai.execute_tool.duration",
        unit: "s",
        description: "Durations of calls of tools.",
        histogram: {
          aggregationTemporality: cumulative,
          dataPoints: [...this.#durations.values()].map(({ attributes, count, sum, buckets }) => ({
            ...times,
            attributes,
            count: String(count),
            sum,
            bucketCounts: buckets.map(String),
            explicitBounds: bounds,
          })),
        },
      });
    for (const [name, value] of [
      ["windlass.calls.running", currentConcurrent],
      ["windlass.calls.queued", queueLength],
    ] as const)
      this.#sender.add({ name, unit: "{call}", gauge: { dataPoints: [{ timeUnixNano, asInt: String(value) }] } });
  }
}
