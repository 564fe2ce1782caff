import { errorMessage } from "../../base/index.ts";
import type { Resolver } from "../../engine/index.ts";
import type { Schema } from "../../schema/index.ts";
import type { YamlPath } from "../../text/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import type { Select } from "../../expr/index.ts";
import { isChainError } from "./chain-error.ts";
import { chainDepth, maxChainDepth } from "./chain-depth.ts";
import { targetEffect } from "./chain-effect.ts";
import type { ChainReport } from "./chain-report.ts";
import { checkParams } from "./check-params.ts";
import type { CompiledStep } from "./compile-step.ts";
import { findChainCycle } from "./find-chain-cycle.ts";
import { OutputViews, type ViewedPlan, viewSteps } from "./output-views.ts";
import { type ReferenceUse, segmentRange } from "./part-reader.ts";
import type { Plan, PlanStep, Target } from "./plan.ts";
import type { ErrorHandlingSpec, FallbackSpec } from "./chain-spec.ts";
import { selectSteps, type ViewFault, followPath, notAList } from "./value-view.ts";

/** A plan whose calls are to be checked. */
export interface CheckedPlan {
  readonly plan: Plan;
  /** The steps with everything that their expressions refer to. */
  readonly parts: readonly CompiledStep[];
  /** References in the chain's own expressions. */
  readonly uses: readonly ReferenceUse[];
  /** Check the chains that are called? They check theirs, so this ends somewhere. */
  readonly chains: boolean;
  /** Chains that are being planned, and that led to planning this one. */
  readonly outer: ReadonlySet<string>;
  readonly fileError?: Resolver["fileError"];
}

