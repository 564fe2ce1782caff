import { isTimeoutMs } from "../../base/index.ts";
import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { parseChainDuration } from "./parse-chain-duration.ts";
import type { StepSpec } from "./chain-spec.ts";

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

/** Receives problems. The chain of a run that has started stays valid, regardless of its durations. */
export interface DurationCheck {
  readonly report: ChainReport;
  readonly hasStarted: boolean;
}

/** Every duration of a step. */
export function checkDurations(step: StepSpec, path: YamlPath, { report, hasStarted }: DurationCheck): void {
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
