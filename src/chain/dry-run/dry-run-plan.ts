import { formatPath } from "../../base/index.ts";
import { type CompiledValue, type Condition, compileValue, missing } from "../../expr/index.ts";
import { isRecord, validateDeclared } from "../../schema/index.ts";
import type { PossibleCall } from "../plan/chain-effect.ts";
import type { FailurePlan, Plan, PlanStep, Target } from "../plan/plan.ts";
import { findUntrustedValues } from "../plan/untrusted-target.ts";
import type { MarkedValues } from "../plan/value-flow.ts";
import type { UnknownSite, Unknowns } from "./unknown-values.ts";

/**
 * Returns the plan for a dry run: no approval is requested, and an expression that needs the result of a withheld call
 * does not fail. The known part of its value is evaluated, and the rest is recorded.
 */
export function dryPlan(plan: Plan, unknowns: Unknowns, onWait: (wait: SkippedWait) => void): Plan {
  return dryChain({ plan, prefix: "", callers: [], origins: new Map(), unknowns, onWait });
}

/** A wait that a dry run does not make. */
export interface SkippedWait {
  /** Key of the wait within the run. */
  readonly key: string;
  /** Path of its step. */
  readonly path: string;
  readonly kind: "timer" | "event";
  readonly args: unknown;
}

/** A chain, and the position at which it is called. */
interface DryChainSite {
  readonly plan: Plan;
  /** Prefix of the paths of its steps: `research/`. */
  readonly prefix: string;
  /** The chains that it is called from. */
  readonly callers: readonly string[];
  /** Its untrusted inputs, each with the path of the step that it comes from. */
  readonly origins: ReadonlyMap<string, string>;
  readonly unknowns: Unknowns;
  readonly onWait: (wait: SkippedWait) => void;
}

/** A step of the chain. */
interface DryStepSite extends DryChainSite {
  readonly path: string;
  readonly site: UnknownSite;
  readonly step: PlanStep;
  /** Untrusted values of the chain. */
  readonly values: MarkedValues;
}

function dryChain(site: DryChainSite): Plan {
  const { plan, prefix, origins, unknowns } = site;
  const values = findUntrustedValues(plan, origins.keys());
  const steps = plan.steps.map((step) =>
    dryStep(step, { ...site, path: prefix + step.id, site: { plan, prefix, step }, step, values }),
  );
  const input: Plan["input"] = {
    json: plan.input.json,
    validate: (rawInput) => {
      const checked = validateDeclared(plan.input, rawInput);
      // A value that is missing here may be present in a real run.
      const isOpen = !(checked instanceof Promise) && checked.issues !== undefined && unknowns.hasInputs(prefix);
      return isOpen ? { value: rawInput } : checked;
    },
  };
  // Some properties of a plan are computed lazily, and stay so.
  return Object.create(plan, {
    steps: { value: steps, enumerable: true },
    byId: { value: new Map(steps.map((step) => [step.id, step])), enumerable: true },
    output: { value: plan.output && dryOutput(plan.output, site), enumerable: true },
    input: { value: input, enumerable: true },
  }) as Plan;
}

function dryStep(step: PlanStep, site: DryStepSite): PlanStep {
  const { condition, forEach, repeat, cache, compensate, wait } = step;
  return {
    ...step,
    target: dryTarget(step, site),
    params:
      wait === undefined
        ? dryParams({ target: step.target, params: step.params, written: step.spec.params }, site)
        : dryKey(step.params, site),
    wait: wait && { ...wait, skip: (key, args) => site.onWait({ key, path: site.path, kind: wait.kind, args }) },
    condition: condition && dryCondition(condition, site),
    forEach: forEach && { ...forEach, items: dryItems(forEach.items, site) },
    repeat: repeat && { ...repeat, until: dryUntil(repeat.until, site) },
    cache: cache && { ...cache, key: cache.key && dryKey(cache.key, site) },
    onFailure: dryFailure(step, site),
    compensate: compensate && {
      ...compensate,
      params: dryParams({ ...compensate, written: step.spec.compensate?.params }, site),
    },
    approval: undefined,
  };
}

function dryTarget({ target: { chain, ...target }, params }: PossibleCall, site: DryStepSite): Target {
  if (chain === undefined) return target;
  const { path, plan, callers, unknowns, onWait } = site;
  const origins = new Map(untrustedParts(params, site).map(([[input], from]) => [String(input), from]));
  const within = { prefix: `${path}/`, callers: [...callers, plan.name], origins, unknowns, onWait };
  return { ...target, chain: () => dryChain({ ...within, plan: chain() }) };
}

function dryFailure({ onFailure, spec }: PlanStep, site: DryStepSite): FailurePlan {
  const { fallback = [] } = spec.error_handling ?? site.plan.spec.error_handling ?? {};
  return {
    ...onFailure,
    fallback: onFailure.fallback.map((entry, index) => ({
      ...entry,
      target: dryTarget(entry, site),
      params: dryParams({ ...entry, written: fallback[index]?.params }, site),
    })),
  };
}