/** Checks every call against its callee: arguments, fields of outputs, effects, and chains that never end. */
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
  readonly #plans = new Map<string, Plan | Unplanned>();
  readonly #views: OutputViews;

  constructor(checked: CheckedPlan, report: ChainReport) {
    this.#checked = checked;
    this.#report = report;
    this.#views = new OutputViews(checked.plan);
  }

  step(step: PlanStep): void {
    const { spec, target, index } = step;
    const path = ["steps", index];
    if (step.wait === undefined) this.#call(target, { params: spec.params, path, user: step });
    if (spec.error_handling !== undefined) {
      this.#fallbacks(spec.error_handling, [...path, "error_handling"], step);
    }
    if (step.compensate !== undefined) this.#compensation(step, [...path, "compensate"]);
    if (step.cache !== undefined) this.#cache(step, [...path, "cache"]);
    this.#retry(step, path);
  }

  /** The chain's `error_handling` applies to many steps, and is reported once. */
  chainHandling(): void {
    const { error_handling: handling } = this.#checked.plan.spec;
    const user = this.#userOfChainHandling;
    if (handling !== undefined && user !== undefined) {
      this.#fallbacks(handling, ["error_handling"], user);
    }
  }

  /** A step to which the chain's own `error_handling` applies. */
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

  /** A chain that calls itself unconditionally would never end. */
  endless(): void {
    const cycle = findChainCycle(this.#checked.plan);
    if (cycle === undefined) return;
    // If the cycle leads through a chain that is being planned, that chain is the one that cannot be planned.
    const severity = cycle.names.some((name) => this.#checked.outer.has(name)) ? "warning" : "error";
    const message = `the chain calls itself without end: ${cycle.names.join(" -> ")}`;
    const hint = "add a condition to one of the steps in this cycle";
    this.#report.add("chain_cycle", ["steps", cycle.step, "tool"], [message, { hint, severity }]);
  }

  /** A run would stop at the same limit, with half of the work done. */
  nesting(): void {
    const { plan } = this.#checked;
    const step = plan.steps.findIndex(({ target }) => target.chain !== undefined);
    if (step < 0 || chainDepth(plan) <= maxChainDepth) return;
    const message = `chains call chains deeper than ${maxChainDepth} levels here`;
    this.#report.add(
      "chains_too_deep",
      ["steps", step, "tool"],
      [message, { hint: "use fewer levels of chains, with more steps in each" }],
    );
  }

  #fallbacks({ fallback = [] }: ErrorHandlingSpec, path: YamlPath, user: PlanStep): void {
    for (const [index, entry] of fallback.entries()) {
      const target = user.onFailure.fallback[index]?.target;
      if (target !== undefined) this.#call(target, { params: entry.params, path: [...path, "fallback", index], user });
    }
  }

  #compensation(user: PlanStep, path: YamlPath): void {
    const { compensate, spec } = user;
    if (compensate === undefined) return;
    const { target } = compensate;
    this.#call(target, { params: spec.compensate?.params, path, user });
    if (target.chain === undefined) return;
    const message = `"${target.name}" is a chain; only a tool can undo a step`;
    this.#report.add("chain_compensates", [...path, "tool"], [message]);
  }

  #call(
    target: Target,
    { params, path, user }: { params: FallbackSpec["params"]; path: YamlPath; user: PlanStep },
  ): void {
    const toolPath = [...path, "tool"];
    this.#availability(target, toolPath);
    const input = this.#inputOf(target, toolPath);
    if (input === undefined) return;
    const label = `${target.chain === undefined ? "the tool" : "the chain"} "${target.name}"`;
    const typeOf = (text: string): string | undefined => this.#views.typeOfText(text, user);
    checkParams({ params, path: [...path, "params"], toolPath, target: label, typeOf }, input, this.#report);
  }

  #inputOf(target: Target, path: YamlPath): Schema | undefined {
    if (target.tool !== undefined) return target.tool.input;
    if (target.chain === undefined || !this.#checked.chains) return undefined;
    const plan = this.#planOf(target.name, target.chain);
    if (!("why" in plan)) return plan.input;
    const message = `the chain "${target.name}" cannot be planned: ${plan.why}`;
    this.#report.add("broken_chain", path, [message, { hint: "fix that chain first", cause: plan.cause }]);
    return undefined;
  }

  /** The plan, or the reason why there is none. */
  #planOf(name: string, chain: () => Plan): Plan | Unplanned {
    const known = this.#plans.get(name);
    if (known !== undefined) return known;
    let plan: Plan | Unplanned;
    try {
      plan = chain();
    } catch (error) {
      plan = unplanned(error);
    }
    this.#plans.set(name, plan);
    return plan;
  }

  #availability({ name, tool }: Target, path: YamlPath): void {
    if (tool === undefined) return;
    const why = whyUnavailable(tool);
    if (why === undefined) return;
    const message = `the tool "${name}" cannot be called: ${why}`;
    const code = tool.broken?.reason === "not_trusted" ? "not_checked" : "unavailable_tool";
    const error = tool.broken && this.#checked.fileError?.(name);
    const cause = error?.cause ?? error?.file;
    this.#report.add(code, path, [message, { severity: "warning", cause }]);
  }

  #cache({ target, params }: PlanStep, path: YamlPath): void {
    if (target.chain !== undefined) {
      const message = "a chain's result is not cached; add a cache to the steps inside of it";
      this.#report.add("useless_cache", path, [message, { part: "key", severity: "warning" }]);
    }
    const { tool } = target;
    if (tool === undefined) return;
    const effect = targetEffect(target, params);
    if (effect === "pure" || effect === "read") return;
    const isKnown = typeof tool.effect !== "function" || params.constant;
    const message = isKnown
      ? `"${target.name}" writes (effect: ${effect}), so its result cannot be cached`
      : `whether "${target.name}" writes depends on its arguments; if it writes, its result is not cached`;
    const hint = isKnown ? "remove it, or cache the steps that only read" : undefined;
    this.#report.add("useless_cache", path, [message, { part: "key", hint, severity: isKnown ? "error" : "warning" }]);
  }

  #retry({ spec, target, params, retry }: PlanStep, path: YamlPath): void {
    const own = spec.retry !== undefined ? "retry" : spec.error_handling === undefined ? undefined : "error_handling";
    if (own === undefined || retry.max === 0 || target.tool === undefined) return;
    if (targetEffect(target, params) !== "once") return;
    if (typeof target.tool.effect === "function" && !params.constant) return;
    const message = `"${target.name}" must not run twice (effect: once), so it is not retried`;
    const hint =
      target.among === undefined
        ? 'remove it; or, if the tool can safely run twice, give it the effect "idempotent"'
        : "remove it; or call one of its tools directly by name, so that a retry cannot reach another tool";
    this.#report.add("useless_retry", [...path, own], [message, { part: "key", hint, severity: "warning" }]);
  }
}

