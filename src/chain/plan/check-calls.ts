import type { JsonSchema } from "../../schema/index.ts";
import type { YamlPath } from "../../text/index.ts";
import { chainDepth, maxChainDepth } from "./chain-depth.ts";
import { targetEffect } from "./chain-effect.ts";
import type { ChainReport } from "./chain-report.ts";
import { checkParams } from "./check-params.ts";
import { FieldChecker } from "./check-fields.ts";
import type { CompiledStep } from "./compile-step.ts";
import { findChainCycle } from "./find-chain-cycle.ts";
import type { Use } from "./part-reader.ts";
import type { Plan, PlanStep, Target } from "./plan.ts";
import type { ErrorHandlingSpec, FallbackSpec } from "./spec.ts";

/** A plan whose calls are to be checked. */
export interface CheckedPlan {
  readonly plan: Plan;
  /** The steps with everything that their expressions refer to. */
  readonly parts: readonly CompiledStep[];
  /** What the chain's own expressions refer to. */
  readonly uses: readonly Use[];
  /** Look into the chains that are called? They look into theirs, so this ends somewhere. */
  readonly chains: boolean;
  /** Chains that are being planned, and made this one be planned. */
  readonly outer: ReadonlySet<string>;
}

/** Checks every call against what it calls: arguments, fields of outputs, effects, and chains that never end. */
export function checkCalls(checked: CheckedPlan, report: ChainReport): void {
  const check = new CallsCheck(checked, report);
  check.chainHandling();
  for (const step of checked.plan.steps) check.step(step);
  check.fields();
  if (!checked.chains) return;
  check.endless();
  check.nesting();
}

class CallsCheck {
  readonly #checked: CheckedPlan;
  readonly #report: ChainReport;
  readonly #plans = new Map<string, Plan | string>();

  constructor(checked: CheckedPlan, report: ChainReport) {
    this.#checked = checked;
    this.#report = report;
  }

  step(step: PlanStep): void {
    const { spec, target, index } = step;
    const path = ["steps", index];
    this.#call(target, { params: spec.params, path });
    if (spec.error_handling !== undefined) {
      this.#fallbacks(spec.error_handling, [...path, "error_handling"], step.onFailure.fallback);
    }
    if (step.compensate !== undefined) this.#compensation(step, [...path, "compensate"]);
    if (step.cache !== undefined) this.#cache(step, [...path, "cache"]);
    this.#retry(step, path);
  }

  /** What the chain says about failures applies to many steps, and is told about once. */
  chainHandling(): void {
    const { error_handling: handling } = this.#checked.plan.spec;
    const user = this.#userOfChainHandling;
    if (handling !== undefined && user !== undefined) {
      this.#fallbacks(handling, ["error_handling"], user.onFailure.fallback);
    }
  }

