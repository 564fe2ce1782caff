import { type CompiledValue, missing } from "../../expr/index.ts";
import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { checkDurations, parseChainDuration } from "./chain-durations.ts";
import { type HandlingTools, type Handling, noRetry, readHandling, readRetry } from "./failure-plan.ts";
import type { TargetFinder } from "./find-target.ts";
import { isOneExpression } from "./output-views.ts";
import type { PartReader, ReferenceUse } from "./part-reader.ts";
import { readWait } from "./wait-step.ts";
import type { ApprovalPlan, ForEachPlan, PlanStep, RepeatPlan } from "./plan.ts";
import type { StepSpec } from "./chain-spec.ts";

/** A step before its dependencies are known. */
export type UnlinkedStep = Omit<PlanStep, "needs" | "dependents" | "reads" | "relies">;

/** A step with its expressions compiled. */
export interface CompiledStep {
  readonly step: UnlinkedStep;
  /** All references in its expressions. */
  readonly uses: readonly ReferenceUse[];
}

/** Dependencies for compiling a step. */
export interface StepTools extends HandlingTools {
  /** The chain's name. */
  readonly chain: string;
  /** Failure handling of the chain, for steps without their own. */
  readonly handling: Handling;
  /** The chain is that of a run that has started, or is only inspected. */
  readonly hasStarted: boolean;
}

const defaultConcurrency = 5;
const defaultRounds = 10;
/** Default maximum of rounds if a time limit is set: only a safeguard. */
const maxRounds = 1_000;

/** Compiles one step and reports problems of its expressions, independently of the other steps. */
export function compileStep(spec: StepSpec, index: number, tools: StepTools): CompiledStep {
  const { report, finder } = tools;
  const path = ["steps", index];
  const reader = tools.reader.another();
  const at = (key: string): YamlPath => [...path, key];
  checkDurations(spec, path, tools.report, tools.hasStarted);
  const handling =
    spec.error_handling === undefined
      ? tools.handling
      : readHandling(spec.error_handling, at("error_handling"), { report, reader, finder });
  const step: UnlinkedStep = {
    index,
    id: spec.id,
    firstKey: `${spec.id}#1`,
    spec,
    ...readCall(spec, path, { ...tools, reader }),
    condition: reader.condition(spec.condition, at("condition"), "condition"),
    as: spec.output?.as,
    select: reader.select(spec.output?.select, [...at("output"), "select"]),
    timeoutMs: parseChainDuration(spec.timeout),
    retry: spec.retry === undefined ? (handling.retry ?? noRetry) : readRetry(spec.retry, at("retry"), reader),
    onFailure: handling.onFailure,
    forEach: readForEach(spec, path, { reader, report }),
    repeat: readRepeat(spec, at("repeat"), reader),
    cache: readCache(spec, at("cache"), { reader, chain: tools.chain }),
    approval: readApproval(spec, at("approval"), reader),
    compensate: readCompensate(spec, at("compensate"), { reader, finder }),
  };
  return { step, uses: reader.uses };
}

/** Reads the call of a step, or its wait. */
function readCall(
  { wait, ...spec }: StepSpec,
  path: YamlPath,
  tools: StepTools,
): Pick<PlanStep, "target" | "params" | "wait"> {
  if (wait !== undefined) return readWait({ ...spec, wait }, path, tools);
  const { finder, reader } = tools;
  return {
    target: finder.find(spec.tool ?? "", [...path, "tool"]),
    params: reader.value(spec.params ?? {}, [...path, "params"], "params"),
    wait: undefined,
  };
}

