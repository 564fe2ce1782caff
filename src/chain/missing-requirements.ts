import { fail } from "../base/index.ts";
import type { AnyTool } from "../tool/index.ts";
import type { ChainSpec } from "./plan/chain-spec.ts";
import type { Plan, PlanStep, Target } from "./plan/plan.ts";
import { reachOf } from "./plan-targets.ts";
import type { ChainNotice, ChainNoticeListener } from "./texts/chain-text-table.ts";
import { chainNoticeText, notifyRun } from "./texts/chain-texts.ts";
import type { RunResult } from "./run-result.ts";

/** Something that the tool of a step needs and that is missing here, such as a model. */
export interface MissingRequirement {
  /** Path of the step: `write`, or `research/search` for a step of a chain that the step `research` calls. */
  readonly step: string;
  /** The tool, as the step names it. */
  readonly tool: string;
  /** In one line: `no model is configured`. */
  readonly reason: string;
  /** The settings or the command that supply it, if known; may have several lines. */
  readonly remedy?: string;
  /**
   * True if a run is certain to fail without it. False if the step may be skipped, may have nothing to do, has a
   * fallback that can work, or may fail without stopping the run.
   */
  readonly required: boolean;
}

/** Maximum number of requirements that are listed for one plan. */
const maxListed = 100;

const none: readonly MissingRequirement[] = [];

/**
 * Finds the steps of a plan, and of the chains that it calls, whose tools cannot work here (`Tool.unavailable`). Costs
 * one call of `unavailable` for each tool that has it; the plan is searched only if something is missing. `reused` are
 * steps whose results are reused from an earlier run.
 */
export function missingRequirements(plan: Plan, reused: readonly string[] = []): readonly MissingRequirement[] {
  const reasons = new Map<AnyTool, string>();
  for (const tool of reachOf(plan).tools.values()) {
    const why = tool.unavailable?.();
    if (why !== undefined) reasons.set(tool, why);
  }
  if (reasons.size === 0) return none;
  return new RequirementFinder(reasons).inPlan(plan).filter(({ step }) => !reused.includes(ownStep(step)));
}

class RequirementFinder {
  readonly #reasons: ReadonlyMap<AnyTool, string>;
  /** By the source of the plan. A chain that calls itself is entered before it is searched, so the search ends. */
  readonly #found = new Map<ChainSpec, readonly MissingRequirement[]>();

  constructor(reasons: ReadonlyMap<AnyTool, string>) {
    this.#reasons = reasons;
  }

