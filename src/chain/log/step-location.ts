import { type Failure, type FailureError, fail } from "../../base/index.ts";
import type { CompiledValue, Scope } from "../../expr/index.ts";
import { showValue } from "../../schema/index.ts";
import { suggestHint } from "../../text/index.ts";
import type { Plan } from "../plan/plan.ts";
import type { RunFacts } from "../interpreter/run-facts.ts";
import type { StepState } from "../interpreter/step-state.ts";
import { allSteps } from "./run-metrics.ts";
import type { LogRedactor } from "./log-value.ts";

/** A step of a run with the values that its expressions could see. */
export interface StepLocation {
  readonly run: RunFacts;
  readonly state: StepState;
  /** The chain that the step belongs to; undefined if a sub-chain can no longer be planned. */
  readonly plan: Plan | undefined;
  /** The steps that called that chain, the outermost first; none for a step of the run's own chain. */
  readonly callers: readonly StepState[];
  /** Every step of the same chain, this one included, in the order of the chain. */
  readonly peers: readonly StepState[];
  /** When that chain began; epoch milliseconds. */
  readonly chainStartedAt: number;
  readonly scope: Scope;
  readonly redactor: LogRedactor;
}

/**
 * The step at a path such as `research/search`, and the item that `each[2]` names; a failure with a suggestion if it
 * does not exist.
 */
export function locateStep(
  run: RunFacts,
  name: string,
  redactor: LogRedactor,
): StepLocation & { readonly item: number | undefined } {
  const states = [...allSteps(run.steps)];
  // If the sub-chain of an item was retried, the steps of each attempt are present: the last one counts.
  const at = (path: string): StepState | undefined => states.findLast((candidate) => candidate.path === path);
  const [, owner, index] = /^(.+)\[(\d{1,9})\]$/.exec(name) ?? [];
  const ofItem = owner === undefined ? undefined : at(owner);
  const item = ofItem?.step.forEach === undefined ? undefined : Number(index);
  const state = item === undefined ? at(name) : ofItem;
  if (state === undefined) throw unknownStep(name, states);
  const callers = callersOf(state, states);
  const { input, ...chain } = chainOf(state, callers.at(-1), run);
  return { run, state, ...chain, callers, scope: scopeOf(run, chain.peers, input), redactor, item };
}

/** The chain that a step belongs to, and its input. */
function chainOf(
  state: StepState,
  parent: StepState | undefined,
  run: RunFacts,
): Pick<StepLocation, "plan" | "peers" | "chainStartedAt"> & { readonly input: unknown } {
  if (parent === undefined) {
    return { plan: run.plan, peers: run.steps, input: run.input, chainStartedAt: run.startedAt };
  }
  const plan = chainCall(parent, state)?.plan;
  const peers = sameExecution(parent.children ?? [state], state);
  return { plan, peers, input: inputOf(parent, plan, state.path), chainStartedAt: parent.startedAt };
}

/** The same location while its step was failing: as its fallbacks and `retry.when` saw it. */
export function whileFailing(site: StepLocation, { code, message, retry }: Failure): StepLocation {
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
  const position = (index: number): number => children[index]?.step.index ?? -1;
  let start = at;
  while (start > 0 && position(start - 1) < position(start)) start--;
  let end = at + 1;
  while (end < children.length && position(end) > position(end - 1)) end++;
  return children.slice(start, end);
}

function callersOf(state: StepState, states: readonly StepState[]): StepState[] {
  const callers: StepState[] = [];
  for (let at: StepState | undefined = state; at !== undefined; at = callers[0]) {
    const called = at;
    const caller = states.findLast(({ children }) => children?.includes(called) === true);
    if (caller === undefined) break;
    callers.unshift(caller);
  }
  return callers;
}

/** A chain that a step called, and its parameters. */
export interface ChainCall {
  readonly plan: Plan;
  readonly params: CompiledValue;
}

/** The call by which a step, or its fallback, ran the chain that the child step is in. */
export function chainCall({ step }: StepState, child: StepState): ChainCall | undefined {
  for (const { target, params } of [step, ...step.onFailure.fallback]) {
    try {
      const plan = target.chain?.();
      if (plan?.steps[child.step.index] === child.step) return { plan, params };
    } catch {
      // It could be planned when the run started, and no longer can.
    }
  }
  return undefined;
}

/** Input of a sub-chain: in a `for_each`, that of the item that its path names; with defaults filled in. */
function inputOf(parent: StepState, plan: Plan | undefined, path: string): unknown {
  const item = /\[(\d+)\]\/[^/]*$/.exec(path)?.[1];
  const rawInput: unknown =
    item !== undefined && Array.isArray(parent.input) ? parent.input[Number(item)] : parent.input;
  const checked = plan?.input.validate(rawInput);
  return checked === undefined || checked instanceof Promise || checked.issues !== undefined ? rawInput : checked.value;
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
    // fromEntries defines own keys, for any name of a step.
    steps: Object.fromEntries(steps),
    context: Object.fromEntries(context),
    run: { id: run.runId, chain: run.plan.name, started_at: new Date(run.startedAt).toISOString() },
  };
}

function unknownStep(path: string, states: readonly StepState[]): FailureError {
  const paths = states.map((state) => state.path);
  const known = paths.length > 12 ? `${paths.slice(0, 12).join(", ")}, …` : paths.join(", ");
  const message = `the run has no step ${showValue(path)}; ${suggestHint(path, paths) ?? `its steps: ${known}`}`;
  return fail(message, { code: "validation_error", reason: "unknown_step" });
}