/** A chain that cannot be planned. */
interface Unplanned {
  readonly why: string;
  /** The file with the first error. */
  readonly cause: string | undefined;
}

function unplanned(error: unknown): Unplanned {
  const problems = isChainError(error) ? error.problems : [];
  const first = problems.find(({ severity }) => severity === "error");
  return { why: errorMessage(error).split("\n", 1).join("").slice(0, 300), cause: first?.cause ?? first?.file };
}

/** Why a tool cannot be called; undefined if it can. */
function whyUnavailable({ broken, status }: AnyTool): string | undefined {
  return broken?.message ?? (status === "disabled" || status === "draft" ? `it is ${status}` : undefined);
}

/** Checks that the fields of outputs and inputs that expressions and selects read exist, as far as schemas show. */
class FieldChecker {
  readonly #views: OutputViews;
  readonly #report: ChainReport;

  constructor(plan: ViewedPlan, report: ChainReport) {
    this.#views = new OutputViews(plan);
    this.#report = report;
  }

  /** Checks one reference; `user` is the step whose expression it is. */
  reference({ reference, path }: ReferenceUse, user: PlanStep | undefined): void {
    // Most references end before any schema.
    if (reference.path.length === 0) return;
    const start = this.#views.start(reference, user);
    if (start === undefined || reference.path.length <= start.skip) return;
    const steps = viewSteps(reference, start.skip);
    const faults = start.views.map((view) => {
      const followed = followPath(view, steps);
      return "fault" in followed ? followed.fault : undefined;
    });
    const [fault] = faults;
    // A fallback may have a field that the tool does not have.
    if (fault === undefined || faults.includes(undefined)) return;
    // The name of an input has been checked already; its fields are checked here.
    if (reference.root === "input" && fault.step === 0) return;
    const inside = segmentRange(reference, start.skip + fault.step);
    const before = reference.text.slice(0, inside[0] - reference.at).replace(/\.$/, "");
    const owner = fault.step === 0 || before === "" ? start.name : before;
    const severity = reference.guarded ? "warning" : "error";
    this.#report.add("unknown_field", path, [
      `${owner} ${fault.message}`,
      { hint: this.#hint(fault), inside, severity },
    ]);
  }

  /** Checks one `select`; a singular one that may find nothing is fine, one that can never match is not. */
  select(select: Select | undefined, target: Target, path: YamlPath): void {
    const steps = selectSteps(select);
    if (steps === undefined) return;
    const followed = followPath(this.#views.ofTarget(target), steps, "jsonpath");
    if (!("fault" in followed)) return;
    const name = steps[followed.fault.step];
    const within = typeof name === "string" ? { within: name } : {};
    const message = `the output of ${target.name} ${followed.fault.message}`;
    this.#report.add("unknown_field", path, [message, { hint: this.#hint(followed.fault), ...within }]);
  }

  /** Checks that the value of `for_each` is a list. */
  loop(step: PlanStep): void {
    const { for_each: text } = step.spec;
    const found = typeof text === "string" ? notAList(this.#views.ofText(text)) : undefined;
    if (found === undefined || typeof text !== "string") return;
    const [list] = found.lists;
    const hint = list === undefined ? listHint(text) : `its list is "${list}": ${text.replace(/\}\s*$/, `.${list}}`)}`;
    this.#report.add(
      "not_a_list",
      ["steps", step.index, "for_each"],
      [`for_each needs a list, but this is ${found.is}`, { hint }],
    );
  }

  #hint({ fields, hint, message }: ViewFault): string | undefined {
    if (hint !== undefined || fields.length === 0) return hint;
    const name = /"(.*)"$/.exec(message)?.[1] ?? "";
    const shown = fields.slice(0, 12).join(", ");
    return this.#report.suggest(name, new Set(fields), `fields: ${fields.length > 12 ? `${shown}, …` : shown}`);
  }
}

/** Suggests a source of a list. */
function listHint(text: string): string {
  const [, input] = /^\s*\$\{\s*input\.([\p{L}\p{N}_-]+)\s*\}\s*$/u.exec(text) ?? [];
  if (input !== undefined) return `declare it as a list, such as ${input}: string[]`;
  return `use a list of the ${/^\s*\$\{\s*input\b/.test(text) ? "input" : "output"}`;
}
