import type { WireValue } from "../../api/index.ts";
import type { Engine } from "../../engine/index.ts";

/** Slots and queues now. */
export function metricsOf(engine: Pick<Engine, "metrics" | "bucketMetrics">): WireValue<"Metrics"> {
  const { currentConcurrent, queueLength, totalRejected, totalTimeout } = engine.metrics();
  return {
    running: currentConcurrent,
    queued: queueLength,
    rejected: totalRejected,
    timed_out: totalTimeout,
    buckets: engine.bucketMetrics(),
  };
}
