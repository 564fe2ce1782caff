import { isFailureError, plainJsonSize } from "../../base/index.ts";
import { dataLimits } from "./data-limits.ts";
import { type DataReason, dataFailure } from "./data-reasons.ts";
import { type JsonProcessInput, type JsonResult, processJson } from "./process-json.ts";
import { type TextProcessInput, type TextResult, processText } from "./process-text.ts";

/** One operation on data. */
export type DataJob =
  | { readonly text: TextProcessInput; readonly json?: never }
  | { readonly json: JsonProcessInput; readonly text?: never };

/** What a {@link DataJob} gives. */
export type DataResult = TextResult | JsonResult;

/** What comes of a job in a thread, as JSON text: it is read faster than values are copied. */
export type DataAnswer =
  | { readonly done: DataResult }
  | { readonly reason: DataReason; readonly message: string; readonly parameter?: string }
  | { readonly fault: string };

/** Does a job here and now. */
export async function doJob({ text, json }: DataJob): Promise<DataResult> {
  if (text !== undefined) return processText(text);
  const done = processJson(json);
  if (!hasMoreKeys(done.result, dataLimits.keys)) return done;
  throw dataFailure(
    "too_large",
    `the result would have more than ${dataLimits.keys} different keys; ask for less of it`,
  );
}

function hasMoreKeys(value: unknown, most: number): boolean {
  const keys = new Set<string>();
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next)) for (const key of Object.keys(next)) keys.add(key);
    if (keys.size > most) return true;
    for (const inner of Object.values(next)) if (typeof inner === "object") open.push(inner);
  }
  return false;
}

/** As {@link doJob}, with failures as values. */
export async function answerJob(job: DataJob): Promise<DataAnswer> {
  try {
    return { done: await doJob(job) };
  } catch (error) {
    if (!isFailureError(error))
      return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    const parameter = error.issues?.[0]?.path[0];
    // Whatever works on data fails with its own reasons only.
    const reason = error.reason as DataReason;
    return { reason, message: error.message, ...(parameter !== undefined && { parameter: String(parameter) }) };
  }
}

/** The result of an answer; throws where it is a failure. */
export function resultOf(answer: DataAnswer): DataResult {
  if ("done" in answer) return answer.done;
  if ("fault" in answer) throw new Error(answer.fault);
  const { reason, message, parameter } = answer;
  throw dataFailure(reason, message, { ...(parameter !== undefined && { parameter }) });
}

/** Up to so many characters, work that grows with its data is done before anyone would notice. */
const lightChars = 20_000;

/** Operations whose work is a product: a pattern, a path or a schema of a few characters can ask for any amount. */
const heavy: ReadonlySet<string> = new Set(["query", "validate", "patch"]);

/** Is this done in so short a time that it may hold up everything else? */
export function isLight({ text, json }: DataJob): boolean {
  const { operation, ...given } = text ?? json;
  if (heavy.has(operation) || text?.pattern !== undefined) return false;
  const values = Object.values(given).filter((value) => value !== undefined);
  return plainJsonSize(values, lightChars) <= lightChars;
}
