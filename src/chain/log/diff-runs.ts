import { isRecord, ownValue } from "../../schema/index.ts";
import type { ExecutionLog } from "./execution-log.ts";
import type { LoggedError, StepLog } from "./step-log.ts";

/** One difference between two values. */
export interface ValueDifference {
  /** Keys and indexes from the value as a whole to the difference. */
  readonly path: readonly (string | number)[];
  /** Absent if there was none. */
  readonly before?: unknown;
  /** Absent if there is none. */
  readonly after?: unknown;
}

/** Some differences between two values. */
export interface ValueDifferences {
  readonly differences: readonly ValueDifference[];
  /** True if there are more than these. */
  readonly more?: true;
}

/** A step in one of two runs. */
export interface ComparedStep extends Pick<StepLog, "status" | "tool" | "duration_ms" | "attempts"> {
  readonly error?: LoggedError;
}

/** A step in two runs; without `before` or `after` if it did not start in that run. */
export interface StepDifference {
  readonly id: string;
  readonly before?: ComparedStep;
  readonly after?: ComparedStep;
  readonly input: ValueDifferences;
  readonly output: ValueDifferences;
  /** True if the step ended in the same way, with the same input and output; durations do not count. */
  readonly same: boolean;
}

/** The differences between two runs. */
export interface RunDifference {
  /** The ids of the runs. */
  readonly before: string;
  readonly after: string;
  readonly input: ValueDifferences;
  readonly output: ValueDifferences;
  /** In the order of the second run, then the steps that only the first one has. */
  readonly steps: readonly StepDifference[];
}

/** Maximum number of differences of one value. */
const maxDifferences = 100;
/** Deeper parts are compared as a whole. */
const maxDepth = 32;

/** Compares two runs by their logs, in which secrets are redacted. */
export function diffRuns(before: ExecutionLog, after: ExecutionLog): RunDifference {
  const earlier = new Map(before.steps.map((step) => [step.id, step]));
  const later = new Set(after.steps.map(({ id }) => id));
  const gone = before.steps.filter(({ id }) => !later.has(id));
  return {
    before: before.chain_id,
    after: after.chain_id,
    input: diffValues(before.input, after.input),
    output: diffValues(before.output, after.output),
    steps: [
      ...after.steps.map((step) => diffSteps(step.id, earlier.get(step.id), step)),
      ...gone.map((step) => diffSteps(step.id, step, undefined)),
    ],
  };
}

function diffSteps(id: string, before: StepLog | undefined, after: StepLog | undefined): StepDifference {
  const input = diffValues(before?.input, after?.input);
  const output = diffValues(before?.output, after?.output);
  const isSame = input.differences.length + output.differences.length === 0 && endOf(before) === endOf(after);
  return {
    id,
    ...(before && { before: comparedStep(before) }),
    ...(after && { after: comparedStep(after) }),
    input,
    output,
    same: isSame,
  };
}

function endOf(step: StepLog | undefined): string {
  return JSON.stringify([step?.status, step?.tool, step?.error]);
}

function comparedStep({ status, tool, duration_ms, attempts, error }: StepLog): ComparedStep {
  return { status, tool, duration_ms, attempts, ...(error && { error }) };
}

/** The differences between two values of JSON data, part by part. */
function diffValues(before: unknown, after: unknown): ValueDifferences {
  const differences: ValueDifference[] = [];
  const isComplete = collect(before, after, { path: [], found: differences });
  return { differences, ...(!isComplete && { more: true }) };
}

/** False if there are too many. */
function collect(
  before: unknown,
  after: unknown,
  { path, found }: { readonly path: readonly (string | number)[]; readonly found: ValueDifference[] },
): boolean {
  if (before === after) return true;
  if (found.length === maxDifferences) return false;
  const parts = path.length < maxDepth ? partsOf(before, after) : undefined;
  if (parts === undefined) {
    if (path.length === maxDepth && JSON.stringify(before) === JSON.stringify(after)) return true;
    found.push({ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) });
    return true;
  }
  return parts.every(([key, was, is]) => collect(was, is, { path: [...path, key], found }));
}

type Part = readonly [key: string | number, before: unknown, after: unknown];

/** The parts of two lists or of two objects; undefined if the values are compared as a whole. */
function partsOf(before: unknown, after: unknown): readonly Part[] | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index): Part => [index, before[index], after[index]]);
  }
  if (!isRecord(before) || !isRecord(after)) return undefined;
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Array.from(keys, (key): Part => [key, ownValue(before, key), ownValue(after, key)]);
}
