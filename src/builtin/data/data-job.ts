import { isFailureError, plainJsonSize } from "../../base/index.ts";
import { dataLimits } from "./data-limits.ts";
import { type DataReason, dataFailure } from "./data-reasons.ts";
import { type JsonProcessInput, type JsonResult, processJson } from "./process-json.ts";
import { type TextProcessInput, type TextResult, processText } from "./process-text.ts";

/** One operation on data. */
export type DataJob =
  | { readonly text: TextProcessInput; readonly json?: never }
  | { readonly json: JsonProcessInput; readonly text?: never };

/** Result of a {@link DataJob}. */
export type DataResult = TextResult | JsonResult;

/** Reply of the thread, as JSON text: parsing it is faster than copying values. */
export type DataReply =
  | { readonly done: DataResult }
  | { readonly reason: DataReason; readonly message: string; readonly parameter?: string }
  | { readonly fault: string };

/** Runs a job in this thread. */
export async function doJob({ text, json }: DataJob): Promise<DataResult> {
  if (text !== undefined) return processText(text);
  const done = processJson(json);
  if (!hasMoreKeys(done.result, dataLimits.keys)) return done;
  throw dataFailure(
    "too_large",
    `the result would have more than ${dataLimits.keys} different keys; request less of it`,
  );
}

function hasMoreKeys(value: unknown, max: number): boolean {
  const keys = new Set<string>();
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next)) for (const key of Object.keys(next)) keys.add(key);
    if (keys.size > max) return true;
    for (const inner of Object.values(next)) if (typeof inner === "object") open.push(inner);
  }
  return false;
}

/** Same as {@link doJob}, with failures as values. */
export async function runDataJob(job: DataJob): Promise<DataReply> {
  try {
    return { done: await doJob(job) };
  } catch (error) {
    if (!isFailureError(error))
      return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    const parameter = error.issues?.[0]?.path[0];
    // Operations on data fail only with their own reasons.
    const reason = error.reason as DataReason;
    return { reason, message: error.message, ...(parameter !== undefined && { parameter: String(parameter) }) };
  }
}

/** Returns the result of a reply; throws if it is a failure. */
export function unwrapDataAnswer(answer: DataReply): DataResult {
  if ("done" in answer) return answer.done;
  if ("fault" in answer) throw new Error(answer.fault);
  const { reason, message, parameter } = answer;
  throw dataFailure(reason, message, { ...(parameter !== undefined && { parameter }) });
}

/** Up to this size, work that is linear in its data is negligible. */
const lightChars = 20_000;

/** Operations with superlinear work: a pattern, a path or a schema of a few characters can require any amount. */
const heavy: ReadonlySet<string> = new Set(["query", "validate", "patch"]);

/** True if the job is so short that it may block the event loop. */
export function isLight({ text, json }: DataJob): boolean {
  const { operation, ...input } = text ?? json;
  if (heavy.has(operation) || text?.pattern !== undefined) return false;
  const values = Object.values(input).filter((value) => value !== undefined);
  return plainJsonSize(values, lightChars) <= lightChars;
}
