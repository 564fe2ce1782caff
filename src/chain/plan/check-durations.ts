import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { durationMs } from "./duration.ts";
import type { StepSpec } from "./spec.ts";

/** Reports a duration that the format lets through and no clock takes. */
export function checkDuration(value: unknown, path: YamlPath, report: ChainReport): void {
  if (value === undefined || durationMs(value) !== undefined) return;
  report.add("bad_duration", path, [`"${String(path.at(-1))}" may be at most 365d`]);
}

/** Every duration of a step. */
export function checkDurations(step: StepSpec, path: YamlPath, report: ChainReport): void {
  const { timeout, retry, repeat, cache, approval } = step;
  checkDuration(timeout, [...path, "timeout"], report);
  if (retry !== undefined) {
    checkDuration(retry.delay, [...path, "retry", "delay"], report);
    checkDuration(retry.max_delay, [...path, "retry", "max_delay"], report);
  }
  if (repeat !== undefined) {
    checkDuration(repeat.max_duration, [...path, "repeat", "max_duration"], report);
    checkDuration(repeat.delay, [...path, "repeat", "delay"], report);
  }
  if (cache !== undefined) checkDuration(cache.ttl, [...path, "cache", "ttl"], report);
  if (typeof approval === "object") checkDuration(approval.expires, [...path, "approval", "expires"], report);
}
