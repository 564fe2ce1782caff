import type { Bucket } from "./bucket.ts";

/** Metrics of admission as a whole. */
export interface ConcurrencyMetrics {
  readonly currentConcurrent: number;
  readonly queueLength: number;
  readonly totalAcquired: number;
  readonly totalReleased: number;
  readonly totalRejected: number;
  readonly totalTimeout: number;
  readonly totalCancelled: number;
  /** Chain steps, which bypass the global limit and its queue. */
  readonly totalBypassed: number;
  readonly averageExecutionMs: number;
  readonly averageWaitMs: number;
}

/** Metrics of one category. */
export interface BucketMetrics {
  readonly current: number;
  /** Null means no limit. */
  readonly limit: number | null;
  readonly queue: number;
  readonly totalAcquired: number;
}

export function bucketMetrics(buckets: readonly Bucket[]): Record<string, BucketMetrics> {
  return Object.fromEntries(
    buckets.map((bucket) => [
      bucket.name,
      {
        current: bucket.active,
        limit: Number.isFinite(bucket.limit) ? bucket.limit : null,
        queue: bucket.waiting,
        totalAcquired: bucket.acquired,
      },
    ]),
  );
}