function readForEach(
  spec: StepSpec,
  path: YamlPath,
  { reader, report }: { readonly reader: PartReader; readonly report: ChainReport },
): ForEachPlan | undefined {
  const { for_each: items, concurrency = defaultConcurrency, tolerate = 0 } = spec;
  if (items === undefined) {
    for (const key of ["concurrency", "tolerate"] as const) {
      if (spec[key] === undefined) continue;
      const hint = "add for_each, or remove it";
      report.add("needs_for_each", [...path, key], [`"${key}" has no effect without for_each`, { part: "key", hint }]);
    }
    return undefined;
  }
  const at = [...path, "for_each"];
  if (typeof items === "string") checkItemsText(items, at, report);
  const tolerated = readTolerance(tolerate);
  if ("share" in tolerated && tolerated.share > 1) {
    const hint = 'write "100%" if all of them may fail';
    report.add("bad_value", [...path, "tolerate"], [`"tolerate" may be at most 100%, got ${tolerate}`, { hint }]);
  }
  return { items: reader.value(items, at, "for_each"), concurrency, tolerate: tolerated };
}

/** A text is never a list, also if it contains an expression. */
function checkItemsText(items: string, path: YamlPath, report: ChainReport): void {
  const hasExpression = items.includes("${");
  if (hasExpression && isOneExpression(items, true)) return;
  const [expression = `\${${items.trim().slice(0, 80)}}`] = /\$\{[^}]*\}/.exec(items) ?? [];
  const is = hasExpression ? "a text with an expression" : "a string";
  const message = `for_each takes a list, or an expression that evaluates to one; this is ${is}`;
  report.add("not_a_list", path, [message, { hint: `write "${expression}"` }]);
}

function readTolerance(tolerate: number | string): ForEachPlan["tolerate"] {
  const text = String(tolerate).trim();
  if (!text.endsWith("%")) return { count: Math.floor(Number(text)) };
  return { share: Number(text.slice(0, -1)) / 100 };
}

function readRepeat({ repeat }: StepSpec, path: YamlPath, reader: PartReader): RepeatPlan | undefined {
  if (repeat === undefined) return undefined;
  const until = reader.condition(repeat.until, [...path, "until"], "until");
  if (until === undefined) return undefined;
  const maxDurationMs = parseChainDuration(repeat.max_duration);
  return {
    until,
    max: repeat.max ?? (maxDurationMs === undefined ? defaultRounds : maxRounds),
    maxDurationMs,
    delayMs: parseChainDuration(repeat.delay) ?? 0,
  };
}

function readCache(
  { id, cache }: StepSpec,
  path: YamlPath,
  { reader, chain }: { readonly reader: PartReader; readonly chain: string },
): PlanStep["cache"] {
  if (cache === undefined) return undefined;
  const key = cache.key === undefined ? undefined : reader.value(cache.key, [...path, "key"], "cache");
  return { ttlMs: parseChainDuration(cache.ttl) ?? 0, key: key && keyOfStep(key, [chain, id]) };
}

/** Two steps may use one key for different things. Without a value, the arguments distinguish results. */
function keyOfStep(key: CompiledValue, owner: readonly [chain: string, step: string]): CompiledValue {
  return {
    ...key,
    evaluate: (scope, evaluation) => {
      const value = key.evaluate(scope, evaluation);
      return value === missing || value === null ? missing : [...owner, value];
    },
  };
}

function readApproval({ approval }: StepSpec, path: YamlPath, reader: PartReader): ApprovalPlan | undefined {
  if (approval === undefined) return undefined;
  const short = typeof approval === "string";
  const written = short ? approval : approval.message;
  const message = reader.template(written, short ? path : [...path, "message"], "approval");
  if (message === undefined) return undefined;
  if (short) return { message, approvers: [], expiresMs: undefined };
  return { message, approvers: approval.approvers ?? [], expiresMs: parseChainDuration(approval.expires) };
}

function readCompensate(
  { compensate }: StepSpec,
  path: YamlPath,
  { reader, finder }: { readonly reader: PartReader; readonly finder: TargetFinder },
): PlanStep["compensate"] {
  return (
    compensate && {
      target: finder.find(compensate.tool, [...path, "tool"]),
      params: reader.value(compensate.params ?? {}, [...path, "params"], "compensate"),
    }
  );
}
