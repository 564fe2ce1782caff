import { deadlineMs } from "./workload.ts";
import type { HandTool } from "./guarded.ts";

/** State of a step for the log: input, output, times and number of attempts. */
export interface StepState {
  readonly id: string;
  status: "pending" | "running" | "success" | "failed";
  startedAt: number;
  endedAt: number;
  attempts: number;
  input: unknown;
  output: unknown;
  error: string | undefined;
}

export function newState(id: string): StepState {
  return {
    id,
    status: "pending",
    startedAt: 0,
    endedAt: 0,
    attempts: 0,
    input: undefined,
    output: undefined,
    error: undefined,
  };
}

/** Switches for the duties, to measure the cost of each. */
export interface Duties {
  readonly record: boolean;
  readonly id: boolean;
  readonly outputCheck: boolean;
  readonly copy: boolean;
  readonly permission: boolean;
  readonly cancel: boolean;
}

export const allDuties: Duties = {
  record: true,
  id: true,
  outputCheck: true,
  copy: true,
  permission: true,
  cancel: true,
};

const maxSizeOutput = 1_000_000;
const recordsStored = 1000;

/** The guarded call, with the additional duties of a chain step: the log, records and cancellation. */
export function guardedWithDuties(tools: ReadonlyMap<string, HandTool>, slots: number, duties: Duties = allDuties) {
  const waiting: (() => void)[] = [];
  const live = new Set<AbortController>();
  const epoch = performance.timeOrigin;
  const denied = new Set<string>(["remove_everything"]);
  const records: unknown[] = [];
  let active = 0;
  let count = 0;
  let added = 0;
  // oxlint-disable-next-line complexity -- every duty can be turned off, to measure its cost
  const run = async (tool: string, input: unknown, state: StepState): Promise<unknown> => {
    const startedAt = performance.now();
    const executedAt = Math.round(epoch + startedAt);
    const id = duties.id ? `k3j9x0q2ab5z-${(++count).toString(36)}` : "";
    state.status = "running";
    state.startedAt = executedAt;
    state.attempts++;
    state.input = input;
    const end = (success: boolean, output: unknown, error: string | undefined) => {
      const durationMs = performance.now() - startedAt;
      state.status = success ? "success" : "failed";
      state.endedAt = executedAt + durationMs;
      state.output = output;
      state.error = error;
      if (duties.record) {
        records[added++ % recordsStored] = {
          id,
          tool,
          version: "1.0.0",
          source: "tools",
          category: "general",
          args: input,
          success,
          output,
          error,
          durationMs,
          queuedMs: 0,
          attempts: 1,
          cached: false,
          callerType: "workflow_node",
          callerId: state.id,
          principal: undefined,
          conversationId: undefined,
          workflowId: "run",
          parentId: undefined,
          reported: undefined,
          createdAt: executedAt,
        };
      }
      const meta = { callId: id, source: "tools", attempts: 1 };
      return success
        ? { success, tool, output, durationMs, executedAt, meta }
        : { success, tool, error, durationMs, executedAt, meta };
    };
    const found = tools.get(tool);
    if (found === undefined) return end(false, undefined, `no tool ${tool}`);
    const parsed = found.schema.safeParse(duties.copy ? structuredCopy(input) : input);
    if (!parsed.success) return end(false, undefined, parsed.error.message);
    if (duties.permission && denied.has(tool)) return end(false, undefined, `${tool} is denied`);
    if (active >= slots) await new Promise<void>((resolve) => waiting.push(resolve));
    else active++;
    const controller = new AbortController();
    if (duties.cancel) live.add(controller);
    const timer = setTimeout(() => controller.abort(), deadlineMs);
    try {
      const output = await found.run(parsed.data as never, { signal: controller.signal });
      if (duties.outputCheck && sizeOf(output) > maxSizeOutput) return end(false, undefined, "too large");
      return end(true, output, undefined);
    } catch (error) {
      return end(false, undefined, String(error));
    } finally {
      clearTimeout(timer);
      if (duties.cancel) live.delete(controller);
      const next = waiting.shift();
      if (next) next();
      else active--;
    }
  };
  return run;
}

/** Returns a deep copy of JSON data. */
function structuredCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => structuredCopy(item));
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const item = copy[key];
    if (typeof item === "object" && item !== null) copy[key] = structuredCopy(item);
  }
  return copy;
}

/** Estimates the length of the value as JSON; Infinity if it is not JSON. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value === "number") return Number.isFinite(value) ? 4 : Infinity;
  if (typeof value === "boolean" || value === null) return 5;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + 1 + sizeOf(item), 2);
  if (typeof value !== "object") return Infinity;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return Infinity;
  let size = 2;
  for (const key in value) size += key.length + 4 + sizeOf((value as Record<string, unknown>)[key]);
  return size;
}

/** Follows a path such as `steps.s1.output.value` through own properties only. */
export function follow(from: unknown, names: readonly string[]): unknown {
  let value = from;
  for (const name of names) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