interface Parameters {
  readonly target: Target;
  readonly params: CompiledValue;
  /** The parameters as written in the file. */
  readonly written: unknown;
}

/** Returns the known parameters; the others are recorded beside them, as written. */
function dryParams({ target, params, written }: Parameters, stepSite: DryStepSite): CompiledValue {
  const { path, site, unknowns } = stepSite;
  const untrusted = Object.fromEntries(
    untrustedParts(params, stepSite).map(([part, from]) => [formatPath(part), from]),
  );
  const noted = (args: unknown): unknown => {
    if (Object.keys(untrusted).length > 0 && isRecord(args)) unknowns.addNote(path, args, { untrusted });
    return args;
  };
  return {
    ...params,
    evaluate: (scope, evaluation) => {
      const names = unknownKeys(params, site, unknowns);
      if (names.size === 0 || !isRecord(written)) return noted(params.evaluate(scope, evaluation));
      const args = compileValue(without(written, names), { missing: "drop" }).value.evaluate(scope, evaluation);
      if (target.chain !== undefined) unknowns.addInputs(`${path}/`, [...names]);
      else unknowns.addNote(path, args, { unknown: without(written, names, true) });
      return noted(args);
    },
  };
}

/** Returns the untrusted parts of a value, each with the path of the step that it comes from. */
function untrustedParts(value: CompiledValue, { values, step, plan, prefix, origins }: DryStepSite) {
  return values.partsOf(value, step).map(({ reference, origin }) => {
    const from = typeof origin === "number" ? prefix + (plan.steps[origin]?.id ?? "") : origins.get(String(origin));
    return [reference.valuePath, from ?? ""] as const;
  });
}

/**
 * An unknown condition counts as true, so that the dry run shows what would follow; not in a chain that calls itself.
 */
function dryCondition(condition: Condition, { plan, path, site, callers, unknowns }: DryStepSite): Condition {
  return {
    ...condition,
    holds: (scope, evaluation) => {
      if (!unknowns.covers(condition.references, site)) return condition.holds(scope, evaluation);
      unknowns.addUncertainty(path, { onlyIf: condition.text });
      unknowns.addOutput(path, "all");
      return !callers.includes(plan.name);
    },
  };
}

/** For an unknown list, one item stands for all. */
function dryItems(items: CompiledValue, { path, site, unknowns }: DryStepSite): CompiledValue {
  return {
    ...items,
    evaluate: (scope, evaluation) => {
      if (!unknowns.covers(items.references, site)) return items.evaluate(scope, evaluation);
      unknowns.addUncertainty(path, { forEach: site.step?.spec.for_each });
      unknowns.addOutput(path, "all");
      return [null];
    },
  };
}

/** A loop never ends because of a made-up result. */
function dryUntil(until: Condition, { site, unknowns }: DryStepSite): Condition {
  return {
    ...until,
    holds: (scope, evaluation) => unknowns.covers(until.references, site) || until.holds(scope, evaluation),
  };
}

function dryKey(key: CompiledValue, { site, unknowns }: DryStepSite): CompiledValue {
  return {
    ...key,
    evaluate: (scope, evaluation) =>
      unknowns.covers(key.references, site) ? missing : key.evaluate(scope, evaluation),
  };
}

/** Unknown parts of an output are null. */
function dryOutput(output: CompiledValue, { plan, prefix, unknowns }: DryChainSite): CompiledValue {
  const caller = prefix.slice(0, -1);
  return {
    ...output,
    evaluate: (scope, evaluation) => {
      const site = { plan, prefix };
      if (!unknowns.covers(output.references, site)) return output.evaluate(scope, evaluation);
      const written: unknown = plan.spec.output;
      if (!isRecord(written)) {
        unknowns.addOutput(caller, "all");
        return null;
      }
      const names = unknownKeys(output, site, unknowns);
      unknowns.addOutput(caller, names);
      const known = compileValue(without(written, names), { missing: "null" }).value.evaluate(scope, evaluation);
      const values = new Map(Object.entries(known as Readonly<Record<string, unknown>>));
      return Object.fromEntries(Object.keys(written).map((name) => [name, values.get(name) ?? null]));
    },
  };
}

/** The keys of a map whose values are not completely known. */
function unknownKeys({ references }: CompiledValue, site: UnknownSite, unknowns: Unknowns): ReadonlySet<string> {
  const found = references.filter((reference) => unknowns.covers([reference], site));
  return new Set(found.map(({ valuePath: [key] }) => String(key)));
}

/** A map without these keys; with `only`, nothing but them. */
function without(
  map: Readonly<Record<string, unknown>>,
  names: ReadonlySet<string>,
  only = false,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => names.has(key) === only));
}