  inPlan(plan: Plan): readonly MissingRequirement[] {
    const known = this.#found.get(plan.spec);
    if (known !== undefined) return known;
    this.#found.set(plan.spec, none);
    const skippable = skippableSteps(plan);
    const all = plan.steps.flatMap((step) => this.#ofStep(step, !skippable.has(step.index)));
    // Chains that call chains can multiply; the required ones must not be cut off.
    const listed = all.length <= maxListed ? all : requiredFirst(all).slice(0, maxListed);
    this.#found.set(plan.spec, listed);
    return listed;
  }

  #ofStep(step: PlanStep, certain: boolean): readonly MissingRequirement[] {
    const { onFailure, forEach, cache } = step;
    const found = this.#ofTarget(step.target, step.id);
    const canFallBack = onFailure.fallback.some(({ target }) => !hasRequired(this.#ofTarget(target, step.id)));
    const stopsRun = onFailure.otherwise === "abort" && !canFallBack;
    // A list may be empty, and a result may be cached: then the tool is not called.
    const isCalled = certain && forEach === undefined && cache === undefined;
    return stopsRun && isCalled ? found : found.map((each) => ({ ...each, required: false }));
  }

  #ofTarget({ name, tool, chain }: Target, step: string): readonly MissingRequirement[] {
    if (chain !== undefined) return this.inPlan(chain()).map((each) => ({ ...each, step: `${step}/${each.step}` }));
    const why = tool && this.#reasons.get(tool);
    return why === undefined ? none : [{ step, tool: name, ...splitReason(why), required: true }];
  }
}

/** Indexes of the steps that a successful run may skip: by their own condition, or because of a step they rely on. */
function skippableSteps({ steps }: Plan): ReadonlySet<number> {
  const skippable = new Set<number>();
  const addDependents = ({ index, dependents }: PlanStep): void => {
    for (const dependent of dependents) if (steps[dependent]?.relies.includes(index)) skippable.add(dependent);
  };
  for (const step of steps) {
    if (step.condition !== undefined) skippable.add(step.index);
    if (step.onFailure.otherwise === "continue") addDependents(step);
  }
  // Also visits the indexes that the loop adds.
  for (const index of skippable) {
    const step = steps[index];
    if (step !== undefined) addDependents(step);
  }
  return skippable;
}

function hasRequired(missing: readonly MissingRequirement[]): boolean {
  return missing.some(({ required }) => required);
}

function requiredFirst(missing: readonly MissingRequirement[]): readonly MissingRequirement[] {
  return missing.toSorted((one, other) => Number(other.required) - Number(one.required));
}

/** Splits `no model is configured; set one …`. */
function splitReason(why: string): Pick<MissingRequirement, "reason" | "remedy"> {
  const at = why.indexOf("; ");
  return at < 0 ? { reason: why } : { reason: why.slice(0, at), remedy: why.slice(at + 2) };
}

/**
 * Reports missing requirements before the first step: throws if the run is certain to fail, otherwise passes a notice
 * for each step whose tool cannot work.
 */
export function checkRequirements(
  { name }: Pick<Plan, "name">,
  missing: readonly MissingRequirement[],
  { refusal = "was not started", onNotice }: { refusal?: string; onNotice?: ChainNoticeListener | undefined },
): void {
  const required = missing.filter((each) => each.required);
  if (required.length > 0) {
    throw fail(`${name} ${refusal}: tools of its steps cannot work here\n${describeRequirements(required)}`, {
      code: "not_available",
      reason: "missing_requirement",
      retry: "never",
      issues: required.map((each) => ({
        path: ["steps", ...each.step.split("/")],
        code: "missing_requirement",
        message: describeRequirement(each),
        ...(each.remedy !== undefined && { suggestion: each.remedy }),
      })),
    });
  }
  for (const each of missing) notifyRun(onNotice, toNotice(each));
}

/** For lists and dry runs: why the chain cannot run here, if it cannot, then the other steps whose tools cannot work. */
export function requirementMessages(missing: readonly MissingRequirement[]): readonly string[] {
  const required = missing.filter((each) => each.required);
  const others = missing.filter((each) => !each.required).map(describeRequirement);
  return required.length === 0 ? others : [`cannot run here:\n${describeRequirements(required)}`, ...others];
}

/** In one line: `search: web_search cannot work here: no search provider is set up`. */
function describeRequirement(missing: MissingRequirement): string {
  return chainNoticeText(toNotice(missing));
}

function toNotice({ step, tool, reason }: MissingRequirement): ChainNotice {
  return { code: "tool_unavailable", params: { step, tool, reason } };
}

/** A line for each different reason, with its steps and the remedy. */
export function describeRequirements(missing: readonly MissingRequirement[]): string {
  const groups = new Map<string, string[]>();
  for (const { step, tool, reason, remedy } of missing) {
    const why = remedy === undefined ? reason : `${reason}; ${remedy}`;
    const steps = groups.get(why) ?? [];
    steps.push(`${step} (${tool})`);
    groups.set(why, steps);
  }
  const lines = Array.from(groups, ([why, steps]) => `- ${steps.join(", ")}: ${why.replaceAll("\n", "\n  ")}`);
  return lines.join("\n");
}

const unsettled: ReadonlySet<string> = new Set(["pending", "running", "waiting"]);

/** The same as {@link checkRequirements} for a run that resumes: only the steps that are still to come count. */
export function checkRemaining(
  { plan, runId, steps }: Pick<RunResult, "plan" | "runId" | "steps">,
  missing: readonly MissingRequirement[],
  { onNotice }: { onNotice?: ChainNoticeListener | undefined },
): void {
  const isEnding = steps.some(({ step, status }) => status === "failed" && step.onFailure.otherwise === "abort");
  // Its work still has to be undone.
  if (isEnding) return;
  const statuses = new Map(steps.map(({ step, status }) => [step.id, status]));
  const remaining = missing.flatMap((each) => {
    const status = statuses.get(ownStep(each.step)) ?? "pending";
    if (!unsettled.has(status)) return [];
    // The step of a called chain that has started may be over.
    const isOpen = status === "pending" || !each.step.includes("/");
    return [isOpen ? each : { ...each, required: false }];
  });
  checkRequirements(plan, remaining, { refusal: `(run ${runId}) was not resumed`, onNotice });
}

/** The step of the plan itself: `research` of `research/search`. */
function ownStep(path: string): string {
  return path.split("/", 1).join("");
}
