import { formatPath } from "../../base/index.ts";
import { type CompiledValue, type Condition, compileValue, missing } from "../../expr/index.ts";
import { isMap } from "../../schema/index.ts";
import type { PossibleCall } from "../plan/chain-effect.ts";
import type { FailurePlan, Plan, PlanStep, Target } from "../plan/plan.ts";
import { untrusted } from "../plan/untrusted.ts";
import type { MarkedValues } from "../plan/value-flow.ts";
import type { Site, Unknowns } from "./unknowns.ts";

/**
 * The plan for a dry run: nobody is asked, and an expression that needs what only a withheld call could give does not
 * fail. What of its value can be known is worked out, and the rest is noted.
 */
export function dryPlan(plan: Plan, unknowns: Unknowns): Plan {
  return dryChain({ plan, prefix: "", callers: [], origins: new Map(), unknowns });
}

/** A chain, and where it is called. */
interface ChainPlace {
  readonly plan: Plan;
  /** Of the paths of its steps: `research/`. */
  readonly prefix: string;
  /** The chains within which it is called. */
  readonly callers: readonly string[];
  /** Those of its inputs that come from outside, and the paths of the steps from which they do. */
  readonly origins: ReadonlyMap<string, string>;
  readonly unknowns: Unknowns;
}

/** A step of it. */
interface StepPlace extends ChainPlace {
  readonly path: string;
  readonly site: Site;
  readonly step: PlanStep;
  /** Of the chain: what comes from outside. */
  readonly values: MarkedValues;
}

function dryChain(place: ChainPlace): Plan {
  const { plan, prefix, origins, unknowns } = place;
  const values = untrusted(plan, origins.keys());
  const steps = plan.steps.map((step) =>
    dryStep(step, { ...place, path: prefix + step.id, site: { plan, prefix, step }, step, values }),
  );
  const input: Plan["input"] = {
    json: plan.input.json,
    validate: (given) => {
      const checked = plan.input.validate(given);
      // What is missing may be there in earnest.
      const isOpen = !(checked instanceof Promise) && checked.issues !== undefined && unknowns.hasInputs(prefix);
      return isOpen ? { value: given } : checked;
    },
  };
  // Some of what a plan has is worked out when it is asked for, and stays so.
  return Object.create(plan, {
    steps: { value: steps, enumerable: true },
    byId: { value: new Map(steps.map((step) => [step.id, step])), enumerable: true },
    output: { value: plan.output && dryOutput(plan.output, place), enumerable: true },
    input: { value: input, enumerable: true },
  }) as Plan;
}

function dryStep(step: PlanStep, place: StepPlace): PlanStep {
  const { condition, forEach, repeat, cache, compensate } = step;
  return {
    ...step,
    target: dryTarget(step, place),
    params: dryParams({ target: step.target, params: step.params, written: step.spec.params }, place),
    condition: condition && dryCondition(condition, place),
    forEach: forEach && { ...forEach, items: dryItems(forEach.items, place) },
    repeat: repeat && { ...repeat, until: dryUntil(repeat.until, place) },
    cache: cache && { ...cache, key: cache.key && dryKey(cache.key, place) },
    onFailure: dryFailure(step, place),
    compensate: compensate && {
      ...compensate,
      params: dryParams({ ...compensate, written: step.spec.compensate?.params }, place),
    },
    approval: undefined,
  };
}

function dryTarget({ target: { chain, ...target }, params }: PossibleCall, place: StepPlace): Target {
  if (chain === undefined) return target;
  const { path, plan, callers, unknowns } = place;
  const origins = new Map(outsideParts(params, place).map(([[input], from]) => [String(input), from]));
  const within = { prefix: `${path}/`, callers: [...callers, plan.name], origins, unknowns };
  return { ...target, chain: () => dryChain({ ...within, plan: chain() }) };
}

function dryFailure({ onFailure, spec }: PlanStep, place: StepPlace): FailurePlan {
  const { fallback = [] } = spec.error_handling ?? place.plan.spec.error_handling ?? {};
  return {
    ...onFailure,
    fallback: onFailure.fallback.map((entry, index) => ({
      ...entry,
      target: dryTarget(entry, place),
      params: dryParams({ ...entry, written: fallback[index]?.params }, place),
    })),
  };
}

interface Parameters {
  readonly target: Target;
  readonly params: CompiledValue;
  /** As the file has them. */
  readonly written: unknown;
}

/** Those that can be known; what the others are is kept beside them, as it is written. */
function dryParams({ target, params, written }: Parameters, place: StepPlace): CompiledValue {
  const { path, site, unknowns } = place;
  const outside = Object.fromEntries(outsideParts(params, place).map(([part, from]) => [formatPath(part), from]));
  const noted = (args: unknown): unknown => {
    if (Object.keys(outside).length > 0 && isMap(args)) unknowns.untrusted.set(args, outside);
    return args;
  };
  return {
    ...params,
    evaluate: (scope, evaluation) => {
      const names = unknownKeys(params, site, unknowns);
      if (names.size === 0 || !isMap(written)) return noted(params.evaluate(scope, evaluation));
      const known = compileValue(without(written, names), { missing: "drop" }).value.evaluate(scope, evaluation);
      // Not one that the plan holds, as it is for constants: what is noted is about this call.
      const args = { ...(known as Readonly<Record<string, unknown>>) };
      if (target.chain !== undefined) unknowns.addInputs(`${path}/`, [...names]);
      else unknowns.arguments.set(args, without(written, names, true));
      return noted(args);
    },
  };
}

/** Which parts of a value come from outside, and the path of the step from which each does. */
function outsideParts(value: CompiledValue, { values, step, plan, prefix, origins }: StepPlace) {
  return values.partsOf(value, step).map(({ reference, origin }) => {
    const from = typeof origin === "number" ? prefix + (plan.steps[origin]?.id ?? "") : origins.get(String(origin));
    return [reference.valuePath, from ?? ""] as const;
  });
}

/** What nobody can know is taken to hold, so that what would be done then is shown; not in a chain within itself. */
function dryCondition(condition: Condition, { plan, path, site, callers, unknowns }: StepPlace): Condition {
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

/** Of a list that nobody can know, one item stands for all. */
function dryItems(items: CompiledValue, { path, site, unknowns }: StepPlace): CompiledValue {
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

/** Made-up results are never what a loop waits for. */
function dryUntil(until: Condition, { site, unknowns }: StepPlace): Condition {
  return {
    ...until,
    holds: (scope, evaluation) => unknowns.covers(until.references, site) || until.holds(scope, evaluation),
  };
}

function dryKey(key: CompiledValue, { site, unknowns }: StepPlace): CompiledValue {
  return {
    ...key,
    evaluate: (scope, evaluation) =>
      unknowns.covers(key.references, site) ? missing : key.evaluate(scope, evaluation),
  };
}

/** What cannot be known of an output is null in it. */
function dryOutput(output: CompiledValue, { plan, prefix, unknowns }: ChainPlace): CompiledValue {
  const caller = prefix.slice(0, -1);
  return {
    ...output,
    evaluate: (scope, evaluation) => {
      const site = { plan, prefix };
      if (!unknowns.covers(output.references, site)) return output.evaluate(scope, evaluation);
      const written: unknown = plan.spec.output;
      if (!isMap(written)) {
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

/** The keys of a map in whose values something is not known. */
function unknownKeys({ references }: CompiledValue, site: Site, unknowns: Unknowns): ReadonlySet<string> {
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
