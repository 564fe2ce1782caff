import { isTimeoutMs } from "../../base/index.ts";
import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import type { StepSpec } from "./chain-spec.ts";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Longer waits are mistakes, and exceed the range of timers. */
export const maxChainDurationMs: number = 365 * 86_400_000;

/** A duration of a chain in milliseconds: seconds as a number, or text such as `500ms`, `30s`, `2m`, `1h`, `7d`. */
export function parseChainDuration(value: unknown): number | undefined {
  if (typeof value === "number") return inRange(value * 1_000);
  const match = typeof value === "string" ? /^\s*(\d{1,15}(?:\.\d{1,15})?)\s*(ms|s|m|h|d)\s*$/.exec(value) : null;
  return match ? inRange(Number(match[1]) * (units[match[2] ?? ""] ?? Number.NaN)) : undefined;
}

function inRange(ms: number): number | undefined {
  if (!(ms >= 0 && ms <= maxChainDurationMs)) return undefined;
  // A duration below one millisecond is rounded up.
  return ms === 0 ? 0 : Math.max(1, Math.round(ms));
}

/** Reports a duration that the format allows and that is too long for a timer. */
export function checkDuration(value: unknown, path: YamlPath, report: ChainReport): void {
  if (value === undefined || parseChainDuration(value) !== undefined) return;
  report.add("bad_duration", path, [`"${String(path.at(-1))}" may be at most 365d`]);
}

/** Reports the timeout of a step that no timer supports, or that is longer than any timeout may be. */
function checkTimeout(value: unknown, path: YamlPath, report: ChainReport): void {
  const ms = parseChainDuration(value);
  // The schema reports a number that is not above 0.
  if (value === undefined || isTimeoutMs(ms) || (typeof value === "number" && value <= 0)) return;
  report.add("bad_duration", path, ['"timeout" of a step must be above 0 and at most 24h']);
}

/** Checks every duration of a step. The chain of a run that has started stays valid, regardless of its timeouts. */
export function checkDurations(step: StepSpec, path: YamlPath, report: ChainReport, hasStarted: boolean): void {
  const { timeout, retry, repeat, cache, approval } = step;
  if (!hasStarted) checkTimeout(timeout, [...path, "timeout"], report);
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