  /** A step for which the chain's own handling of failures was read. */
  get #userOfChainHandling(): PlanStep | undefined {
    return this.#checked.plan.steps.find((step) => step.spec.error_handling === undefined);
  }

  fields(): void {
    const { plan, parts, uses } = this.#checked;
    const checker = new FieldChecker(plan, this.#report);
    const standIns = ({ onFailure }: PlanStep, path: YamlPath): void => {
      for (const [index, { select, target }] of onFailure.fallback.entries()) {
        checker.select(select, target, [...path, "fallback", index, "output", "select"]);
      }
    };
    for (const use of uses) checker.reference(use, undefined);
    for (const [index, step] of plan.steps.entries()) {
      for (const use of parts[index]?.uses ?? []) checker.reference(use, step);
      checker.select(step.select, step.target, ["steps", index, "output", "select"]);
      checker.loop(step);
      if (step.spec.error_handling !== undefined) standIns(step, ["steps", index, "error_handling"]);
    }
    const user = plan.spec.error_handling === undefined ? undefined : this.#userOfChainHandling;
    if (user !== undefined) standIns(user, ["error_handling"]);
  }

  /** A chain that calls itself whatever happens would never end. */
  endless(): void {
    const { plan, outer } = this.#checked;
    const cycle = findChainCycle(plan);
    if (cycle === undefined) return;
    // Where the circle leads through a chain that is being planned, it is that chain which cannot have a plan.
    const severity = cycle.names.some((name) => outer.has(name)) ? "warning" : "error";
    const message = `the chain calls itself without end: ${cycle.names.join(" -> ")}`;
    const hint = "give one of the steps on the way a condition";
    this.#report.add("chain_cycle", ["steps", cycle.step, "tool"], [message, { hint, severity }]);
  }

  /** A run would end at the same limit, with half of the work done. */
  nesting(): void {
    const { plan } = this.#checked;
    const step = plan.steps.findIndex(({ target }) => target.chain !== undefined);
    if (step < 0 || chainDepth(plan) <= maxChainDepth) return;
    const message = `chains call chains deeper than ${maxChainDepth} levels here`;
    this.#report.add("chains_too_deep", ["steps", step, "tool"], [message, { hint: "let fewer chains do more each" }]);
  }

  #fallbacks({ fallback = [] }: ErrorHandlingSpec, path: YamlPath, plans: PlanStep["onFailure"]["fallback"]): void {
    for (const [index, entry] of fallback.entries()) {
      const target = plans[index]?.target;
      if (target !== undefined) this.#call(target, { params: entry.params, path: [...path, "fallback", index] });
    }
  }

  #compensation({ compensate }: PlanStep, path: YamlPath): void {
    if (compensate === undefined) return;
    const { target } = compensate;
    this.#call(target, { params: this.#specOf(path), path });
    if (target.chain === undefined) return;
    const message = `"${target.name}" is a chain; only a tool can undo a step`;
    this.#report.add("chain_compensates", [...path, "tool"], [message]);
  }

  #specOf([, index]: YamlPath): FallbackSpec["params"] {
    return typeof index === "number" ? this.#checked.plan.steps[index]?.spec.compensate?.params : undefined;
  }

  #call(target: Target, { params, path }: { params: FallbackSpec["params"]; path: YamlPath }): void {
    const toolPath = [...path, "tool"];
    this.#availability(target, toolPath);
    const json = this.#inputOf(target, toolPath);
    if (json === undefined) return;
    const what = `${target.chain === undefined ? "the tool" : "the chain"} "${target.name}"`;
    checkParams({ params, path: [...path, "params"], toolPath, target: what }, json, this.#report);
  }

  #inputOf(target: Target, path: YamlPath): JsonSchema | undefined {
    if (target.tool !== undefined) return target.tool.input.json;
    if (target.chain === undefined || !this.#checked.chains) return undefined;
    const plan = this.#planOf(target.name, target.chain);
    if (typeof plan !== "string") return plan.input.json;
    const message = `the chain "${target.name}" cannot be planned: ${plan}`;
    this.#report.add("broken_chain", path, [message, { hint: "correct that chain first" }]);
    return undefined;
  }

  /** The plan, or why there is none. */
  #planOf(name: string, chain: () => Plan): Plan | string {
    const known = this.#plans.get(name);
    if (known !== undefined) return known;
    let plan: Plan | string;
    try {
      plan = chain();
    } catch (error) {
      plan = firstLine(error);
    }
    this.#plans.set(name, plan);
    return plan;
  }

  #availability({ name, tool }: Target, path: YamlPath): void {
    if (tool === undefined) return;
    const why =
      tool.broken?.message ??
      (tool.status === "disabled" || tool.status === "draft" ? `it is ${tool.status}` : undefined);
    if (why === undefined) return;
    const message = `the tool "${name}" cannot be called: ${why}`;
    this.#report.add("unavailable_tool", path, [message, { severity: "warning" }]);
  }

  #cache({ target, params }: PlanStep, path: YamlPath): void {
    if (target.chain !== undefined) {
      const message = "a chain's result is not used again; give the steps inside of it a cache";
      this.#report.add("useless_cache", path, [message, { part: "key", severity: "warning" }]);
    }
    const { tool } = target;
    if (tool === undefined) return;
    const effect = targetEffect(target, params);
    if (effect === "pure" || effect === "read") return;
    const isKnown = typeof tool.effect !== "function" || params.constant;
    const message = isKnown
      ? `"${target.name}" writes (effect: ${effect}), so its result cannot be used again`
      : `whether "${target.name}" writes depends on its arguments; where it does, its result is not used again`;
    const hint = isKnown ? "remove it, or cache the steps that only read" : undefined;
    this.#report.add("useless_cache", path, [message, { part: "key", hint, severity: isKnown ? "error" : "warning" }]);
  }

  #retry({ spec, target, params, retry }: PlanStep, path: YamlPath): void {
    const own = spec.retry !== undefined ? "retry" : spec.error_handling === undefined ? undefined : "error_handling";
    if (own === undefined || retry.max === 0 || target.tool === undefined) return;
    if (targetEffect(target, params) !== "once") return;
    if (typeof target.tool.effect === "function" && !params.constant) return;
    const message = `"${target.name}" must not run twice (effect: once), so it is not tried again`;
    const hint =
      target.among === undefined
        ? 'remove it; or, if running twice does no harm, give the tool the effect "idempotent"'
        : "remove it; or call one of the tools behind it by its name, so that no other does the work again";
    this.#report.add("useless_retry", [...path, own], [message, { part: "key", hint, severity: "warning" }]);
  }
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1).join("").slice(0, 300);
}
