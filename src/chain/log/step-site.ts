import { type Failure, type FailureError, fail } from "../../base/index.ts";
import type { Scope } from "../../expr/index.ts";
import { showValue } from "../../schema/index.ts";
import { suggest } from "../../text/index.ts";
import type { Plan } from "../plan/plan.ts";
import type { RunFacts } from "../run/run-facts.ts";
import type { StepState } from "../run/step-state.ts";
import { allSteps } from "./all-steps.ts";
import type { LogRedactor } from "./log-value.ts";

/** A step of a run with what its expressions could see. */
export interface StepSite {
  readonly run: RunFacts;
  readonly state: StepState;
  /** The chain that the step belongs to; undefined where a sub-chain cannot be planned any more. */
  readonly plan: Plan | undefined;
  /** Every step of the same chain, this one included, in the order of the chain. */
  readonly peers: readonly StepState[];
  /** When that chain began; epoch milliseconds. */
  readonly chainStartedAt: number;
  readonly scope: Scope;
  readonly redactor: LogRedactor;
}

/**
 * The step at a path such as `research/search`, and which item of it is meant with `each[2]`; a failure with a
 * suggestion where there is none.
 */
export function findSite(
  run: RunFacts,
  name: string,
  redactor: LogRedactor,
): StepSite & { readonly item: number | undefined } {
  const states = [...allSteps(run.steps)];
  // An item whose sub-chain was tried again has left the steps of each attempt: the last one counts.
  const at = (path: string): StepState | undefined => states.findLast((candidate) => candidate.path === path);
  const [, owner, index] = /^(.+)\[(\d{1,9})\]$/.exec(name) ?? [];
  const ofItem = owner === undefined ? undefined : at(owner);
  const item = ofItem?.step.forEach === undefined ? undefined : Number(index);
  const state = item === undefined ? at(name) : ofItem;
  if (state === undefined) throw unknownStep(name, states);
  const { path } = state;
  const parent = states.findLast(({ children }) => children?.includes(state) === true);
  const plan = parent === undefined ? run.plan : planOf(parent, state);
  const peers = parent?.children === undefined ? run.steps : sameExecution(parent.children, state);
  const input = parent === undefined ? run.input : inputOf(parent, plan, path);
  const chainStartedAt = parent === undefined ? run.startedAt : parent.startedAt;
  return { run, state, plan, peers, chainStartedAt, scope: scopeOf(run, peers, input), redactor, item };
}

/** The same place while its step was failing: as its fallbacks and `retry.when` saw it. */
export function whileFailing(site: StepSite, { code, message, retry }: Failure): StepSite {
  const { steps } = site.scope;
  const seen = {
    ...(typeof steps === "object" && steps),
    [site.state.step.id]: { status: "failed", error: { code, message } },
  };
  return { ...site, scope: { ...site.scope, steps: seen, error: { code, message, retry } } };
}

/** Each step of a chain comes once and in order: where the order breaks, another execution begins. */
function sameExecution(children: readonly StepState[], state: StepState): readonly StepState[] {
  const at = children.indexOf(state);
  const place = (index: number): number => children[index]?.step.index ?? -1;
  let start = at;
  while (start > 0 && place(start - 1) < place(start)) start--;
  let end = at + 1;
  while (end < children.length && place(end) > place(end - 1)) end++;
  return children.slice(start, end);
}

/** The chain that the step called, itself or as a fallback. */
function planOf({ step }: StepState, child: StepState): Plan | undefined {
  for (const { chain } of [step.target, ...step.onFailure.fallback.map(({ target }) => target)]) {
    try {
      const plan = chain?.();
      if (plan?.steps[child.step.index] === child.step) return plan;
    } catch {
      // It could be planned when the run began, and cannot be any more.
    }
  }
  return undefined;
}

/** What a sub-chain got: of a `for_each`, for the item that its path names; defaults filled in. */
function inputOf(parent: StepState, plan: Plan | undefined, path: string): unknown {
  const item = /\[(\d+)\]\/[^/]*$/.exec(path)?.[1];
  const given: unknown = item !== undefined && Array.isArray(parent.input) ? parent.input[Number(item)] : parent.input;
  const checked = plan?.input.validate(given);
  return checked === undefined || checked instanceof Promise || checked.issues !== undefined ? given : checked.value;
}

function scopeOf(run: RunFacts, peers: readonly StepState[], input: unknown): Scope {
  const steps: [string, unknown][] = [];
  const context: [string, unknown][] = Object.entries(run.context ?? {});
  for (const { step, status, output, error } of peers) {
    if (status === "pending") continue;
    const shown = error && { code: error.code, message: error.message };
    steps.push([step.id, { status, output, error: shown }]);
    if (step.as !== undefined && output !== undefined) context.push([step.as, output]);
  }
  return {
    input,
    // fromEntries defines own keys, whatever a step is called.
    steps: Object.fromEntries(steps),
    context: Object.fromEntries(context),
    run: { id: run.runId, chain: run.plan.name, started_at: new Date(run.startedAt).toISOString() },
  };
}

function unknownStep(path: string, states: readonly StepState[]): FailureError {
  const paths = states.map((state) => state.path);
  const meant = suggest(path, paths);
  const known = paths.length > 12 ? `${paths.slice(0, 12).join(", ")}, …` : paths.join(", ");
  return fail(
    `the run has no step ${showValue(path)}; ${meant === undefined ? `its steps: ${known}` : `did you mean "${meant}"?`}`,
    { code: "validation_error", reason: "unknown_step" },
  );
}
