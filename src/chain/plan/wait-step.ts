import type { CompiledValue } from "../../expr/index.ts";
import { fromJsonSchema, isRecord } from "../../schema/index.ts";
import { type AnyTool, defineTool } from "../../tool/index.ts";
import type { YamlPath } from "../../text/index.ts";
import { checkDuration } from "./chain-durations.ts";
import type { ChainReport } from "./chain-report.ts";
import type { StepSpec, WaitSpec } from "./chain-spec.ts";
import type { PartReader } from "./part-reader.ts";
import type { PlanStep, Target, WaitPlan } from "./plan.ts";

/** Name of the callee of a step that waits, in logs and events. */
const waitName = "wait";

/** A step that waits, before its dependencies are known. */
type WaitStep = Pick<PlanStep, "target" | "params"> & { readonly wait: WaitPlan };

/** Reads and checks the `wait` of a step. */
export function readWait(
  spec: StepSpec & { readonly wait: WaitSpec },
  path: YamlPath,
  { reader, report, hasStarted }: { reader: PartReader; report: ChainReport; hasStarted: boolean },
): WaitStep {
  const { wait } = spec;
  const at = [...path, "wait"];
  checkKeys(spec, path, report);
  const kind = isRecord(wait) && wait.event !== undefined ? "event" : "timer";
  if (!hasStarted) {
    if (isRecord(wait)) checkMap(wait, at, report);
    else checkWritten(wait, at, report);
  }
  return {
    target: kind === "event" ? eventTarget() : timerTarget(),
    params: readParams(wait, at, reader),
    wait: { kind },
  };
}

/** A duration is the parameter `for`, so that the input of a step that waits is always a map. */
function readParams(wait: WaitSpec, path: YamlPath, reader: PartReader): CompiledValue {
  const params = reader.value(wait, path, "params");
  if (isRecord(wait)) return params;
  return { ...params, evaluate: (scope, evaluation) => ({ for: params.evaluate(scope, evaluation) }) };
}

/** Keys that change how a tool is called. */
const callKeys: Readonly<Partial<Record<keyof StepSpec, string>>> = {
  tool: "a step either calls a tool or waits; write two steps, the second with depends_on",
  params: "remove it; a step that waits calls no tool",
  timeout: "write wait: { event: NAME, timeout: 7d }",
  retry: "remove it, or handle the end of the wait with error_handling",
  cache: "remove it",
  approval: "give the approval to the step that follows",
  untrusted: "remove it; it belongs to the step that uses the data",
  compensate: "remove it; a wait does nothing that could be undone",
};

function checkKeys(spec: StepSpec, path: YamlPath, report: ChainReport): void {
  for (const [key, hint] of Object.entries(callKeys)) {
    if (!Object.hasOwn(spec, key)) continue;
    report.add("waiting_step", [...path, key], [`a step that waits takes no "${key}"`, { part: "key", hint }]);
  }
}

/** True if the value is known only when the step runs. */
function isExpression(value: unknown): boolean {
  return typeof value === "string" && value.includes("${");
}

function checkWritten(duration: unknown, path: YamlPath, report: ChainReport): void {
  if (!isExpression(duration)) checkDuration(duration, path, report);
}

const eventName = /^[A-Za-z0-9][\w.-]{0,127}$/;

/** True for a valid name of an external event. */
export function isEventName(name: string): boolean {
  return eventName.test(name);
}

/** Rule of event names, for messages. */
export const eventNameRule =
  "an event name begins with a letter or digit, and has only letters, digits and _.-, at most 128";

type WaitMap = Exclude<WaitSpec, number | string>;

function checkMap(wait: WaitMap, path: YamlPath, report: ChainReport): void {
  checkParts(wait, path, report);
  const { event, timeout, until } = wait;
  checkWritten(timeout, [...path, "timeout"], report);
  if (event !== undefined && !isExpression(event) && !isEventName(event)) {
    const message = `${JSON.stringify(event.slice(0, 80))} is not an event name`;
    report.add("bad_event_name", [...path, "event"], [message, { hint: eventNameRule }]);
  }
  if (until !== undefined && !isExpression(until) && parseMoment(until) === undefined) {
    const message = `${JSON.stringify(until.slice(0, 80))} is not a time`;
    report.add("bad_moment", [...path, "until"], [message, { hint: momentHint }]);
  }
}

/** An event, with or without a timeout, or a time. */
function checkParts({ event, timeout, until }: WaitMap, path: YamlPath, report: ChainReport): void {
  const add = (key: string | undefined, message: string, hint: string): void => {
    const at = key === undefined ? path : [...path, key];
    report.add("bad_wait", at, [message, { hint, ...(key !== undefined && { part: "key" as const }) }]);
  };
  if (event === undefined && until === undefined) {
    const isMisspelled = ["event", "until"].some((key) => report.isMisspelled([...path, key]));
    if (!isMisspelled)
      add(undefined, '"wait" names neither an event nor a time', "write wait: { event: NAME, timeout: 7d }");
  } else if (event !== undefined && until !== undefined) {
    add("until", '"wait" takes an event or a time, not both', "limit the wait for the event with timeout");
  } else if (event === undefined && timeout !== undefined) {
    add("timeout", '"timeout" has no effect without an event', "write wait: 3d for a duration");
  }
}

/** Form of times, for messages. */
export const momentHint = 'write a date and time with its offset: "2026-11-20T08:00:00+08:00", or with Z for UTC';

/** A time with its offset, in epoch milliseconds. Without an offset it would depend on the machine. */
export function parseMoment(text: string): number | undefined {
  const isComplete = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)$/.test(text.trim());
  const at = isComplete ? Date.parse(text.trim().replace(" ", "T").toUpperCase()) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** The names of the external events that the steps of these chains wait for; undefined if one is known only at run time. */
export function awaitedEventNames(steps: Iterable<StepSpec>): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const { wait } of steps) {
    if (!isRecord(wait) || typeof wait["event"] !== "string") continue;
    if (isExpression(wait["event"])) return undefined;
    names.add(wait["event"]);
  }
  return names;
}

let timer: Target | undefined;
let event: Target | undefined;

function timerTarget(): Target {
  return (timer ??= { name: waitName, tool: describedTool("pure", timerOutput) });
}

/** Anyone may deliver events, so their data is untrusted, as that of any tool that reads. */
function eventTarget(): Target {
  return (event ??= { name: waitName, tool: describedTool("read", undefined) });
}

const moment = { type: "string", format: "date-time" };

const timerOutput = fromJsonSchema({
  type: "object",
  properties: { started_at: moment, ended_at: moment },
  required: ["started_at", "ended_at"],
});

/** Describes a wait as the plan describes calls. It is never called. */
function describedTool(effect: "pure" | "read", output: typeof timerOutput | undefined): AnyTool {
  return defineTool({
    name: waitName,
    description: "Waits for a time or an event.",
    effect,
    input: fromJsonSchema({ type: "object" }),
    ...(output !== undefined && { output }),
    run: () => null,
  });
}
